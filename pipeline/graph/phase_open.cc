// The start of a run: stages are made and opened in the order in which data flows, so that each batch
// stage knows what will arrive.
#include <flowtrain/error.h>

#include <algorithm>

#include "pipeline/graph/executor_core.h"
#include "pipeline/graph/open_context.h"
#include "pipeline/memory/cuda_driver.h"

namespace flowtrain::graph {
namespace {

constexpr int kTokensAWorker = 2;   // 1: .990/1.002 of a bare loop, 2: .988/1.003, 4: .975/.994 (1 and 2 workers)
constexpr int kLeastReadAhead = 16;  // twice the I/O threads, but not less: once loses 10%, four times gains nothing

template <class Kind>
std::unique_ptr<Kind> Make(const config::StageNode& node) {
  try {
    std::unique_ptr<Stage> stage = node.declaration->create(node.params);
    auto* made = dynamic_cast<Kind*>(stage.get());
    if (made == nullptr) throw Error("the plugin made something that is no " + std::string(StageKindName(node.declaration->kind)));
    stage.release();
    return std::unique_ptr<Kind>(made);
  } catch (...) {
    std::rethrow_exception(WithPlace(node.name, ""));
  }
}

void OpenStage(Stage& stage, const config::StageNode& node, StageOpenContext& context) {
  try {
    stage.Open(context);
  } catch (const OpenRefused&) {
    throw;
  } catch (...) {
    std::rethrow_exception(WithPlace(node.name, ""));
  }
}

BadPolicy PolicyOf(const config::SourceParams& params) {
  if (params.on_bad == "mark") return BadPolicy::kMark;
  if (params.on_bad == "fail") return BadPolicy::kFail;
  if (params.on_bad == "replace" || params.sampler.shuffle) return BadPolicy::kReplace;
  return BadPolicy::kMark;
}

}  // namespace

// The batch a chain begins with: the earliest that one of its consumers has not committed.
uint64_t Executor::Core::FirstBatch(const ChainRuntime& chain, const Value* resume) const {
  if (resume == nullptr) return 0;
  std::optional<uint64_t> first;
  std::vector<std::string> stages{chain.config->staging};
  for (size_t i = 0; i < stages.size(); ++i) {
    for (const config::BatchEdge& edge : graph.batch_edges) {
      if (edge.from != stages[i]) continue;
      stages.push_back(edge.to);
      const Value* consumers = resume->Find("consumers");
      const Value* consumer = consumers ? consumers->Find(edge.to) : nullptr;
      const Value* inputs = consumer ? consumer->Find("inputs") : nullptr;
      const Value* committed = inputs ? inputs->Find(edge.port) : nullptr;
      if (committed == nullptr) continue;
      const auto batch = static_cast<uint64_t>(committed->AsInteger());
      first = first ? std::min(*first, batch) : batch;
    }
  }
  return first.value_or(0);
}

void Executor::Core::OpenChains(const Value* resume) {
  const StageOpenContext::Run run{host, metrics, graph.seed, granted.count, graph.file, [this] {
                                    const std::lock_guard lock(mutex);
                                    return stop_asked;
                                  }};
  chains.resize(graph.chains.size());
  std::vector<Gate::ChainSettings> settings;
  for (size_t c = 0; c < chains.size(); ++c) {
    ChainRuntime& chain = chains[c];
    chain.config = &graph.chains[c];
    chain.index = static_cast<int>(c);
    const config::SourceParams& params = chain.config->source_params;
    const config::StagingParams& staging = chain.config->staging_params;
    chain.policy = PolicyOf(params);
    chain.source = Make<Source>(chain.config->source);
    StageOpenContext context(run, chain.config->source, {});
    OpenStage(*chain.source, chain.config->source, context);
    if (run.stopped()) throw Cancelled();
    const uint64_t size = chain.source->Size();
    if (size == 0) throw Error(chain.config->source.name + ": it has no samples");
    for (const config::StageNode& node : chain.config->transforms) {
      chain.transforms.push_back(Make<Transform>(node));
      StageOpenContext transform_context(run, node, {});
      OpenStage(*chain.transforms.back(), node, transform_context);
    }
    try {
      Sampler sampler({size, staging.batch, staging.last_batch, params.sampler.shuffle, graph.seed, params.sampler.rank, params.sampler.world_size});
      chain.info.batch = staging.batch;
      chain.info.batches_per_epoch = sampler.batches_per_epoch();
      chain.info.samples_per_epoch = sampler.samples_per_epoch();
      const int read_ahead = params.read_ahead > 0 ? params.read_ahead : std::max(kLeastReadAhead, 2 * params.io_threads);
      settings.push_back({std::move(sampler), read_ahead, params.read_ahead_bytes.value, staging.slots, FirstBatch(chain, resume)});
    } catch (const std::exception& error) {
      throw OpenRefused(graph.file + ": /stages/" + chain.config->staging + ": " + error.what());
    }
    chain.slots = std::make_unique<SlotStore>(chain.config->rows, staging.batch, staging.slots, staging.pinned);
    chain.info.tensors = chain.slots->Content(0, 0).tensors;
    for (Tensor& tensor : chain.info.tensors) tensor.data = nullptr;
    chain.info.connected = true;
  }
  gate = std::make_unique<Gate>(std::move(settings), kTokensAWorker * workers);
  reaper = std::make_unique<FenceReaper>();
}

const InputInfo& Executor::Core::InfoOf(const std::string& stage) const {
  for (const ChainRuntime& chain : chains) {
    if (chain.config->staging == stage) return chain.info;
  }
  for (const config::BatchEdge& edge : graph.batch_edges) {
    if (edge.to == stage) return InfoOf(edge.from);
  }
  throw Error("nothing arrives at " + stage);
}

void Executor::Core::OpenBatchStages(const Value* resume, const std::filesystem::path& folder) {
  const StageOpenContext::Run run{host, metrics, graph.seed, granted.count, graph.file, [this] {
                                    const std::lock_guard lock(mutex);
                                    return stop_asked;
                                  }};
  const auto inputs_of = [this](const config::StageNode& node) {
    std::vector<std::pair<std::string, InputInfo>> inputs;
    for (const InputPort& port : node.declaration->inputs) {
      InputInfo info;
      for (const config::BatchEdge& edge : graph.batch_edges) {
        if (edge.to == node.name && edge.port == port.name) info = InfoOf(edge.from);
      }
      inputs.emplace_back(port.name, std::move(info));
    }
    return inputs;
  };
  for (const config::StageNode& node : graph.batch_transforms) {
    batch_transforms.push_back(Make<BatchTransform>(node));
    StageOpenContext context(run, node, inputs_of(node));
    OpenStage(*batch_transforms.back(), node, context);
    if (run.stopped()) throw Cancelled();
  }
  for (const config::StageNode& node : graph.consumers) {
    consumers.push_back(Make<Consumer>(node));
    StageOpenContext context(run, node, inputs_of(node));
    OpenStage(*consumers.back(), node, context);
    if (run.stopped()) throw Cancelled();
    const Value* saved = resume ? resume->Find("consumers") : nullptr;
    saved = saved ? saved->Find(node.name) : nullptr;
    if (saved == nullptr) continue;
    try {
      consumers.back()->Load(State(folder, saved->At("state")));
    } catch (...) {
      std::rethrow_exception(WithPlace(node.name, ""));
    }
  }

  const auto failed = [this](std::exception_ptr cause) { Fail(std::move(cause)); };
  const auto queue_to = [this](const std::string& to, const std::string& port, bool lossy) -> BatchQueue* {
    for (const config::BatchEdge& edge : graph.batch_edges) {
      if (edge.to != to || edge.port != port) continue;
      size_t capacity = 0;
      for (const ChainRuntime& chain : chains) {
        if (chain.config->staging == edge.from) capacity = static_cast<size_t>(chain.config->staging_params.slots);
      }
      for (const auto& runner : batch_runners) {
        if (runner->name() == edge.from) capacity = static_cast<size_t>(runner->residents().count());
      }
      queues.push_back(std::make_unique<BatchQueue>(edge.from + "->" + edge.to + "." + edge.port, lossy ? 1 : capacity, lossy));
      for (ChainRuntime& chain : chains) {
        if (chain.config->staging == edge.from) chain.collector->AddOutput(queues.back().get());
      }
      for (const auto& runner : batch_runners) {
        if (runner->name() == edge.from) runner->AddOutput(queues.back().get());
      }
      return queues.back().get();
    }
    return nullptr;
  };
  for (ChainRuntime& chain : chains) {
    chain.collector = std::make_unique<Collector>(
        Collector::Settings{chain.index, chain.policy, hashes != nullptr, options.poison_freed_slots, chain.config->staging},
        *gate, *chain.slots, *reaper, bad, metrics.Stage(chain.config->staging), [this] { changed.notify_all(); });
  }
  // A batch transform's queue needs the runner before it: config lists them in the order data flows.
  for (size_t i = 0; i < batch_transforms.size(); ++i) {
    const config::StageNode& node = graph.batch_transforms[i];
    const int residents = node.declaration->residents ? node.declaration->residents(node.params) : 2;
    BatchQueue* input = queue_to(node.name, node.declaration->inputs.at(0).name, false);
    batch_runners.push_back(std::make_unique<BatchRunner>(node.name, *batch_transforms[i], residents, *input, *reaper, metrics.Stage(node.name), failed));
  }
  for (size_t i = 0; i < consumers.size(); ++i) {
    const config::StageNode& node = graph.consumers[i];
    ConsumerRunner::Hooks hooks;
    hooks.failed = failed;
    hooks.returned = [this] { changed.notify_all(); };
    hooks.demand_changed = [this] { gate->Poke(); };
    hooks.moved = [this] { moves.fetch_add(1, std::memory_order_relaxed); };
    hooks.checkpoint = [this, i](const std::string& tag, double metric) { SaveCheckpoint(tag, metric, consumer_runners[i].get()); };
    consumer_runners.push_back(std::make_unique<ConsumerRunner>(node.name, *consumers[i], node.declaration->observer, host, metrics, hashes.get(), std::move(hooks)));
    auto inputs = inputs_of(node);
    for (auto& [port, info] : inputs) {
      auto input = std::make_unique<ConsumerInput>();
      input->port = port;
      input->info = std::move(info);
      input->queue = queue_to(node.name, port, node.declaration->observer);
      input->pull_wait = &metrics.PullWait(node.name, port);
      if (const Value* saved = resume ? resume->Find("consumers") : nullptr) {
        saved = saved->Find(node.name);
        saved = saved ? saved->Find("inputs") : nullptr;
        saved = saved ? saved->Find(port) : nullptr;
        if (saved != nullptr) input->committed = static_cast<uint64_t>(saved->AsInteger());
      }
      consumer_runners.back()->AddInput(std::move(input));
    }
  }
}

void Executor::Core::Connect() {
  for (ChainRuntime& chain : chains) {
    auto stages = std::make_unique<ChainStages>();
    stages->config = chain.config;
    stages->seed = graph.seed;
    stages->slots = chain.slots.get();
    stages->warn = [this](const std::string& message) { WarnOnce(message); };
    for (size_t t = 0; t < chain.transforms.size(); ++t) {
      stages->transforms.push_back(chain.transforms[t].get());
      stages->series.push_back(metrics.Stage(chain.config->transforms[t].name));
    }
    chain_stages.push_back(std::move(stages));
    const std::string& name = chain.config->source.name;
    chain.reader = std::make_unique<Reader>(*gate, chain.index, *chain.source, name, chain.config->source_params.io_threads,
                                            chain.policy, bad, metrics.Source(name), [this] { changed.notify_all(); });
  }
  flow = std::make_unique<Flow>(*gate, chain_stages, workers, [this](Work& work) { chains[work.unit().chain].collector->Finish(work); });
  gate->SetHooks({[this] { flow->Reserve(); }, [this](int chain) { flow->Put(chain); }, [this](int chain) { return Demand(chain); }});
}

// A chain whose consumer waits goes first, then the one with the fewest batches ahead.
int Executor::Core::Demand(int chain) const {
  int demand = 0;
  for (const BatchQueue* queue : chains[chain].collector->outputs()) {
    const int lacking = static_cast<int>(queue->capacity()) - static_cast<int>(queue->depth());
    demand = std::max(demand, lacking + (queue->someone_waits() ? 1 << 20 : 0));
  }
  return demand;
}

void Executor::Core::PublishPools() {
  const auto pool = [this](const std::string& name, std::function<double()> used, std::function<double()> capacity) {
    readings.push_back(metrics.AddPool(name, std::move(used), std::move(capacity)));
  };
  pool("compute", [this] { return gate->view().tokens_used; }, [this] { return gate->view().tokens; });
  for (const ChainRuntime& chain : chains) {
    const int c = chain.index;
    pool(chain.config->source.name + ".read_ahead", [this, c] { return gate->view().chains[c].read_ahead_used; },
         [this, c] { return gate->view().chains[c].read_ahead; });
    pool(chain.config->staging + ".slots", [this, c] { return gate->view().chains[c].slots_used; },
         [this, c] { return gate->view().chains[c].slots; });
  }
  for (const auto& runner : batch_runners) {
    pool(runner->name() + ".residents", [r = runner.get()] { return r->residents().in_use(); }, [r = runner.get()] { return r->residents().count(); });
  }
  for (const auto& queue : queues) {
    readings.push_back(metrics.AddQueue(queue->name(), [q = queue.get()] { return static_cast<double>(q->depth()); },
                                        [q = queue.get()] { return static_cast<double>(q->capacity()); }));
  }
}

void Executor::Core::WarnOnce(const std::string& message) {
  constexpr size_t kMost = 1000;  // distinct ones; more would be a flood
  {
    const std::lock_guard lock(mutex);
    if (warned.size() >= kMost || !warned.insert(message).second) return;
  }
  host.Warn(message);
}

}  // namespace flowtrain::graph
