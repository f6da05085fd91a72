// The start of a phase: stages are made and opened in the order in which data flows, so that each batch
// stage knows what will arrive. The batch side is in phase_batches.cc.
#include "pipeline/graph/phase_run.h"

#include <flowtrain/error.h>

#include <algorithm>

#include "pipeline/graph/bounds.h"
#include "pipeline/graph/chain_cache.h"
#include "pipeline/graph/make_stage.h"
#include "pipeline/graph/upstream_source.h"

namespace flowtrain::graph {
namespace {

BadPolicy PolicyOf(const config::SourceParams& params) {
  if (params.on_bad == "mark") return BadPolicy::kMark;
  if (params.on_bad == "fail") return BadPolicy::kFail;
  if (params.on_bad == "replace" || params.sampler.shuffle) return BadPolicy::kReplace;
  return BadPolicy::kMark;
}

std::vector<NamedSource> SourcesInto(const std::string& stage, const ChainRuntime& chain) {
  std::vector<NamedSource> sources;
  for (size_t i = 0; i < chain.upstream.size(); ++i) {
    const config::UpstreamNode& upstream = chain.config->upstream[i];
    if (upstream.into == stage) sources.push_back({upstream.node.name, *chain.upstream[i]});
  }
  return sources;
}

}  // namespace

StageOpenContext::Run PhaseRun::OpenRun() const {
  return {run.host, run.metrics, graph.seed, info, run.granted.count, graph.file, [this] { return run.stopped(); }, run.options.find_provided};
}

void PhaseRun::OpenStage(Stage& stage, const config::StageNode& node, StageOpenContext& context, OpenedStages& opened) {
  OpenNamed(run, stage, node, context);
  opened.Add(stage, node.name);
  if (run.stopped()) throw Cancelled();
}

void PhaseRun::Open(const PhaseStart& start) {
  chains.resize(graph.chains.size());
  std::vector<Gate::ChainSettings> settings;
  for (size_t c = 0; c < chains.size(); ++c) {
    chains[c].config = &graph.chains[c];
    chains[c].index = static_cast<int>(c);
    settings.push_back(OpenChain(chains[c], start));
  }
  gate = std::make_unique<Gate>(std::move(settings), kTokensAWorker * run.workers);
  reaper = std::make_unique<FenceReaper>([this](std::exception_ptr cause) { run.Fail(std::move(cause)); });
  OpenBatchTransforms();
  OpenConsumers(start);
  MakeCollectors();
  MakeBatchRunners();
  MakeConsumerRunners(start);
  Connect();
  PublishPools();
}

void PhaseRun::OpenUpstream(ChainRuntime& chain) {
  const StageOpenContext::Run open_run = OpenRun();
  for (const auto& [node, into] : chain.config->upstream) {
    auto source = std::make_unique<UpstreamSource>(MakeStage<Source>(run, node), node.name, run.metrics.Stage(node.name));
    StageOpenContext context(open_run, node, {}, SourcesInto(node.name, chain));
    chain.upstream.push_back(std::move(source));
    OpenStage(*chain.upstream.back(), node, context, open_stages);
    chain.sample_sets.push_back(SampleSetOf(*chain.upstream.back(), node));
  }
}

Gate::ChainSettings PhaseRun::OpenChain(ChainRuntime& chain, const PhaseStart& start) {
  const StageOpenContext::Run open_run = OpenRun();
  const config::SourceParams& params = chain.config->source_params;
  const config::StagingParams& staging = chain.config->staging_params;
  chain.policy = PolicyOf(params);
  chain.cache = CacheOf(run, graph.file, *chain.config);
  OpenUpstream(chain);
  chain.source = MakeStage<Source>(run, chain.config->source);
  StageOpenContext context(open_run, chain.config->source, {}, SourcesInto(chain.config->source.name, chain));
  OpenStage(*chain.source, chain.config->source, context, open_stages);
  chain.sample_sets.push_back(SampleSetOf(*chain.source, chain.config->source));
  const uint64_t size = chain.sample_sets.back().size;
  CheckSamples(chain, start);
  for (const config::StageNode& node : chain.config->transforms) {
    chain.transforms.push_back(MakeStage<Transform>(run, node));
    StageOpenContext transform_context(open_run, node, {});
    OpenStage(*chain.transforms.back(), node, transform_context, open_stages);
  }
  const Sampler sampler = [&] {
    try {
      return Sampler({size, staging.batch, staging.last_batch, params.sampler.shuffle, graph.seed, params.sampler.rank, params.sampler.world_size});
    } catch (const std::exception& error) {
      throw OpenRefused(graph.file + ": /stages/" + chain.config->staging + ": " + error.what());
    }
  }();
  chain.info.batch = staging.batch;
  chain.info.batches_per_epoch = sampler.batches_per_epoch();
  chain.info.samples_per_epoch = sampler.samples_per_epoch();
  run.SetAtWork(chain.config->staging);  // touching every page may take its time
  try {
    chain.slots = std::make_unique<SlotStore>(chain.config->rows, staging.batch, staging.slots, staging.pinned);
  } catch (const Error& error) {
    throw OpenRefused(graph.file + ": /stages/" + chain.config->staging + ": " + error.what());
  }
  chain.info.tensors = chain.slots->Content(0, 0).tensors;
  for (Tensor& tensor : chain.info.tensors) tensor.data = nullptr;
  chain.info.connected = true;
  return {sampler, ReadAheadOf(params), params.read_ahead_bytes.value, staging.slots, FirstBatch(chain, start)};
}

void PhaseRun::Connect() {
  for (ChainRuntime& chain : chains) {
    auto stages = std::make_unique<ChainStages>();
    stages->config = chain.config;
    stages->seed = graph.seed;
    stages->slots = chain.slots.get();
    stages->warn = [this](const std::string& message) { run.WarnOnce(message); };
    for (size_t t = 0; t < chain.transforms.size(); ++t) {
      stages->transforms.push_back(chain.transforms[t].get());
      stages->series.push_back(run.metrics.Stage(chain.config->transforms[t].name));
    }
    chain_stages.push_back(std::move(stages));
    const std::string& name = chain.config->source.name;
    chain.reader = std::make_unique<Reader>(*gate, chain.index, *chain.source, name, chain.config->source_params.io_threads,
                                            Counted(run, *chain.config, chain.cache), chain.policy, run.bad, run.metrics.Source(name), [this] { run.Wake(); });
  }
  flow = std::make_unique<Flow>(*gate, chain_stages, run.workers, [this](Work& work) { return chains[work.unit().chain].collector->Finish(work); });
  gate->SetHooks({[this] { flow->Reserve(); }, [this](int chain) { flow->Put(chain); }, [this](int chain) { return Demand(chain); }});
}

// A chain whose consumer waits goes first, then the one with the fewest batches ahead.
int PhaseRun::Demand(int chain) const {
  int demand = 0;
  for (const BatchQueue* queue : chains[chain].collector->outputs()) {
    if (queue->lossy() || queue->left()) continue;
    const int lacking = static_cast<int>(queue->capacity()) - static_cast<int>(queue->depth());
    demand = std::max(demand, lacking + (queue->someone_waits() ? 1 << 20 : 0));
  }
  return demand;
}

void PhaseRun::PublishPools() {
  const auto pool = [this](const std::string& name, std::function<double()> used, std::function<double()> capacity) {
    readings.push_back(run.metrics.AddPool(name, std::move(used), std::move(capacity)));
  };
  pool("compute", [this] { return gate->view().tokens_used; }, [this] { return gate->view().tokens; });
  for (const ChainRuntime& chain : chains) {
    const int c = chain.index;
    pool(chain.config->source.name + ".read_ahead", [this, c] { return gate->view().chains[c].read_ahead_used; },
         [this, c] { return gate->view().chains[c].read_ahead; });
    pool(chain.config->source.name + ".io_threads", [r = chain.reader.get()] { return r->busy().reads; },
         [&chain] { return chain.config->source_params.io_threads; });
    if (chain.cache != nullptr) {
      readings.push_back(run.metrics.AddCache(chain.config->source.name, [cache = chain.cache]() -> metrics::CacheReading {
        const storage::CacheUse use = cache->use();
        return {static_cast<double>(use.bytes), static_cast<double>(use.capacity), static_cast<double>(use.evictions)};
      }));
    }
    pool(chain.config->staging + ".slots", [this, c] { return gate->view().chains[c].slots_used; },
         [this, c] { return gate->view().chains[c].slots; });
  }
  for (const auto& runner : batch_runners) {
    pool(runner->name() + ".residents", [r = runner.get()] { return r->residents().in_use(); }, [r = runner.get()] { return r->residents().count(); });
  }
  for (const auto& queue : queues) {
    readings.push_back(run.metrics.AddQueue(queue->name(), [q = queue.get()] { return static_cast<double>(q->depth()); },
                                            [q = queue.get()] { return static_cast<double>(q->capacity()); }));
  }
}

}  // namespace flowtrain::graph
