#include "pipeline/graph/phase_run.h"

#include <algorithm>
#include <cstdio>

namespace flowtrain::graph {

using Clock = std::chrono::steady_clock;

PhaseRun::PhaseRun(RunParts& r, const config::ValidatedGraph& g, PhaseInfo i)
    : run(r), graph(g), info(std::move(i)) {}

PhaseRun::~PhaseRun() {
  readings.clear();
  consumer_runners.clear();
  batch_transforms.clear();
  for (const auto& queue : queues) queue->Clear();
  for (ChainRuntime& chain : chains) {
    if (chain.collector) chain.collector->DropBatches();
  }
  reaper.reset();
}

void PhaseRun::Start() {
  flow->Start();
  for (const auto& runner : consumer_runners) runner->Start();
  for (const auto& runner : batch_runners) runner->Start();
  for (ChainRuntime& chain : chains) chain.reader->Start();
}

bool PhaseRun::MainConsumersEnded() const {
  bool any_main = false, all_ended = true, mains_ended = true;
  for (const auto& runner : consumer_runners) {
    const bool ended = runner->ended();
    all_ended &= ended;
    if (runner->observer()) continue;
    any_main = true;
    mains_ended &= ended;
  }
  return any_main ? mains_ended : all_ended;
}

std::string PhaseRun::HeldBatches() const {
  const auto deadline = Clock::now() + run.options.grace;
  for (;;) {
    std::string held;
    for (const ChainRuntime& chain : chains) {
      if (gate->view().chains[chain.index].handed > 0) held = chain.config->staging;
    }
    for (const auto& runner : batch_runners) {
      if (runner->residents().in_use() > 0) held = runner->name();
    }
    if (held.empty() || Clock::now() > deadline) return held;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // fences may pass late
  }
}

EpochsDone PhaseRun::epochs_done() const {
  EpochsDone done;
  for (const ChainRuntime& chain : chains) {
    const uint64_t per_epoch = chain.info.batches_per_epoch;
    uint64_t batches = 0;
    bool committed = false;
    for (const auto& runner : consumer_runners) {
      for (const auto& input : runner->inputs()) {
        if (runner->observer() || input->queue == nullptr || input->chain != chain.index) continue;
        batches = std::max(batches, input->committed);
        committed = true;
      }
    }
    if (!committed) batches = gate->view().chains[chain.index].next_batch;
    done[chain.config->source.name] = (batches + per_epoch - 1) / per_epoch;
  }
  return done;
}

Totals PhaseRun::totals() const {
  Totals totals;
  for (const auto& runner : consumer_runners) {
    if (runner->observer()) continue;
    totals.images += runner->rows();
    totals.waited_s = std::max(totals.waited_s, runner->waited_s());
  }
  return totals;
}

std::string PhaseRun::settings() const {
  char line[256];
  std::string text;
  if (info.count > 1) {
    std::snprintf(line, sizeof line, "  phase       %d of %d, \"%s\": %llu epochs\n", info.index + 1, info.count, info.name.c_str(),
                  static_cast<unsigned long long>(info.epochs));
    text += line;
  }
  std::snprintf(line, sizeof line, "  workers     %d, tokens %d (%s)\n", run.workers,
                gate->view().tokens, run.granted.why.c_str());
  text += line;
  for (const ChainRuntime& chain : chains) {
    const Gate::ChainView view = gate->view().chains[chain.index];
    std::snprintf(line, sizeof line,
                  "  %-11s %d I/O threads, read-ahead %d; %llu batches of %d an epoch; %d slots, "
                  "%.1f MiB%s\n",
                  chain.config->source.name.c_str(), chain.config->source_params.io_threads,
                  view.read_ahead, static_cast<unsigned long long>(chain.info.batches_per_epoch),
                  chain.info.batch, view.slots,
                  static_cast<double>(chain.slots->bytes()) / (1 << 20),
                  chain.slots->pinned() ? " page-locked" : "");
    text += line;
    if (chain.cache != nullptr) text += "              cache: " + chain.cache->Describe() + "\n";
  }
  return text;
}

}  // namespace flowtrain::graph
