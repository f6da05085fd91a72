#include "pipeline/cli/resume.h"

#include <algorithm>
#include <filesystem>

#include "pipeline/cli/shell_word.h"
#include "pipeline/graph/executor.h"
#include "pipeline/graph/outcome.h"
#include "pipeline/run/run_folder.h"

namespace flowtrain::cli {
namespace {

namespace fs = std::filesystem;

// Why the graph can't go on from a checkpoint; empty: it can. `moved`: see ResumeDifferences.
std::string WhyNot(const config::ValidatedGraph& graph, const Value& state,
                   std::vector<std::string>* moved = nullptr) {
  const std::vector<std::string> differences = graph::ResumeDifferences(graph, state, moved);
  if (differences.empty()) return "";
  constexpr size_t kMost = 8;
  std::string text;
  const Value* name = state.Find("graph");
  if (name != nullptr && *name != Value(graph.name))
    text += "it is of the graph " + name->AsString() + "; ";
  text += "what a resumed run must keep has changed: ";
  for (size_t i = 0; i < std::min(kMost, differences.size()); ++i)
    text += (i > 0 ? "; " : "") + differences[i];
  if (differences.size() > kMost)
    text += "; and " + std::to_string(differences.size() - kMost) + " more";
  return text;
}

std::optional<run::LoadedCheckpoint> Newest(const config::ValidatedGraph& graph,
                                            graph::RunHost& host) {
  const auto warn = [&host](const std::string& warning) { host.Warn(warning); };
  const std::string where = "no run of " + graph.name + " in " + graph.run.dir.text;
  const std::vector<fs::path> runs = run::RunFolder::Resumable(graph.run.dir.text, graph.name);
  for (const fs::path& folder : runs) {
    std::string why;
    try {
      run::LoadedCheckpoint checkpoint = run::CheckpointStore::Load(folder, warn);
      why = WhyNot(graph, checkpoint.state);
      if (why.empty()) return checkpoint;
      why = checkpoint.folder.string() + ": " + why;
      // Another place may as well be another set, for which a new run is wanted.
      std::vector<std::string> moved;
      if (WhyNot(graph, checkpoint.state, &moved).empty())
        why += "; if the files were only moved there: --resume " + ShellWord(folder.string());
    } catch (const std::exception& fault) {
      why = fault.what();
    }
    host.Warn("--resume auto: passed over " + why);
  }
  host.Info("--resume auto: " + where + (runs.empty() ? " has a checkpoint" : " can be gone on from") +
            ", a new one begins");
  return std::nullopt;
}

}  // namespace

std::optional<run::LoadedCheckpoint> FindCheckpoint(const std::string& resume,
                                                    const config::ValidatedGraph& graph,
                                                    graph::RunHost& host) {
  if (resume.empty()) return std::nullopt;
  if (resume == "auto") return Newest(graph, host);
  if (!fs::is_directory(resume))
    throw graph::OpenRefused("--resume " + resume + ": no such run folder or checkpoint");
  run::LoadedCheckpoint checkpoint = run::CheckpointStore::Load(
      resume, [&host](const std::string& warning) { host.Warn(warning); });
  std::vector<std::string> moved;
  const std::string why = WhyNot(graph, checkpoint.state, &moved);
  if (!why.empty())
    throw graph::OpenRefused("can't go on from " + checkpoint.folder.string() + ": " + why);
  for (const std::string& place : moved)
    host.Info("--resume: the same files are looked for in another place: " + place);
  return checkpoint;
}

}  // namespace flowtrain::cli
