#include "pipeline/cli/run.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>

#include <flowtrain/error.h>

#include "pipeline/cli/ended.h"
#include "pipeline/cli/exit_codes.h"
#include "pipeline/cli/folder_host.h"
#include "pipeline/cli/listen_fault.h"
#include "pipeline/cli/rehearse_phases.h"
#include "pipeline/cli/resume.h"
#include "pipeline/cli/run_summary.h"
#include "pipeline/cli/stop_request.h"
#include "pipeline/graph/executor.h"
#include "pipeline/metrics/http_server.h"
#include "pipeline/metrics/nvml.h"
#include "pipeline/metrics/run_metrics.h"
#include "pipeline/plugin/search_path.h"
#include "pipeline/run/signals.h"

namespace flowtrain::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::unique_ptr<metrics::HttpServer> Serve(const std::string& file, const config::MetricsParams& params, const metrics::RunMetrics& metrics, FolderHost& host) {
  if (params.listen.empty()) return nullptr;
  if (const std::string fault = ListenFault(params.listen); !fault.empty()) throw graph::OpenRefused(file + ": /metrics/listen: " + fault);
  try {
    auto server = std::make_unique<metrics::HttpServer>(params.listen, metrics);
    host.Info("metrics at " + server->url() + "metrics, live page at " + server->url());
    return server;
  } catch (const std::exception& error) {
    if (params.required) throw;
    host.Warn(std::string(error.what()) + "; the run goes on without metrics");
    return nullptr;
  }
}

int CodeOf(graph::Outcome::Kind kind, int signal) {
  if (kind == graph::Outcome::kInterrupted) return InterruptedBy(signal);
  return kind == graph::Outcome::kDone ? 0 : kFailed;
}

// Goes on in the folder of the run that `checkpoint` (RUN/checkpoints/TAG) belongs to, or makes one.
void UseFolder(FolderHost& host, const config::ValidatedGraph& graph, const std::optional<run::LoadedCheckpoint>& checkpoint) {
  const auto warn = [&host](const std::string& message) { host.Warn(message); };
  auto folder = checkpoint ? run::RunFolder::Open(std::filesystem::canonical(checkpoint->folder).parent_path().parent_path(), warn)
                           : run::RunFolder::Create(graph.run.dir.text, graph.name, warn);
  if (!checkpoint) folder->WriteGraph(graph.resolved.ToJson());
  host.UseFolder(std::move(folder), graph.run.keep);
  if (checkpoint) host.GoOnFrom(*checkpoint);
}

