#include "pipeline/graph/executor.h"

#include <flowtrain/error.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <optional>

#include "pipeline/graph/bounded_call.h"
#include "pipeline/graph/phase_run.h"
#include "pipeline/graph/reading_report.h"
#include "pipeline/graph/stall_watch.h"

namespace flowtrain::graph {

constexpr std::chrono::milliseconds kTick{100};  // how often the main thread looks around

OpenRefused::~OpenRefused() = default;
OpenAbandoned::~OpenAbandoned() = default;

namespace {

// Where there is an error, the run has failed.
void Tell(const std::exception_ptr& error, Outcome& outcome) {
  if (!error) return;
  outcome.kind = Outcome::kFailed;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& cause) {
    outcome.error = cause.what();
  } catch (...) {
    outcome.error = "an exception that is no std::exception";
  }
}

}  // namespace

struct Executor::Core {
  Core(const config::ValidatedGraph& g, RunHost& host, metrics::RunMetrics& metrics, ExecutorOptions options)
      : graph(g), run(graph, host, metrics, std::move(options)) {}
  // Consumers may hold batches: they go before what the batches come from.
  ~Core() {
    if (phase) phase->consumer_runners.clear();
    run.consumers.clear();
  }

  size_t phases() const { return graph.phases.empty() ? 1 : graph.phases.size(); }
  void Plan(int index);
  Outcome Wait();
  void StuckAtBorder(Outcome& outcome) const;

  const config::ValidatedGraph graph;
  RunParts run;
  std::unique_ptr<PhaseRun> phase;
  Totals past;  // of the phases that are through
  std::optional<ReadingReport> reading;  // of the phase that is under way, or was the last
  bool left_behind = false;  // a thread that did not return
};

// Lays out phase `index`, in the place of the one before.
void Executor::Core::Plan(int index) {
  PhaseInfo info;
  info.index = index;
  info.count = static_cast<int>(phases());
  if (graph.phases.empty()) {
    phase = std::make_unique<PhaseRun>(run, graph, info);
    return;
  }
  for (int before = 0; before < index; ++before) info.first_epoch += graph.phases[before].epochs;
  info.name = graph.phases[index].name;
  info.epochs = graph.phases[index].epochs;
  phase.reset();
  phase = std::make_unique<PhaseRun>(run, graph.phases[index].graph, info);
}

// A run whose later phases can't begin is not done.
void Executor::Core::StuckAtBorder(Outcome& outcome) const {
  if (!outcome.error.empty()) return;
  outcome.kind = run.stopped() ? Outcome::kInterrupted : Outcome::kFailed;
  if (run.stopped()) return;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3g", phase->graph.run.stall_timeout.seconds);
  outcome.error = "after phase \"" + phase->info.name + "\" this has not returned within " + seconds +
                  " s (stall_timeout), and the next phase can't begin: " + outcome.abandoned;
}

Executor::Executor(const config::ValidatedGraph& graph, RunHost& host, metrics::RunMetrics& metrics, ExecutorOptions options)
    : core_(std::make_shared<Core>(graph, host, metrics, std::move(options))) {}

// What a run left behind goes on using all that is in the core: that stays, for the life of the process.
Executor::~Executor() {
  static auto* const kept = new std::vector<std::shared_ptr<Core>>;  // where leak checkers find it
  static std::mutex mutex;  // protects kept: executors may go at the same time
  if (!core_->left_behind) return;
  const std::lock_guard lock(mutex);
  kept->push_back(core_);
}

int Executor::workers() const { return core_->run.workers; }
uint64_t Executor::bad_samples() const { return core_->run.bad.count(); }
Gate::Peaks Executor::peaks() const {
  const PhaseRun& phase = *core_->phase;
  Gate::Peaks peaks = phase.gate ? phase.gate->peaks() : Gate::Peaks{};
  for (const auto& runner : phase.batch_runners) {
    peaks.residents = std::max(peaks.residents, runner->residents().peak());
  }
  for (const auto& queue : phase.queues) {
    peaks.queued = std::max(peaks.queued, static_cast<int>(queue->peak()));
  }
  return peaks;
}
std::string Executor::settings() const { return core_->phase->settings(); }
void Executor::Stop() { core_->run.Stop(); }

Totals Executor::totals() const {
  Totals totals = core_->phase->totals();
  totals.images += core_->past.images;
  totals.waited_s += core_->past.waited_s;
  return totals;
}

std::vector<std::pair<std::string, std::string>> Executor::ReadingLines() const {
  if (!core_->reading) return {};
  return core_->reading->Lines();
}

void Executor::Open(const Value* resume, const std::filesystem::path& folder) {
  Core& core = *core_;
  if (core.run.options.batch_hashes) core.run.hashes = std::make_unique<BatchHashes>(*core.run.options.batch_hashes);
  const Value* saved = resume ? resume->Find("phase") : nullptr;
  core.Plan(saved ? static_cast<int>(saved->AsInteger()) : 0);
  OpenPhase({{}, resume, folder});
}

