#include "pipeline/graph/executor.h"

#include <flowtrain/error.h>

#include <cmath>
#include <cstdio>

#include "pipeline/graph/executor_core.h"
#include "pipeline/memory/cuda_driver.h"

namespace flowtrain::graph {

using Clock = std::chrono::steady_clock;

OpenRefused::~OpenRefused() = default;

Executor::Core::Core(const config::ValidatedGraph& g, RunHost& h, metrics::RunMetrics& m, ExecutorOptions o)
    : graph(g), host(h), metrics(m), options(std::move(o)), granted(FindGrantedCpus()), bad(h, m, g.run.max_bad_share) {
  // A trainer that feeds a GPU needs a CPU of its own.
  const bool on_gpu = !graph.batch_transforms.empty() && memory::CudaDriver::Get().present();
  workers = graph.run.threads > 0 ? graph.run.threads : std::max(1, granted.count - (on_gpu ? 1 : 0));
}

Executor::Core::~Core() {
  readings.clear();
  consumer_runners.clear();
  consumers.clear();
  batch_transforms.clear();
  for (const auto& queue : queues) queue->Clear();
  for (ChainRuntime& chain : chains) {
    if (chain.collector) chain.collector->DropBatches();
  }
  reaper.reset();
}

Executor::Executor(const config::ValidatedGraph& graph, RunHost& host, metrics::RunMetrics& metrics, ExecutorOptions options)
    : core_(std::make_shared<Core>(graph, host, metrics, std::move(options))) {}

Executor::~Executor() = default;

int Executor::workers() const { return core_->workers; }
uint64_t Executor::bad_samples() const { return core_->bad.count(); }
Gate::Peaks Executor::peaks() const { return core_->gate->peaks(); }

Executor::Totals Executor::totals() const {
  Totals totals;
  for (const auto& runner : core_->consumer_runners) {
    if (runner->observer()) continue;
    totals.images += runner->rows();
    totals.waited_s += runner->waited_s();
  }
  return totals;
}

void Executor::Open(const Value* resume, const std::filesystem::path& folder) {
  Core& core = *core_;
  if (core.options.batch_hashes) core.hashes = std::make_unique<BatchHashes>(*core.options.batch_hashes);
  core.OpenChains(resume);
  core.OpenBatchStages(resume, folder);
  core.Connect();
  core.PublishPools();
  const std::lock_guard lock(core.mutex);
  core.opened = true;
  if (core.stop_asked) throw Cancelled();
}

void Executor::Stop() {
  {
    const std::lock_guard lock(core_->mutex);
    core_->stop_asked = true;
  }
  core_->changed.notify_all();
}

void Executor::Core::Fail(std::exception_ptr cause) {
  {
    const std::lock_guard lock(mutex);
    if (!error) error = std::move(cause);
  }
  changed.notify_all();
}

bool Executor::Core::MainConsumersEnded() const {
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

std::string Executor::settings() const {
  const Core& core = *core_;
  char line[256];
  std::snprintf(line, sizeof line, "  workers     %d, tokens %d (%s)\n", core.workers, core.gate->view().tokens, core.granted.why.c_str());
  std::string text = line;
  for (const ChainRuntime& chain : core.chains) {
    const Gate::ChainView view = core.gate->view().chains[chain.index];
    std::snprintf(line, sizeof line, "  %-11s %d I/O threads, read-ahead %d; %llu batches of %d an epoch; %d slots, %.1f MiB%s\n",
                  chain.config->source.name.c_str(), chain.config->source_params.io_threads, view.read_ahead,
                  static_cast<unsigned long long>(chain.info.batches_per_epoch), chain.info.batch, view.slots,
                  static_cast<double>(chain.slots->bytes()) / (1 << 20), chain.slots->pinned() ? " page-locked" : "");
    text += line;
  }
  return text;
}

Outcome Executor::Run() {
  Core& core = *core_;
  core.flow->Start();
  for (const auto& runner : core.consumer_runners) runner->Start();
  for (const auto& runner : core.batch_runners) runner->Start();
  for (ChainRuntime& chain : core.chains) chain.reader->Start();

  Outcome outcome;
  uint64_t last_moves = 0;
  auto last_move_at = Clock::now();
  std::exception_ptr error;
  for (;;) {
    {
      std::unique_lock lock(core.mutex);
      core.changed.wait_for(lock, std::chrono::milliseconds(100));
      if (core.stop_asked) outcome.kind = Outcome::kInterrupted;
      error = core.error;
    }
    if (!error && core.gate->stopped()) error = core.gate->cause();
    if (error) outcome.kind = Outcome::kFailed;
    if (outcome.kind != Outcome::kDone || core.MainConsumersEnded()) break;

    // A stall: somebody waits in Pull, nothing moves, nobody backs off or computes a batch.
    const uint64_t moves = core.moves.load() + core.gate->moves();
    bool excused = false;
    for (const ChainRuntime& chain : core.chains) excused |= chain.reader->busy().backing_off;
    for (const auto& runner : core.batch_runners) excused |= runner->busy();
    if (moves != last_moves || excused) {
      last_moves = moves;
      last_move_at = Clock::now();
    }
    bool waits = false;
    for (const auto& runner : core.consumer_runners) {
      double seconds = 0;
      waits |= !runner->observer() && !runner->waiting_for(seconds).empty() && seconds > core.graph.run.stall_timeout.seconds;
    }
    if (waits && Clock::now() - last_move_at > std::chrono::duration<double>(core.graph.run.stall_timeout.seconds)) {
      error = std::make_exception_ptr(Error(core.StallReport()));
      outcome.kind = Outcome::kFailed;
      break;
    }
  }
  if (error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& cause) {
      outcome.error = cause.what();
    } catch (...) {
      outcome.error = "an exception that is no std::exception";
    }
  }
  outcome.abandoned = core.StopEverything(outcome.kind == Outcome::kInterrupted);
  return outcome;
}

// Consumers return first, then the checkpoint is written, then the rest has its grace.
std::string Executor::Core::StopEverything(bool interrupted) {
  gate->Stop(nullptr);
  for (const auto& runner : consumer_runners) runner->Stop();
  for (const auto& runner : batch_runners) runner->Stop();
  std::string abandoned;
  const auto limit = interrupted ? Clock::duration(options.interrupt_limit) : Clock::duration(options.grace);
  for (const auto& runner : consumer_runners) {
    if (!runner->End(limit)) {
      runner->Detach();
      abandoned += (abandoned.empty() ? "" : ", ") + runner->name();
    }
  }
  bool dirty = false;
  for (const auto& runner : consumer_runners) dirty |= !runner->observer() && runner->dirty();
  if (abandoned.empty() && dirty && !error) {
    try {
      SaveCheckpoint(interrupted ? "interrupted" : "last", std::nan(""), nullptr);
    } catch (const std::exception& cause) {
      host.Warn(std::string("no checkpoint was written: ") + cause.what());
    }
  }
  const auto deadline = Clock::now() + options.grace;
  const auto left = [&] { return std::max(Clock::duration(0), deadline - Clock::now()); };
  for (const auto& runner : batch_runners) {
    if (!runner->End(left())) abandoned += (abandoned.empty() ? "" : ", ") + runner->name();
  }
  for (ChainRuntime& chain : chains) {
    if (!chain.reader->End(left())) abandoned += (abandoned.empty() ? "" : ", ") + chain.config->source.name;
  }
  if (!flow->End(left())) {
    for (const Work::Running& running : flow->running()) {
      abandoned += (abandoned.empty() ? "" : ", ") + chains[running.chain].config->transforms[running.stage].name;
    }
  }
  if (!abandoned.empty()) return abandoned;
  for (const auto& queue : queues) queue->Clear();
  for (const auto& consumer : consumers) consumer->Close();
  for (const auto& transform : batch_transforms) transform->Close();
  for (ChainRuntime& chain : chains) {
    for (const auto& transform : chain.transforms) transform->Close();
    chain.source->Close();
  }
  return {};
}

void Executor::Core::SaveCheckpoint(const std::string& tag, double metric, ConsumerRunner* only) {
  int mains = 0;
  for (const auto& runner : consumer_runners) mains += runner->observer() ? 0 : 1;
  if (only != nullptr && mains > 1) {
    throw Error("a checkpoint in mid-run needs a graph with one consumer besides observers; this one has " + std::to_string(mains));
  }
  host.SaveCheckpoint(tag, metric, [&](const std::filesystem::path& folder) {
    Value state, saved_consumers{Value::Object{}}, parameters{Value::Object{}};
    for (const auto& runner : consumer_runners) {
      if (runner->observer()) continue;
      State own(folder, Value(Value::Object{}));
      runner->consumer().Save(own);
      Value inputs{Value::Object{}}, saved;
      for (const auto& input : runner->inputs()) {
        if (input->queue != nullptr) inputs.Set(input->port, input->committed);
      }
      saved.Set("state", own.values());
      saved.Set("inputs", std::move(inputs));
      saved_consumers.Set(runner->name(), std::move(saved));
    }
    for (const auto& [pointer, value] : graph.fixed) parameters.Set(pointer, value);
    state.Set("graph", graph.name);
    state.Set("consumers", std::move(saved_consumers));
    state.Set("parameters", std::move(parameters));
    return state;
  });
  for (const auto& runner : consumer_runners) runner->SetClean();
}

std::string ResumeDifferences(const config::ValidatedGraph& graph, const Value& checkpoint) {
  std::string differences;
  const Value& saved = checkpoint.At("parameters");
  for (const auto& [pointer, value] : graph.fixed) {
    const Value* then = saved.Find(pointer);
    if (then != nullptr && *then == value) continue;
    differences += "  " + pointer + ": " + (then ? then->ToJson() : "absent") + " in the checkpoint, " + value.ToJson() + " now\n";
  }
  for (const auto& [pointer, then] : saved.AsObject()) {
    bool known = false;
    for (const auto& [now, value] : graph.fixed) known |= now == pointer;
    if (!known) differences += "  " + pointer + ": " + then.ToJson() + " in the checkpoint, absent now\n";
  }
  return differences;
}

}  // namespace flowtrain::graph
