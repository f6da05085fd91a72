// What a run that does not move holds and waits for, stage by stage.
#include <cstdio>

#include "pipeline/graph/stall_watch.h"

namespace flowtrain::graph {

using Clock = std::chrono::steady_clock;

bool StallWatch::Stalled() {
  const std::chrono::duration<double> timeout(phase_.graph.run.stall_timeout.seconds);
  bool excused = false;
  for (const ChainRuntime& chain : phase_.chains) excused |= chain.reader->busy().backing_off;
  for (const auto& runner : phase_.batch_runners) excused |= runner->busy();
  // A consumer at work may hold all that another waits for.
  for (const auto& runner : phase_.consumer_runners) {
    double seconds = 0;
    excused |= !runner->observer() && !runner->ended() && runner->waiting_for(seconds).empty();
  }
  const uint64_t moves = phase_.moves();
  if (moves != last_moves_ || excused) {
    last_moves_ = moves;
    last_move_at_ = Clock::now();
    return false;
  }
  if (Clock::now() - last_move_at_ <= timeout) return false;
  for (const auto& runner : phase_.consumer_runners) {
    double seconds = 0;
    if (!runner->observer() && !runner->waiting_for(seconds).empty() && seconds > timeout.count()) return true;
  }
  return false;
}

std::string PhaseRun::StallReport() const {
  char line[320];
  std::snprintf(line, sizeof line, "stall: nothing has moved for %.3g s while a consumer waits", graph.run.stall_timeout.seconds);
  std::string report = line;
  const Gate::View view = gate->view();
  std::snprintf(line, sizeof line, "\n  compute: %d of %d tokens in use", view.tokens_used, view.tokens);
  report += line;
  for (const ChainRuntime& chain : chains) {
    const Gate::ChainView& c = view.chains[chain.index];
    const Reader::Busy busy = chain.reader->busy();
    std::snprintf(line, sizeof line, "\n  %s: %d reads under way (the oldest for %.1f s), read-ahead %d of %d, %d samples to read again",
                  chain.config->source.name.c_str(), busy.reads, busy.oldest_s, c.read_ahead_used, c.read_ahead, c.retries);
    report += line;
    std::snprintf(line, sizeof line, "\n  %s: %d samples ready, %d permits out, %d of %d slots in use, batch %llu next with %d of %d rows",
                  chain.config->staging.c_str(), c.ready, c.permits, c.slots_used, c.slots,
                  static_cast<unsigned long long>(c.next_batch), c.rows_done, c.rows_wanted);
    report += line;
  }
  for (const Work::Running& running : flow->running()) {
    std::snprintf(line, sizeof line, "\n  %s: at position %llu for %.1f s", chains[running.chain].config->transforms[running.stage].name.c_str(),
                  static_cast<unsigned long long>(running.position),
                  std::chrono::duration<double>(Clock::now() - running.since).count());
    report += line;
  }
  for (const auto& runner : batch_runners) {
    std::snprintf(line, sizeof line, "\n  %s: %d of %d residents in use%s", runner->name().c_str(), runner->residents().in_use(),
                  runner->residents().count(), runner->busy() ? ", at work" : "");
    report += line;
  }
  for (const auto& queue : queues) {
    std::snprintf(line, sizeof line, "\n  %s: %zu of %zu batches wait", queue->name().c_str(), queue->depth(), queue->capacity());
    report += line;
  }
  for (const auto& runner : consumer_runners) {
    double seconds = 0;
    const std::string waiting = runner->waiting_for(seconds);
    if (waiting.empty()) continue;
    std::snprintf(line, sizeof line, "\n  %s: waits for %.1f s", waiting.c_str(), seconds);
    report += line;
  }
  return report;
}

}  // namespace flowtrain::graph
