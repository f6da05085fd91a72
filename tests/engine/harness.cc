#include "engine/harness.h"

#include <unistd.h>

#include <cstring>
#include <fstream>

namespace flowtrain::testing {
namespace {

constexpr int kSide = 4;  // pixels of a row's image

struct NoParams {};

class ScriptSource final : public Source {
 public:
  explicit ScriptSource(Script& script) : script_(script) {}
  uint64_t Size() const override { return script_.size; }
  void Read(uint64_t index, Sample& sample, ReadContext& context) const override {
    script_.reads.fetch_add(1);
    sample.path = "sample-" + std::to_string(index);
    if (script_.on_read) script_.on_read(index, context);
    Buffer buffer = Buffer::Allocate(sizeof index);
    std::memcpy(buffer.data.get(), &index, sizeof index);
    sample.set_encoded("image", std::move(buffer));
    sample.set_label("label", static_cast<int64_t>(index));
  }

 private:
  Script& script_;
};

class ScriptFill final : public Transform {
 public:
  explicit ScriptFill(Script& script) : script_(script) {}
  void Open(OpenContext& context) override {
    if (script_.on_open) script_.on_open(context);
  }
  void Close() noexcept override {
    if (script_.on_close) script_.on_close();
  }
  void Process(Sample& sample, Context& context) const override {
    if (script_.on_process) script_.on_process(sample, context);
    uint64_t index = 0;
    std::memcpy(&index, sample.encoded("image").data.get(), sizeof index);
    Image& image = sample.MakeImage("image", kSide, kSide, 3);
    // Bytes that depend on the sample and on its random numbers.
    for (size_t i = 0; i < image.bytes(); ++i) image.data[i] = static_cast<uint8_t>(index * 31 + context.rng().NextU32() % 7);
    script_.processed.fetch_add(1);
  }

 private:
  Script& script_;
};

class ScriptDevice final : public BatchTransform {
 public:
  explicit ScriptDevice(Script& script) : script_(script) {}
  Batch Process(const Batch& batch, BatchContext& context) override {
    if (script_.on_batch) return script_.on_batch(batch, context);
    return context.Derive(batch, batch.content().tensors, nullptr);
  }

 private:
  Script& script_;
};

class ScriptSink final : public Consumer {
 public:
  ScriptSink(Script& script, bool second) : script_(script), second_(second) {}
  void Run(RunContext& context) override { (second_ ? script_.run_second : script_.run)(context); }
  void Save(State& state) const override { state.Set("saved", true); }
  void EnterPhase(const Consumer&, OpenContext& context) override {
    if (script_.on_phase) script_.on_phase(context);
  }

 private:
  Script& script_;
  const bool second_;
};

// Declarations live as long as the process, as a registry's do; they find the script by its key.
StageDeclaration* Declare(StageDeclaration declaration) {
  static std::vector<std::unique_ptr<StageDeclaration>> kept;
  kept.push_back(std::make_unique<StageDeclaration>(std::move(declaration)));
  return kept.back().get();
}

std::map<std::string, StageDeclaration*> Declarations(Script& script) {
  std::map<std::string, StageDeclaration*> all;
  {
    Declaration<NoParams> d;
    d.Type("test.source", "Numbers.");
    d.Yields("image", Encoded());
    d.Yields("label", Label());
    all["test.source"] = Declare(std::move(d).Finish(StageKind::kSource, [&script](const NoParams&) { return std::make_unique<ScriptSource>(script); }));
  }
  {
    Declaration<NoParams> d;
    d.Type("test.fill", "Pixels from a number.");
    d.Makes("image", Flow::kEncoded, [](const NoParams&) { return Pixels(kSide, kSide, 3); });
    all["test.fill"] = Declare(std::move(d).Finish(StageKind::kTransform, [&script](const NoParams&) { return std::make_unique<ScriptFill>(script); }));
  }
  {
    Declaration<NoParams> d;
    d.Type("test.device", "A device that isn't there.");
    all["test.device"] = Declare(std::move(d).Finish(StageKind::kBatchTransform, [&script](const NoParams&) { return std::make_unique<ScriptDevice>(script); }));
  }
  for (const bool second : {false, true}) {
    Declaration<NoParams> d;
    const std::string type = second ? "test.second" : "test.sink";
    d.Type(type, "Does what the test says.");
    d.Input("in", {"image", "label"});
    if (!second) d.Input("val").Optional();
    all[type] = Declare(std::move(d).Finish(StageKind::kConsumer, [&script, second](const NoParams&) { return std::make_unique<ScriptSink>(script, second); }));
  }
  return all;
}

}  // namespace

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

config::ValidatedGraph MakeGraph(Script& script, const Settings& s) {
  const std::string chain = s.source.empty() ? "" : ", " + s.source;
  std::string text = R"({"name": "scripted", "seed": )" + std::to_string(s.seed) + R"(, "stages": {)" +
                     R"("source": {"type": "test.source")" + chain + R"(}, "fill": {"type": "test.fill"}, )" +
                     R"("staging": {"type": "staging", )" + s.staging + "}, ";
  if (s.device) text += R"("device": {"type": "test.device"}, )";
  if (s.second_chain) {
    text += R"("source2": {"type": "test.source"}, "fill2": {"type": "test.fill"}, "staging2": {"type": "staging", )" + s.staging + "}, ";
  }
  text += R"("sink": {"type": "test.sink"}}, "edges": ["source -> fill -> staging -> )";
  text += s.device ? "device -> sink.in\"" : "sink.in\"";
  if (s.second_chain) text += R"(, "source2 -> fill2 -> staging2 -> sink.val")";
  text += R"(], "run": {)" + s.run + "}";
  if (!s.phases.empty()) text += R"(, "phases": [)" + s.phases + "]";
  text += "}";
  auto declarations = Declarations(script);
  return config::LoadText(text, "scripted.json", {}, [declarations](const std::string& type, std::vector<std::string>&, std::string&) -> const StageDeclaration* {
    const auto found = declarations.find(type);
    return found == declarations.end() ? nullptr : found->second;
  });
}

ScriptedRun::ScriptedRun(Script& script, const Settings& settings, graph::ExecutorOptions options) : graph_(MakeGraph(script, settings)) {
  static std::atomic<int> counter{0};
  hash_file_ = std::filesystem::temp_directory_path() / ("flowtrain-hashes-" + std::to_string(getpid()) + "-" + std::to_string(counter++));
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
