// The batch side of a phase's start: batch transforms, consumers, and the queues between them.
#include <flowtrain/error.h>

#include <algorithm>

#include "pipeline/config/chain_of.h"
#include "pipeline/graph/bounds.h"
#include "pipeline/graph/make_stage.h"
#include "pipeline/graph/phase_run.h"

namespace flowtrain::graph {
const ChainRuntime& PhaseRun::ChainOf(const std::string& stage) const {
  return chains[&config::ChainOf(graph, stage) - graph.chains.data()];
}

std::vector<std::pair<std::string, InputInfo>> PhaseRun::InputsOf(const config::StageNode& node) const {
  std::vector<std::pair<std::string, InputInfo>> inputs;
  for (const InputPort& port : node.declaration->inputs) {
    InputInfo arriving;
    for (const config::BatchEdge& edge : graph.batch_edges) {
      if (edge.to == node.name && edge.port == port.name) arriving = ChainOf(edge.from).info;
    }
    inputs.emplace_back(port.name, std::move(arriving));
  }
  return inputs;
}

void PhaseRun::OpenBatchTransforms() {
  const StageOpenContext::Run open_run = OpenRun();
  for (const config::StageNode& node : graph.batch_transforms) {
    batch_transforms.push_back(MakeStage<BatchTransform>(run, node));
    StageOpenContext context(open_run, node, InputsOf(node));
    OpenStage(*batch_transforms.back(), node, context, open_stages);
  }
}

// Consumers are made in the run's first phase; later ones tell them what has changed.
void PhaseRun::OpenConsumers(const PhaseStart& start) {
  const StageOpenContext::Run open_run = OpenRun();
  const bool first = run.consumers.empty();
  for (size_t i = 0; i < graph.consumers.size(); ++i) {
    const config::StageNode& node = graph.consumers[i];
    const Value* saved = start.resume ? start.resume->Find("consumers") : nullptr;
    saved = saved ? saved->Find(node.name) : nullptr;
    StageOpenContext context(open_run, node, InputsOf(node), {}, /*resuming=*/saved != nullptr);
    if (!first) {
      const std::unique_ptr<Consumer> planned = MakeStage<Consumer>(run, node);
      try {
        run.consumers[i]->EnterPhase(*planned, context);
      } catch (const OpenRefused&) {
        throw;
      } catch (...) {
        std::rethrow_exception(WithPlace(node.name, ""));
      }
      continue;
    }
    run.consumers.push_back(MakeStage<Consumer>(run, node));
    OpenStage(*run.consumers.back(), node, context, run.open_consumers);
    if (saved == nullptr) continue;
    try {
      run.consumers.back()->Load(State(start.folder, saved->At("state")));
    } catch (...) {
      std::rethrow_exception(WithPlace(node.name, ""));
    }
  }
}

// The queue of the edge to an input, made and connected at its other end; null: no edge.
BatchQueue* PhaseRun::QueueTo(const std::string& stage, const std::string& port) {
  for (const config::BatchEdge& edge : graph.batch_edges) {
    if (edge.to != stage || edge.port != port) continue;
    const bool lossy = IsLossy(graph, edge);
    size_t capacity = 1;
    std::function<void(BatchQueue*)> connect;
    for (ChainRuntime& chain : chains) {
      if (chain.config->staging != edge.from) continue;
      capacity = static_cast<size_t>(chain.config->staging_params.slots);
      connect = [&chain](BatchQueue* queue) { chain.collector->AddOutput(queue); };
    }
    for (const auto& runner : batch_runners) {
      if (runner->name() != edge.from) continue;
      capacity = static_cast<size_t>(runner->residents().count());
      connect = [&runner](BatchQueue* queue) { runner->AddOutput(queue); };
    }
    if (lossy && capacity == 1) {
      run.WarnOnce(stage + " sees no batch: " + edge.from + " has one at a time, and training must not wait for who only looks; give it two");
    }
    queues.push_back(std::make_unique<BatchQueue>(edge.from + "->" + edge.to + "." + edge.port,
                                                  lossy ? kLossyQueue : capacity, lossy));
    connect(queues.back().get());
    return queues.back().get();
  }
  return nullptr;
}

void PhaseRun::MakeCollectors() {
  for (ChainRuntime& chain : chains) {
    chain.collector = std::make_unique<Collector>(
        Collector::Settings{chain.index, chain.policy, run.hashes != nullptr, run.options.poison_freed_slots, chain.config->staging},
        *gate, *chain.slots, *reaper, run.bad, run.metrics.Stage(chain.config->staging), [this] { run.Wake(); });
  }
}

// Config lists batch transforms in the order data flows: a queue needs the runner before it.
void PhaseRun::MakeBatchRunners() {
  for (size_t i = 0; i < batch_transforms.size(); ++i) {
    const config::StageNode& node = graph.batch_transforms[i];
    const int residents = ResidentsOf(node);
    BatchQueue* input = QueueTo(node.name, node.declaration->inputs.at(0).name);
    batch_runners.push_back(std::make_unique<BatchRunner>(node.name, *batch_transforms[i], residents, *input, *reaper, run.metrics.Stage(node.name),
                                                          [this](std::exception_ptr cause) { run.Fail(std::move(cause)); }));
  }
}

// Whether batches of the chain reach a consumer that is no observer.
bool PhaseRun::HasMainReader(const ChainRuntime& chain) const {
  return std::any_of(graph.batch_edges.begin(), graph.batch_edges.end(), [&](const config::BatchEdge& edge) {
    const auto reader = std::find_if(graph.consumers.begin(), graph.consumers.end(), [&](const auto& node) { return node.name == edge.to; });
    return reader != graph.consumers.end() && !reader->declaration->observer && &ChainOf(edge.from) == &chain;
  });
}

void PhaseRun::MakeConsumerRunners(const PhaseStart& start) {
  for (size_t i = 0; i < graph.consumers.size(); ++i) {
    const config::StageNode& node = graph.consumers[i];
    const bool observer = node.declaration->observer;
    ConsumerRunner::Hooks hooks;
    hooks.failed = [this](std::exception_ptr cause) { run.Fail(std::move(cause)); };
    hooks.returned = [this] { run.Wake(); };
    hooks.demand_changed = [this] { gate->Poke(); };
    hooks.moved = [this] { batch_moves.fetch_add(1, std::memory_order_relaxed); };
    hooks.pulled = [this](int chain, uint64_t batch) {
      try {
        run.bad.Tell(chain, batch);
      } catch (...) {  // the data's fault, not the consumer's
        run.Fail(std::current_exception());
      }
    };
    hooks.checkpoint = [this, i](const std::string& tag, double metric) { SaveCheckpoint(tag, metric, consumer_runners[i].get()); };
    consumer_runners.push_back(std::make_unique<ConsumerRunner>(node.name, *run.consumers[i], observer, info, run.host, run.metrics,
                                                                run.hashes.get(), std::move(hooks)));
    for (auto& [port, arriving] : InputsOf(node)) {
      auto input = std::make_unique<ConsumerInput>();
      input->port = port;
      input->info = std::move(arriving);
      input->queue = QueueTo(node.name, port);
      if (!observer) input->pull_wait = &run.metrics.PullWait(node.name, port);
      for (const config::BatchEdge& edge : graph.batch_edges) {
        if (edge.to != node.name || edge.port != port) continue;
        const ChainRuntime& chain = ChainOf(edge.from);
        input->chain = chain.index;
        input->decides = !observer || !HasMainReader(chain);
        const auto done = start.epochs_done.find(chain.config->source.name);
        if (done != start.epochs_done.end()) input->committed = done->second * chain.info.batches_per_epoch;
      }
      if (const Value* committed = CommittedOf(start.resume, node.name, port)) {
        input->committed = static_cast<uint64_t>(committed->AsInteger());
        const uint64_t per_epoch = input->info.batches_per_epoch;
        if (run.hashes && per_epoch > 0)
          run.hashes->DropFrom(node.name + "." + port, input->committed / per_epoch, input->committed % per_epoch);
      }
      consumer_runners.back()->AddInput(std::move(input));
    }
  }
}

}  // namespace flowtrain::graph
