#include "pipeline/cli/run_summary.h"

#include <algorithm>
#include <cstdio>

#include "pipeline/cli/run.h"
#include "pipeline/cli/shell_word.h"
#include "pipeline/run/progress.h"

namespace flowtrain::cli {
namespace {

std::string Printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// The command that was given, without what belongs to one run only.
std::string CommandOf(const RunOptions& options, const config::ValidatedGraph& graph) {
  std::string command;
  for (const auto& [name, value] : graph.variables) command += name + "=" + ShellWord(value) + " ";
  command += "flowtrain run " + ShellWord(options.graph.file);
  for (const std::string& path : options.graph.plugin_paths)
    command += " --plugin-path " + ShellWord(path);
  if (!options.graph.profile.empty()) command += " --profile " + ShellWord(options.graph.profile);
  for (const std::string& set : options.graph.sets) command += " --set " + ShellWord(set);
  return command;
}

// What makes a new run longer: a resumed one keeps its length. Empty: no parameter is known to.
std::string LongerBy(const config::ValidatedGraph& graph) {
  if (!graph.phases.empty()) {
    return "/phases/" + std::to_string(graph.phases.size() - 1) +
           "/epochs=" + std::to_string(2 * graph.phases.back().epochs);
  }
  for (const config::StageNode& consumer : graph.consumers) {
    const Value* epochs = consumer.params.Find("epochs");
    if (consumer.declaration->observer || epochs == nullptr || !epochs->is_integer()) continue;
    return consumer.pointer + "/epochs=" + std::to_string(2 * epochs->AsInteger());
  }
  return "";
}

std::vector<std::string> TryNext(const RunOptions& options, const config::ValidatedGraph& graph,
                                 const RunEnd& end) {
  std::vector<std::string> commands;
  if (end.kind != graph::Outcome::kDone && !end.checkpoint.empty())
    commands.push_back(CommandOf(options, graph) + " --resume " + ShellWord(end.run_dir.string()));
  if (const std::string set = LongerBy(graph); end.nothing_to_do() && !set.empty())
    commands.push_back(CommandOf(options, graph) + " --set " + ShellWord(set));
  if (!graph.profile_variable.empty()) {
    commands.push_back(graph.profile_variable + "=/path/to/your/images flowtrain run " +
                       ShellWord(options.graph.file));
  }
  commands.push_back("tail -n 3 " + ShellWord((end.run_dir / "metrics.jsonl").string()));
  commands.push_back("flowtrain validate " + ShellWord(options.graph.file));
  commands.push_back("flowtrain describe image.augment");
  commands.resize(3);
  return commands;
}

std::string EndedText(const RunEnd& end) {
  if (end.nothing_to_do())
    return "finished already: nothing to do (a run keeps its length; a new one may be longer)";
  if (end.kind == graph::Outcome::kDone) return "all done";
  return end.kind == graph::Outcome::kInterrupted ? "interrupted" : "failed";
}

}  // namespace

std::string SummaryText(const RunOptions& options, const config::ValidatedGraph& graph,
                        const RunEnd& end) {
  const double seconds = end.seconds;
  run::SummaryLines lines;
  lines.emplace_back("ended", EndedText(end));
  for (const auto& line : end.stages) lines.push_back(line);
  lines.emplace_back("wall", run::FormatDuration(seconds));
  lines.emplace_back("images/s",
                     Printed("%.1f", seconds > 0 ? static_cast<double>(end.totals.images) / seconds : 0));
  lines.emplace_back("waited", Printed("%.1f%% of the time",
                                       seconds > 0 ? 100 * end.totals.waited_s / seconds : 0));
  if (end.gpu_utilization >= 0)
    lines.emplace_back("GPU utilization", Printed("%.0f%%", 100 * end.gpu_utilization));
  lines.emplace_back("bad samples", std::to_string(end.bad_samples));
  lines.emplace_back("checkpoint", end.checkpoint.empty() ? "none" : end.checkpoint.string());
  lines.emplace_back("run folder", end.run_dir.string());
  return run::FormatSummary(lines, TryNext(options, graph, end));
}

}  // namespace flowtrain::cli
