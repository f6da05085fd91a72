#include "pipeline/graph/phase_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "pipeline/graph/bounded_call.h"

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

std::string PhaseRun::End(bool interrupted, const std::string& tag) {
  gate->Stop(nullptr);
  for (const auto& runner : consumer_runners) runner->Stop();
  for (const auto& runner : batch_runners) runner->Stop();
  std::string abandoned;
  const auto abandon = [&abandoned](const std::string& name) {
    abandoned += (abandoned.empty() ? "" : ", ") + name;
  };
  const auto limit =
      interrupted ? Clock::duration(run.options.interrupt_limit) : Clock::duration(run.options.grace);
  bool dirty = false;
  for (const auto& runner : consumer_runners) {
    if (!runner->End(limit)) {
      runner->Detach();
      abandon(runner->name());
    }
    dirty |= !runner->observer() && runner->dirty();
  }
  if (abandoned.empty() && dirty && run.error()) {
    run.host.Warn("no checkpoint was written: what a failed run would save can't be trusted");
  } else if (abandoned.empty() && dirty) {
    try {
      SaveCheckpoint(tag, std::nan(""), nullptr);
    } catch (const std::exception& cause) {
      run.host.Warn(std::string("no checkpoint was written: ") + cause.what());
    }
  }
  const auto deadline = Clock::now() + run.options.grace;
  const auto left = [&] { return std::max(Clock::duration(0), deadline - Clock::now()); };
  for (const auto& runner : batch_runners) {
    if (!runner->End(left())) abandon(runner->name());
  }
  for (ChainRuntime& chain : chains) {
    if (!chain.reader->End(left())) abandon(chain.config->source.name);
  }
  // Where no body is at work the graph is about to be through, even if the time is up: until then workers
  // may still hand on what DropBatches would take from under them.
  while (!flow->End(left())) {
    std::set<std::string> stuck;  // each once, however many workers are in it
    for (const Work::Running& running : flow->running()) {
      stuck.insert(chains[running.chain].config->transforms[running.stage].name);
    }
    for (const std::string& name : stuck) abandon(name);
    if (!stuck.empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!abandoned.empty()) return abandoned;
  for (const auto& queue : queues) queue->Clear();
  for (ChainRuntime& chain : chains) chain.collector->DropBatches();
  if (!reaper->Drain(left())) return "a fence that a released batch waits for";
  BoundedCall close([this] { CloseStages(); });
  if (!close.Wait(left())) return run.at_work();
  return {};
}

void PhaseRun::CloseStages() {
  const auto close = [this](Stage& stage, const std::string& name) {
    run.SetAtWork(name);
    stage.Close();
  };
  for (size_t i = 0; i < batch_transforms.size(); ++i) {
    close(*batch_transforms[i], graph.batch_transforms[i].name);
  }
  for (ChainRuntime& chain : chains) {
    for (size_t i = 0; i < chain.transforms.size(); ++i) {
      close(*chain.transforms[i], chain.config->transforms[i].name);
    }
    close(*chain.source, chain.config->source.name);
    for (size_t i = chain.upstream.size(); i-- > 0;) close(*chain.upstream[i], chain.config->upstream[i].node.name);
  }
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
    totals.waited_s += runner->waited_s();
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
  }
  return text;
}

}  // namespace flowtrain::graph