// On a thread of its own, which is left behind if a stage doesn't return from Open when the run is to
// stop: it keeps the core alive. Where the start fails, what it has opened is closed.
void Executor::OpenPhase(const PhaseStart& start) {
  Core& core = *core_;
  const bool first = core.run.consumers.empty();  // later on they live, and are closed at the end
  constexpr std::chrono::hours kUnlimited(24 * 365);
  EndDeadline deadline(kUnlimited, [&] { return core.run.stopped(); }, core.run.options.grace);
  BoundedCall call([core = core_, start] { core->phase->Open(start); });
  try {
    if (!deadline.Wait([&](auto limit) { return call.Wait(limit); })) throw OpenAbandoned(core.run.at_work());
    if (core.run.stopped()) throw Cancelled();
  } catch (const OpenAbandoned&) {
    core.left_behind = true;
    throw;
  } catch (...) {
    deadline.Shorten(core.run.options.grace);
    std::optional<std::string> stuck;
    if (first) stuck = core.run.open_consumers.Close(core.run, deadline);
    if (!stuck) stuck = core.phase->open_stages.Close(core.run, deadline);
    core.left_behind = stuck.has_value();
    if (stuck) throw OpenAbandoned(*stuck, std::current_exception());
    throw;
  }
}

// Until the phase is through, or the run ends sooner.
Outcome Executor::Core::Wait() {
  Outcome outcome;
  StallWatch watch(*phase);
  std::exception_ptr error;
  for (;;) {
    run.Wait(kTick);
    phase->gate->LookAround();
    if (run.stopped()) outcome.kind = Outcome::kInterrupted;
    error = run.error();
    if (!error && phase->gate->stopped()) error = phase->gate->cause();
    if (!error && phase->flow->given_up()) {
      error = std::make_exception_ptr(Error(std::string(Flow::kName) + ": oneTBB gave the graph up (memory ran out, or a thread can't be started)"));
    }
    if (!error && outcome.kind == Outcome::kDone && watch.Stalled()) error = std::make_exception_ptr(Error(phase->StallReport()));
    if (error) outcome.kind = Outcome::kFailed;
    if (outcome.kind != Outcome::kDone || phase->MainConsumersEnded()) break;
  }
  // A consumer that failed after the look above has ended too: it is no end by itself.
  if (!error) error = run.error();
  if (error) run.Fail(error);
  Tell(error, outcome);
  return outcome;
}

Outcome Executor::Run() {
  Core& core = *core_;
  Outcome outcome;
  PhaseEnd end{std::nullopt, EndDeadline(core.run.options.grace)};
  bool next_failed = false;  // the time since the last end was the next phase's
  for (;;) {
    core.reading.emplace(core.phase->graph, core.run.metrics, core.run.workers);
    try {
      core.phase->Start();
    } catch (...) {
      core.run.Fail(std::current_exception());
    }
    outcome = core.Wait();
    core.reading->End();
    const bool last = core.phase->info.index + 1 == static_cast<int>(core.phases());
    const Ending why = outcome.kind == Outcome::kFailed ? Ending::kFailed : outcome.kind == Outcome::kInterrupted ? Ending::kInterrupted
                       : last ? Ending::kLast : Ending::kBorder;
    end = core.phase->End(why);
    outcome.abandoned = end.abandoned.value_or("");
    if (outcome.error.empty()) Tell(core.run.error(), outcome);  // it came while the phase was ended
    if (why == Ending::kBorder && end.abandoned) core.StuckAtBorder(outcome);
    if (outcome.kind != Outcome::kDone || last || !outcome.abandoned.empty()) break;
    next_failed = !NextPhase(outcome);
    if (next_failed) break;
  }
  if (outcome.kind == Outcome::kDone) {
    try {
      core.run.bad.CheckAny();
    } catch (const std::exception& error) {
      outcome.kind = Outcome::kFailed;
      outcome.error = error.what();
    }
  }
  if (outcome.kind == Outcome::kDone || next_failed) end.deadline = EndDeadline(core.run.options.grace);
  if (outcome.abandoned.empty()) outcome.abandoned = core.run.open_consumers.Close(core.run, end.deadline).value_or("");
  core.left_behind = !outcome.abandoned.empty();
  return outcome;
}

// False: the run ends, as `outcome` says.
bool Executor::NextPhase(Outcome& outcome) {
  Core& core = *core_;
  try {
    if (const std::string held = core.phase->HeldBatches(); !held.empty()) {
      throw Error("after phase \"" + core.phase->info.name + "\" a batch of " + held + " is still held: a consumer must let go of its batches before it returns from Run");
    }
    const Totals totals = core.phase->totals();
    core.past.images += totals.images;
    core.past.waited_s += totals.waited_s;
    const EpochsDone done = core.phase->epochs_done();
    core.Plan(core.phase->info.index + 1);
    OpenPhase({done, nullptr, {}});
    core.run.host.PhaseBegins(core.phase->info, core.phase->settings());
    return true;
  } catch (const OpenAbandoned& abandoned) {
    outcome.kind = Outcome::kInterrupted;
    outcome.abandoned = abandoned.stage();
    if (abandoned.cause() && !IsCancelled(abandoned.cause())) Tell(abandoned.cause(), outcome);
  } catch (const Cancelled&) {
    outcome.kind = Outcome::kInterrupted;
  } catch (...) {
    Tell(std::current_exception(), outcome);
  }
  return false;
}

}  // namespace flowtrain::graph
