#include "engine/harness.h"

#include <unistd.h>

#include <cstring>
#include <fstream>

namespace flowtrain::testing {
namespace {

constexpr int kSide = 4;  // pixels of a row's image

struct NoParams {};
struct SourceParams {
  Path root;
};

// Tells the test when a stage of its kind is opened and closed.
template <class Kind>
class Scripted : public Kind {
 public:
  Scripted(Script& script, std::string type) : script_(script), type_(std::move(type)) {}
  void Open(OpenContext& context) override {
    if (script_.on_open_of) script_.on_open_of(type_, context);
  }
  void Close() noexcept override {
    if (script_.on_close_of) script_.on_close_of(type_);
  }

 protected:
  Script& script_;

 private:
  const std::string type_;
};

class ScriptSource final : public Scripted<Source> {
 public:
  ScriptSource(Script& script, bool second) : Scripted(script, second ? "source2" : "source"), second_(second) {}
  uint64_t Size() const override { return script_.size; }
  uint64_t Fingerprint() const override {
    return second_ && script_.fingerprint2 ? script_.fingerprint2() : script_.fingerprint();
  }
  void Read(uint64_t index, Sample& sample, ReadContext& context) const override {
    script_.reads.fetch_add(1);
    sample.path = "sample-" + std::to_string(index);
    const auto& on_read = second_ && script_.on_read2 ? script_.on_read2 : script_.on_read;
    if (on_read) on_read(index, context);
    if (script_.on_read_of) script_.on_read_of(sample.id);
    Buffer buffer = Buffer::Allocate(sizeof index);
    std::memcpy(buffer.data.get(), &index, sizeof index);
    sample.set_encoded("image", std::move(buffer));
    sample.set_label("label", static_cast<int64_t>(index));
  }

 private:
  const bool second_;
};

class ScriptFill final : public Scripted<Transform> {
 public:
  ScriptFill(Script& script, bool second) : Scripted(script, second ? "fill2" : "fill"), second_(second) {
    if (script_.on_make) script_.on_make();
  }
  void Open(OpenContext& context) override {
    Scripted::Open(context);
    if (script_.on_open) script_.on_open(context);
  }
  void Close() noexcept override {
    Scripted::Close();
    if (script_.on_close) script_.on_close();
  }
  void Process(Sample& sample, Context& context) const override {
    const auto& on_process =
        second_ && script_.on_process2 ? script_.on_process2 : script_.on_process;
    if (on_process) on_process(sample, context);
    uint64_t index = 0;
    std::memcpy(&index, sample.encoded("image").data.get(), sizeof index);
    Image& image = sample.MakeImage("image", kSide, kSide, 3);
    // Bytes that depend on the sample and on its random numbers.
    for (size_t i = 0; i < image.bytes(); ++i) image.data[i] = static_cast<uint8_t>(index * 31 + context.rng().NextU32() % 7);
    script_.processed.fetch_add(1);
  }

 private:
  const bool second_;
};

class ScriptDevice final : public Scripted<BatchTransform> {
 public:
  explicit ScriptDevice(Script& script) : Scripted(script, "device") {}
  Batch Process(const Batch& batch, BatchContext& context) override {
    if (script_.on_batch) return script_.on_batch(batch, context);
    return context.Derive(batch, batch.content().tensors, nullptr);
  }
};

class ScriptSink final : public Scripted<Consumer> {
 public:
  using RunFunction = std::function<void(RunContext&)> Script::*;
  ScriptSink(Script& script, std::string type, RunFunction run) : Scripted(script, std::move(type)), run_(run) {}
  void Run(RunContext& context) override { (script_.*run_)(context); }
  void Save(State& state) const override {
    if (script_.on_save) script_.on_save();
    state.Set("saved", true);
  }
  void Load(const State&) override {
    if (script_.on_load) script_.on_load();
  }
  void EnterPhase(const Consumer&, OpenContext& context) override {
    if (script_.on_phase) script_.on_phase(context);
  }

