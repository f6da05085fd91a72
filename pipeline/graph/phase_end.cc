// How a phase ends: consumers return, a checkpoint is written, and then all else returns and is closed.
#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "pipeline/graph/phase_run.h"

namespace flowtrain::graph {

using Clock = std::chrono::steady_clock;

// For consumers to return. Where another phase follows nothing is cut off: a slow read is no stuck one.
EndDeadline PhaseRun::DeadlineOf(Ending why) const {
  const Clock::duration grace = run.options.grace;
  const auto failed = [this] { return run.error() != nullptr; };
  switch (why) {
    case Ending::kBorder: {
      const std::chrono::duration<double> patience(graph.run.stall_timeout.seconds);
      return {std::chrono::duration_cast<Clock::duration>(patience), [this, failed] { return run.stopped() || failed(); }, grace};
    }
    case Ending::kInterrupted: return {run.options.interrupt_limit, failed, grace};
    default: return EndDeadline(grace);
  }
}

PhaseEnd PhaseRun::End(Ending why) {
  gate->Stop(nullptr);
  for (const auto& runner : consumer_runners) runner->Stop();
  for (const auto& runner : batch_runners) runner->Stop();
  const Clock::duration grace = run.options.grace;
  PhaseEnd end{std::nullopt, DeadlineOf(why)};
  const auto abandon = [&end](const std::string& name) { end.abandoned = end.abandoned ? *end.abandoned + ", " + name : name; };

  const bool any_main = std::any_of(consumer_runners.begin(), consumer_runners.end(), [](const auto& runner) { return !runner->observer(); });
  const auto end_consumers = [&](bool main) {
    for (const auto& runner : consumer_runners) {
      if (main == (any_main && runner->observer()) || end.deadline.Wait([&](auto limit) { return runner->End(limit); })) continue;
      runner->Detach();
      abandon(runner->name());
    }
  };
  // The checkpoint is the main consumers': it is written once they are through, whatever an observer does.
  end_consumers(true);
  const bool dirty = std::any_of(consumer_runners.begin(), consumer_runners.end(),
                                 [](const auto& runner) { return !runner->observer() && runner->dirty(); });
  if (dirty && !end.abandoned) SaveLast(why);
  // An error ends all within one grace; else what is left has one for itself, after the checkpoint.
  if (run.error()) {
    end.deadline.Shorten(grace);
  } else {
    end.deadline = why == Ending::kBorder ? DeadlineOf(why) : EndDeadline(grace);
  }
  end_consumers(false);
  for (const auto& runner : batch_runners) {
    if (end.deadline.Wait([&](auto limit) { return runner->End(limit); })) continue;
    runner->Detach();
    abandon(runner->name());
  }
  for (const ChainRuntime& chain : chains) {
    if (end.deadline.Wait([&](auto limit) { return chain.reader->End(limit); })) continue;
    chain.reader->Detach();
    abandon(chain.config->source.name);
  }
  // Where no body is at work the graph is about to be through, even if the time is up: until then workers
  // may still hand on what DropBatches would take from under them. Where a worker could not be started it
  // may never be.
  const EndDeadline at_last(end.deadline.left() + grace);
  while (!end.deadline.Wait([&](auto limit) { return flow->End(limit); })) {
    const std::set<std::string> stuck = StagesAtWork();
    for (const std::string& name : stuck) abandon(name);
    if (!stuck.empty()) break;
    if (at_last.left() == Clock::duration(0)) {
      abandon(Flow::kName);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (end.abandoned) return end;
  for (const auto& queue : queues) queue->Clear();
  for (ChainRuntime& chain : chains) chain.collector->DropBatches();
  run.bad.DropUntold();
  if (!end.deadline.Wait([&](auto limit) { return reaper->Drain(limit); })) {
    abandon(FenceReaper::kName);
    return end;
  }
  if (const auto stuck = open_stages.Close(run, end.deadline)) abandon(*stuck);
  return end;
}

// Each once, however many workers are in it.
std::set<std::string> PhaseRun::StagesAtWork() const {
  std::set<std::string> stages;
  for (const Work::Running& running : flow->running()) {
    stages.insert(chains[running.chain].config->transforms[running.stage].name);
  }
  return stages;
}

void PhaseRun::SaveLast(Ending why) {
  if (run.error()) return run.host.Warn("no checkpoint was written: what a failed run would save can't be trusted");
  const std::string tag = why == Ending::kLast ? "last" : why == Ending::kBorder ? "phase-" + info.name : "interrupted";
  try {
    SaveCheckpoint(tag, std::nan(""), nullptr);
  } catch (const std::exception& cause) {
    run.host.Warn(std::string("no checkpoint was written: ") + cause.what());
  }
}

}  // namespace flowtrain::graph