// What is made first goes last: `executor` uses what stands before it, and nothing that stands after.
int RunGraph(const RunOptions& options, const config::ValidatedGraph& graph, plugin::Loader& loader, FolderHost& host, StopRequest& stop,
             std::atomic<bool>& running) {
  metrics::RunMetrics metrics;
  const metrics::GpuSampler gpus;
  host.UseGpus(&gpus);
  const metrics::Reading gpu_reading = metrics.AddGpus(gpus);
  metrics.SetRunInfo({{"name", graph.name}, {"file", graph.file}, {"seed", std::to_string(graph.seed)}});
  metrics.SetBuildInfo({{"version", FLOWTRAIN_VERSION}});
  graph::ExecutorOptions executor_options;
  executor_options.find_provided = plugin::MakeProvidedLookup(loader);
  if (!options.batch_hashes.empty()) executor_options.batch_hashes = options.batch_hashes;
  graph::Executor executor(graph, host, metrics, executor_options);
  const StopRequest::Attached attached(stop, [&executor] { executor.Stop(); });
  for (const std::string& note : graph.notes) host.Warn(note);
  if (!graph.profile_why.empty()) host.Info(graph.profile_why);
  try {
    const std::optional<run::LoadedCheckpoint> checkpoint = FindCheckpoint(options.resume, graph, host);
    RehearsePhases(graph, host, plugin::MakeProvidedLookup(loader), [&stop] { return stop.signal() != 0; });
    const std::unique_ptr<metrics::HttpServer> server = Serve(graph.file, graph.metrics, metrics, host);
    executor.Open(checkpoint ? &checkpoint->state : nullptr, checkpoint ? checkpoint->folder : std::filesystem::path());
    UseFolder(host, graph, checkpoint);
    host.FinishProgress();
    if (checkpoint) host.Info("going on from " + checkpoint->folder.string());
    host.terminal().Print("flowtrain " FLOWTRAIN_VERSION "  " + graph.name + "  seed " + std::to_string(graph.seed) + "\n" + executor.settings() + "  run folder  " + host.run_dir().string());

    const auto start = Clock::now();
    running = true;
    const graph::Outcome outcome = executor.Run();
    RunEnd end{outcome.kind, checkpoint.has_value(), executor.totals(), std::chrono::duration<double>(Clock::now() - start).count()};
    host.FinishProgress();
    if (!outcome.error.empty()) host.Error(outcome.error);
    int code = CodeOf(outcome.kind, stop.signal());
    if (const std::string fault = host.checkpoint_fault(); !fault.empty()) {
      host.Error("the last checkpoint could not be written: " + fault);
      if (code == 0) code = kFailed;
    }
    if (!outcome.abandoned.empty()) LeaveBehind(host, outcome.abandoned, code);
    if (gpus.present()) end.gpu_utilization = gpus.MeanUtilization();
    end.bad_samples = executor.bad_samples();
    end.stages = host.summary();
    for (auto& line : executor.ReadingLines()) end.stages.push_back(std::move(line));
    end.checkpoint = host.last_checkpoint();
    if (end.checkpoint.empty() && checkpoint) end.checkpoint = checkpoint->folder;
    end.run_dir = host.run_dir();
    host.terminal().Print(SummaryText(options, graph, end));
    return code;
  } catch (const graph::OpenAbandoned& abandoned) {
    host.FinishProgress();
    const int interrupted = InterruptedBy(stop.signal());
    LeaveBehind(host, abandoned.stage(), abandoned.cause() ? Told(host, abandoned.cause(), interrupted) : interrupted);
  } catch (...) {
    return Told(host, std::current_exception(), InterruptedBy(stop.signal()));
  }
}

}  // namespace

int Run(const RunOptions& options) {
  // Somebody who no longer reads what is printed ("| head") ends no training.
  std::signal(SIGPIPE, SIG_IGN);
  FolderHost host;
  StopRequest stop;
  std::atomic<bool> running{false};
  // Before anything that may start a thread (a plugin, a CUDA driver), which then inherits the mask.
  const run::StopSignals signals([&](int number) {
    const std::string what = number == SIGTERM ? "SIGTERM: " : number == SIGHUP ? "the terminal is gone (SIGHUP): " : "interrupted: ";
    host.Info(what + (running ? "finishing the step and writing a checkpoint" : "nothing has begun yet, stopping") + " (again: end at once)");
    stop.Ask(number);
  });
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(options.graph.plugin_paths));
  try {
    const config::ValidatedGraph graph = config::Load(options.graph.file, options.graph.load_options(), plugin::MakeLookup(loader));
    return RunGraph(options, graph, loader, host, stop, running);
  } catch (const config::GraphError& error) {
    std::cerr << error.what() << '\n';
    return kBadGraph;
  }
}

namespace {

std::string NotEmpty(const std::string& value) { return value.empty() ? "a value is missing" : ""; }

}  // namespace

void AddRun(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "Run a graph: train, or whatever its last stages do.");
  const auto options = std::make_shared<RunOptions>();
  options->graph.AddTo(*command);
  command->add_option("--resume", options->resume, "Go on from a run folder's newest checkpoint; auto: from this graph's newest run, if there is one.")->type_name("RUN|auto")->check(NotEmpty);
  command->add_option("--batch-hashes", options->batch_hashes, "Append a line \"input epoch batch hash\" for each committed batch; what stands in the file stays, but for lines that a resumed run writes again.")->type_name("FILE")->check(NotEmpty);
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace flowtrain::cli