 private:
  const RunFunction run_;
};

}  // namespace

Declared DeclareStages(Script& script) {
  Declared all;
  const auto keep = [&all](const std::string& type, StageDeclaration declaration) {
    all[type] = std::make_unique<StageDeclaration>(std::move(declaration));
  };
  for (const bool second : {false, true}) {
    const std::string suffix = second ? "2" : "";
    Declaration<SourceParams> source;
    source.Type("test.source" + suffix, "Numbers.");
    source.Yields("image", Encoded());
    source.Yields("label", Label());
    source.Param("root", &SourceParams::root, "Where its files would lie.");
    keep("test.source" + suffix,
         std::move(source).Finish(StageKind::kSource, [&script, second](const SourceParams&) {
           return std::make_unique<ScriptSource>(script, second);
         }));
    Declaration<NoParams> fill;
    fill.Type("test.fill" + suffix, "Pixels from a number.");
    fill.Makes("image", Flow::kEncoded,
               [](const NoParams&) { return Pixels(kSide, kSide, 3); });
    keep("test.fill" + suffix,
         std::move(fill).Finish(StageKind::kTransform, [&script, second](const NoParams&) {
           return std::make_unique<ScriptFill>(script, second);
         }));
  }
  Declaration<NoParams> device;
  device.Type("test.device", "A device that isn't there.");
  keep("test.device",
       std::move(device).Finish(StageKind::kBatchTransform, [&script](const NoParams&) {
         return std::make_unique<ScriptDevice>(script);
       }));
  const auto consumer = [&](const std::string& type, ScriptSink::RunFunction run) {
    Declaration<NoParams> d;
    d.Type(type, "Does what the test says.");
    d.Input("in", {"image", "label"});
    if (type == "test.sink") d.Input("val").Optional();
    if (type == "test.observer") d.Observer();
    keep(type, std::move(d).Finish(StageKind::kConsumer, [&script, type, run](const NoParams&) {
      return std::make_unique<ScriptSink>(script, type.substr(type.find('.') + 1), run);
    }));
  };
  consumer("test.sink", &Script::run);
  consumer("test.second", &Script::run_second);
  consumer("test.observer", &Script::run_observer);
  return all;
}

void ScriptHost::Warn(const std::string& message) {
  const std::lock_guard lock(mutex);
  warnings.push_back(message);
}

void ScriptHost::BadSample(const graph::BadSampleInfo& info) {
  const std::lock_guard lock(mutex);
  bad.push_back(info);
}

void ScriptHost::SaveCheckpoint(const std::string& tag, double, const std::function<Value(const std::filesystem::path&)>& writer) {
  if (disk_full) throw Error("can't write run/checkpoints/" + tag + ": No space left on device");
  Value state = writer(".");
  const std::lock_guard lock(mutex);
  checkpoints.emplace_back(tag, std::move(state));
}

config::ValidatedGraph MakeGraph(const Declared& declared, const Settings& s) {
  const std::string chain = s.source.empty() ? "" : ", " + s.source;
  const std::string staging = R"({"type": "staging", )" + s.staging + "}";
  const std::string taken = s.device ? "device" : "staging";  // where the sink's batches come from
  std::string stages = R"("source": {"type": "test.source")" + chain +
                       R"(}, "fill": {"type": "test.fill"}, "staging": )" + staging;
  std::string edges = R"("source -> fill -> staging -> )";
  edges += s.device ? R"(device -> sink.in")" : R"(sink.in")";
  if (s.device) stages += R"(, "device": {"type": "test.device"})";
  if (s.second_chain || s.observer_alone) {
    stages += R"(, "source2": {"type": "test.source2")" + chain + R"(}, "fill2": {"type": "test.fill2"}, )"
              R"("staging2": )" + staging;
    edges += R"(, "source2 -> fill2 -> staging2 -> )";
    edges += s.observer_alone ? R"(watch")" : R"(sink.val")";
  }
  if (s.second_reader) edges += ", \"" + taken + R"( -> second")";
  if (s.second_reader) stages += R"(, "second": {"type": "test.second"})";
  if (s.observer) edges += ", \"" + taken + R"( -> watch")";
  if (s.second_observer) edges += ", \"" + taken + R"( -> watch2")";
  if (s.second_observer) stages += R"(, "watch2": {"type": "test.observer"})";
  if (s.watched_device) {
    stages += R"(, "device": {"type": "test.device"})";
    edges += R"(, "staging -> device -> watch")";
  }
  if (s.observer || s.observer_alone || s.watched_device) stages += R"(, "watch": {"type": "test.observer"})";
  std::string text = R"({"name": "scripted", "seed": )" + std::to_string(s.seed) + R"(, "stages": {)" +
                     stages + R"(, "sink": {"type": "test.sink"}}, "edges": [)" + edges +
                     R"(], "run": {)" + s.run + "}";
  if (!s.phases.empty()) text += R"(, "phases": [)" + s.phases + "]";
  text += "}";
  const auto stage = [&declared](const std::string& type, std::vector<std::string>&, std::string&) {
    const auto found = declared.find(type);
    return found == declared.end() ? nullptr : found->second.get();
  };
  return config::LoadText(text, "scripted.json", {}, {stage, {}});
}

ScriptedRun::ScriptedRun(Script& script, const Settings& settings, graph::ExecutorOptions options)
    : declared_(DeclareStages(script)), graph_(MakeGraph(declared_, settings)) {
  static std::atomic<int> counter{0};
  hash_file_ = std::filesystem::temp_directory_path() / ("flowtrain-hashes-" + std::to_string(getpid()) + "-" + std::to_string(counter++));
  std::filesystem::remove(hash_file_);  // of a process that had this number and was killed
  options.batch_hashes = hash_file_;
  executor_ = std::make_unique<graph::Executor>(graph_, host, metrics, options);
}

ScriptedRun::~ScriptedRun() {
  executor_.reset();
  std::filesystem::remove(hash_file_);
}

Result ScriptedRun::Run(const Value* resume) {
  Result result;
  executor_->Open(resume);
  const auto start = std::chrono::steady_clock::now();
  result.outcome = executor_->Run();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.peaks = executor_->peaks();
  result.bad = executor_->bad_samples();
  std::ifstream lines(hash_file_);
  for (std::string line; std::getline(lines, line);) result.hashes.insert(line);
  return result;
}

std::function<void(RunContext&)> TakeBatches(uint64_t batches, std::function<void(const Batch&)> look) {
  return [batches, look](RunContext& context) {
    for (uint64_t i = 0; i < batches; ++i) {
      const Batch batch = context.Pull("in");
      if (!batch) return;
      if (look) look(batch);
      context.Commit(batch, "in");
    }
  };
}

}  // namespace flowtrain::testing
