#include "train/scripted_run.h"

#include "train/plugin.h"

namespace flowtrain::train::test {

ScriptedRun::ScriptedRun(const Value& params, const BatchShape& shape, const SavedRun* resume,
                         const std::vector<Provision>& provisions) {
  testing::TestOpenContext open;
  open.provisions = provisions;
  open.resumes = resume != nullptr;
  for (const char* name : {"train", "val"}) {
    Stream stream;
    stream.info = InfoOf(shape);
    // A validation sees the same batches each time.
    const bool val = std::string_view(name) == "val";
    stream.make = [shape, val](uint64_t epoch, uint64_t index) {
      BatchContent content = FitContent(shape, val ? 1000 : epoch, index);
      content.epoch = epoch;
      return content;
    };
    if (resume != nullptr) stream.committed = resume->committed.at(name);
    stream.pulled = stream.committed;
    open.inputs.emplace(name, stream.info);
    streams.emplace(name, std::move(stream));
  }
  consumer_ = testing::Make<Consumer>(Plugin().Find("train.segmentation"), params, open);
  if (resume != nullptr) consumer_->Load(State(resume->folder, resume->values));
}

ScriptedRun::~ScriptedRun() { consumer_->Close(); }

const ScriptedRun::Stream& ScriptedRun::Find(std::string_view input) const {
  const auto found = streams.find(input);
  if (found == streams.end()) throw Error("no input \"" + std::string(input) + "\"");
  return found->second;
}

Batch ScriptedRun::Pull(std::string_view input) {
  auto& stream = const_cast<Stream&>(Find(input));
  if (stopped_ || stream.pulled >= stream.stop_at) {
    stopped_ = true;
    return {};
  }
  const uint64_t number = stream.pulled++, per_epoch = stream.info.batches_per_epoch;
  return Batch::Create(stream.make(number / per_epoch, number % per_epoch));
}

void ScriptedRun::Commit(const Batch& batch, std::string_view input) {
  auto& stream = const_cast<Stream&>(Find(input));
  stream.committed = batch.epoch() * stream.info.batches_per_epoch + batch.index() + 1;
}

SavedRun ScriptedRun::Save() {
  SavedRun saved{folder_ / std::to_string(saves_++), {}, {}};
  std::filesystem::create_directory(saved.folder);
  State state(saved.folder, Value(Value::Object{}));
  consumer_->Save(state);
  saved.values = state.values();
  for (const auto& [name, stream] : streams) saved.committed[name] = stream.committed;
  return saved;
}

bool ScriptedRun::Checkpoint(const std::string& tag, double metric) {
  checkpoints.push_back({tag, metric, Save().values.At("step").AsInteger()});
  return true;
}

std::vector<double> ScriptedRun::Recorded(const std::string& kind, const std::string& key) const {
  std::vector<double> values;
  for (const Value& record : records) {
    if (record.At("kind").AsString() == kind) values.push_back(record.At(key).AsNumber());
  }
  return values;
}

std::string ScriptedRun::summary_of(const std::string& name) const {
  const auto found = summaries.find(name);
  return found == summaries.end() ? "" : found->second;
}

}  // namespace flowtrain::train::test
