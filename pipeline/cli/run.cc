#include "pipeline/cli/run.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include <flowtrain/error.h>

#include "pipeline/cli/folder_host.h"
#include "pipeline/cli/listen_fault.h"
#include "pipeline/graph/executor.h"
#include "pipeline/metrics/http_server.h"
#include "pipeline/metrics/nvml.h"
#include "pipeline/metrics/run_metrics.h"
#include "pipeline/plugin/search_path.h"
#include "pipeline/run/signals.h"

namespace flowtrain::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFailed = 1, kBadGraph = 2;

std::string Printed(const char* format, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// The checkpoint to go on from. Empty: a new run. Throws Error, and OpenRefused where the graph differs.
std::optional<run::LoadedCheckpoint> FindCheckpoint(const RunOptions& options, const config::ValidatedGraph& graph, FolderHost& host) {
  if (options.resume.empty()) return std::nullopt;
  std::filesystem::path where = options.resume;
  if (options.resume == "auto") {
    const auto latest = run::RunFolder::Latest(graph.run.dir.text, graph.name);
    if (!latest) {
      host.Info("--resume auto: no run of " + graph.name + " in " + graph.run.dir.text + " has a checkpoint, a new one begins");
      return std::nullopt;
    }
    where = *latest;
  }
  if (!std::filesystem::is_directory(where)) throw graph::OpenRefused("--resume " + where.string() + ": no such run folder or checkpoint");
  run::LoadedCheckpoint checkpoint = run::CheckpointStore::Load(where, [&host](const std::string& warning) { host.Warn(warning); });
  const std::vector<std::string> differences = graph::ResumeDifferences(graph, checkpoint.state);
  if (differences.empty()) return checkpoint;
  constexpr size_t kMost = 8;
  std::string text = "can't go on from " + checkpoint.folder.string() + ": ";
  const Value* name = checkpoint.state.Find("graph");
  if (name != nullptr && *name != Value(graph.name)) text += "it is of the graph " + name->AsString() + "; ";
  text += "what a resumed run must keep has changed: ";
  for (size_t i = 0; i < std::min(kMost, differences.size()); ++i) text += (i > 0 ? "; " : "") + differences[i];
  if (differences.size() > kMost) text += "; and " + std::to_string(differences.size() - kMost) + " more";
  throw graph::OpenRefused(text);
}

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

// In single quotes where a shell would take it apart.
std::string Quoted(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=:,+@%") == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The command that was given, without what belongs to one run only.
std::string CommandOf(const RunOptions& options, const config::ValidatedGraph& graph) {
  std::string command;
  for (const auto& [name, value] : graph.variables) command += name + "=" + Quoted(value) + " ";
  command += "flowtrain run " + Quoted(options.graph.file);
  for (const std::string& path : options.graph.plugin_paths) command += " --plugin-path " + Quoted(path);
  if (!options.graph.profile.empty()) command += " --profile " + Quoted(options.graph.profile);
  for (const std::string& set : options.graph.sets) command += " --set " + Quoted(set);
  return command;
}

std::vector<std::string> TryNext(const RunOptions& options, const config::ValidatedGraph& graph, graph::Outcome::Kind kind,
                                 const std::filesystem::path& run_dir) {
  std::vector<std::string> commands;
  if (kind != graph::Outcome::kDone) commands.push_back(CommandOf(options, graph) + " --resume " + Quoted(run_dir.string()));
  if (!graph.profile_variable.empty()) commands.push_back(graph.profile_variable + "=/path/to/your/images flowtrain run " + Quoted(options.graph.file));
  commands.push_back("tail -n 3 " + (run_dir / "metrics.jsonl").string());
  commands.push_back("flowtrain validate " + options.graph.file);
  commands.push_back("flowtrain describe image.augment");
  commands.resize(3);
  return commands;
}

void PrintSummary(const RunOptions& options, const config::ValidatedGraph& graph, const graph::Executor& executor, const graph::Outcome& outcome,
                  FolderHost& host, const metrics::GpuSampler& gpus, double seconds, const std::filesystem::path& resumed) {
  const graph::Totals totals = executor.totals();
  run::SummaryLines lines;
  lines.emplace_back("ended", outcome.kind == graph::Outcome::kDone ? "all done" : outcome.kind == graph::Outcome::kInterrupted ? "interrupted" : "failed");
  for (const auto& line : host.summary()) lines.push_back(line);
  lines.emplace_back("wall", run::FormatDuration(seconds));
  lines.emplace_back("images/s", Printed("%.1f", seconds > 0 ? static_cast<double>(totals.images) / seconds : 0.0));
  lines.emplace_back("waited", Printed("%.1f%% of the time", seconds > 0 ? 100 * totals.waited_s / seconds : 0.0));
  if (gpus.present()) lines.emplace_back("GPU utilization", Printed("%.0f%%", 100 * gpus.MeanUtilization()));
  lines.emplace_back("bad samples", std::to_string(executor.bad_samples()));
  const std::filesystem::path last = host.last_checkpoint().empty() ? resumed : host.last_checkpoint();
  lines.emplace_back("checkpoint", last.empty() ? "none" : last.string());
  lines.emplace_back("run folder", host.run_dir().string());
  host.terminal().Print(run::FormatSummary(lines, TryNext(options, graph, outcome.kind, host.run_dir())));
}

// Destructors would wait for threads that don't end.
[[noreturn]] void LeaveBehind(FolderHost& host, const std::string& stages, int code) {
  host.Error("did not return and is left behind: " + stages);
  _exit(code);
}

int RunGraph(const RunOptions& options, const config::ValidatedGraph& graph, plugin::Loader& loader, FolderHost& host) {
  metrics::RunMetrics metrics;
  graph::ExecutorOptions executor_options;
  executor_options.find_provided = plugin::MakeProvidedLookup(loader);
  if (!options.batch_hashes.empty()) executor_options.batch_hashes = options.batch_hashes;
  auto executor = std::make_unique<graph::Executor>(graph, host, metrics, executor_options);
  std::atomic<int> signal{0};
  std::atomic<bool> running{false};
  // Before any other thread, which then inherits the mask.
  const run::StopSignals signals([&](int number) {
    signal = number;
    const std::string what = number == SIGTERM ? "SIGTERM: " : "interrupted: ";
    host.Info(what + (running ? "finishing the step and writing a checkpoint" : "nothing has begun yet, stopping") + " (again: end at once)");
    executor->Stop();
  });
  const metrics::GpuSampler gpus;
  host.UseGpus(&gpus);
  const metrics::Reading gpu_reading = metrics.AddGpus(gpus);
  metrics.SetRunInfo({{"name", graph.name}, {"file", graph.file}, {"seed", std::to_string(graph.seed)}});
  metrics.SetBuildInfo({{"version", FLOWTRAIN_VERSION}});
  const auto interrupted = [&signal] { return 128 + (signal == 0 ? SIGINT : signal.load()); };
  for (const std::string& note : graph.notes) host.Warn(note);
  if (!graph.profile_why.empty()) host.Info(graph.profile_why);
  try {
    const std::optional<run::LoadedCheckpoint> checkpoint = FindCheckpoint(options, graph, host);
    const std::unique_ptr<metrics::HttpServer> server = Serve(graph.file, graph.metrics, metrics, host);
    executor->Open(checkpoint ? &checkpoint->state : nullptr, checkpoint ? checkpoint->folder : std::filesystem::path());
    const auto warn = [&host](const std::string& message) { host.Warn(message); };
    // A checkpoint stands in RUN/checkpoints/TAG: a resumed run goes on in its own folder.
    auto folder = checkpoint ? run::RunFolder::Open(std::filesystem::canonical(checkpoint->folder).parent_path().parent_path(), warn)
                             : run::RunFolder::Create(graph.run.dir.text, graph.name, warn);
    if (!checkpoint) folder->WriteGraph(graph.resolved.ToJson());
    host.UseFolder(std::move(folder), graph.run.keep);
    host.FinishProgress();
    if (checkpoint) host.Info("going on from " + checkpoint->folder.string());
    host.terminal().Print("flowtrain " FLOWTRAIN_VERSION "  " + graph.name + "  seed " + std::to_string(graph.seed) + "\n" + executor->settings() + "  run folder  " + host.run_dir().string());

    const auto start = Clock::now();
    running = true;
    const graph::Outcome outcome = executor->Run();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    host.FinishProgress();
    if (!outcome.error.empty()) host.Error(outcome.error);
    const int code = outcome.kind == graph::Outcome::kDone ? 0 : outcome.kind == graph::Outcome::kInterrupted ? interrupted() : kFailed;
    if (!outcome.abandoned.empty()) LeaveBehind(host, outcome.abandoned, code);
    PrintSummary(options, graph, *executor, outcome, host, gpus, seconds, checkpoint ? checkpoint->folder : std::filesystem::path());
    executor.reset();
    return code;
  } catch (const graph::OpenAbandoned& abandoned) {
    host.FinishProgress();
    LeaveBehind(host, abandoned.stage(), interrupted());
  } catch (const Cancelled&) {
    host.FinishProgress();
    return interrupted();
  } catch (const graph::OpenRefused& refused) {
    host.FinishProgress();
    host.Error(refused.what());
    return kBadGraph;
  } catch (const std::exception& error) {
    host.FinishProgress();
    host.Error(error.what());
    return kFailed;
  }
}

}  // namespace

int Run(const RunOptions& options) {
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(options.graph.plugin_paths));
  try {
    const config::ValidatedGraph graph = config::Load(options.graph.file, options.graph.load_options(), plugin::MakeLookup(loader));
    FolderHost host;
    return RunGraph(options, graph, loader, host);
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
  command->add_option("--batch-hashes", options->batch_hashes, "Append a line \"input epoch batch hash\" for each committed batch.")->type_name("FILE")->check(NotEmpty);
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace flowtrain::cli
