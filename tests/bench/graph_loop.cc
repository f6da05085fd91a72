#include "bench/graph_loop.h"

#include <flowtrain/testing/made_stage.h>

#include <cstring>
#include <map>

#include "engine/harness.h"

namespace flowtrain::bench {
namespace {

constexpr uint64_t kWarmUp = 4;  // batches: the slots are filled, the workers' scratch has grown

struct Nothing {};

// What the bench's own stages work on; the graph has no way to hand it to them.
struct Task {
  const std::vector<File>* files = nullptr;
  uint64_t batches = 0;
  Cost cost;
};

class Memory final : public Source {
 public:
  explicit Memory(const Task& task) : task_(task) {}
  uint64_t Size() const override { return 1 << 20; }
  void Read(uint64_t index, Sample& sample, ReadContext&) const override {
    sample.set_label("label", static_cast<int64_t>(index));
    if (task_.files->empty()) return;
    const File& file = (*task_.files)[index % task_.files->size()];
    Buffer buffer = Buffer::Allocate(file.size());
    std::memcpy(buffer.data.get(), file.data(), file.size());
    sample.set_encoded("image", std::move(buffer));
  }

 private:
  const Task& task_;
};

class Empty final : public Transform {
 public:
  void Process(Sample&, Context&) const override {}
};

class Drop final : public Consumer {
 public:
  explicit Drop(Task& task) : task_(task) {}
  void Run(RunContext& context) override {
    Cost before;
    uint64_t rows = 0;
    for (uint64_t taken = 0; taken < kWarmUp + task_.batches; ++taken) {
      const Batch batch = context.Pull("in");
      if (!batch) return;
      context.Commit(batch, "in");
      if (taken + 1 == kWarmUp) before = Now();
      if (taken >= kWarmUp) rows += static_cast<uint64_t>(batch.rows());
    }
    task_.cost = Now() - before;
    task_.cost.samples = rows;
  }

 private:
  Task& task_;
};

std::map<std::string, StageDeclaration> Own(Task& task) {
  std::map<std::string, StageDeclaration> own;
  Declaration<Nothing> source, empty, sink;
  source.Type("bench.memory", "Encoded images from memory.");
  if (!task.files->empty()) source.Yields("image", Encoded());
  source.Yields("label", Label());
  own.emplace("bench.memory", std::move(source).Finish(StageKind::kSource, [&task](const Nothing&) {
    return std::make_unique<Memory>(task);
  }));
  empty.Type("bench.empty", "Does nothing.");
  own.emplace("bench.empty", std::move(empty).Finish(StageKind::kTransform, [](const Nothing&) {
    return std::make_unique<Empty>();
  }));
  sink.Type("bench.drop", "Drops batches.");
  sink.Input("in");
  own.emplace("bench.drop", std::move(sink).Finish(StageKind::kConsumer, [&task](const Nothing&) {
    return std::make_unique<Drop>(task);
  }));
  return own;
}

config::ValidatedGraph LoadGraph(const GraphSettings& s, const config::Lookup& lookup) {
  const std::string text =
      R"({"stages": {"memory": {"type": "bench.memory")" + s.source + "}, " + s.transforms +
      R"("staging": {"type": "staging", "batch": )" + std::to_string(s.batch) +
      R"(}, "drop": {"type": "bench.drop"}}, "edges": ["memory -> )" + s.chain +
      R"(staging -> drop"], "run": {"threads": )" + std::to_string(s.workers) + "}}";
  return config::LoadText(text, "bench.json", {}, lookup);
}

config::Lookup LookupWith(const std::map<std::string, StageDeclaration>& own, plugin::Loader& loader) {
  const auto stage = [&own, &loader](const std::string& type, std::vector<std::string>& known,
                                     std::string& why) -> const StageDeclaration* {
    const auto found = own.find(type);
    return found != own.end() ? &found->second : loader.Find(type, known, why);
  };
  return {stage, {}};
}

}  // namespace

Cost RunGraph(const GraphSettings& settings, const std::vector<File>& files, plugin::Loader& loader) {
  Task task{&files, (settings.samples + settings.batch - 1) / settings.batch, {}};
  const auto own = Own(task);
  const config::ValidatedGraph graph = LoadGraph(settings, LookupWith(own, loader));
  testing::ScriptHost host;
  metrics::RunMetrics metrics;
  graph::Executor executor(graph, host, metrics, {});
  executor.Open();
  const graph::Outcome outcome = executor.Run();
  if (outcome.kind != graph::Outcome::kDone) throw Error("the graph failed: " + outcome.error);
  return task.cost;
}

Stages OpenStages(const GraphSettings& settings, plugin::Loader& loader) {
  const std::vector<File> one(1);
  Task task{&one, 0, {}};
  const auto own = Own(task);
  const config::ValidatedGraph graph = LoadGraph(settings, LookupWith(own, loader));
  Stages stages;
  stages.streams = graph.chains.at(0).streams;
  for (const config::StageNode& node : graph.chains.at(0).transforms) {
    testing::TestOpenContext open;
    std::unique_ptr<Stage> stage = node.declaration->create(node.params);
    stage->Open(open);
    stages.transforms.emplace_back(dynamic_cast<Transform*>(stage.release()));
  }
  return stages;
}

}  // namespace flowtrain::bench
