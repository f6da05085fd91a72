#include "pipeline/cli/cache.h"

#include <iostream>
#include <memory>

#include "pipeline/cli/ended.h"
#include "pipeline/cli/exit_codes.h"
#include "pipeline/cli/folder_host.h"
#include "pipeline/cli/graph_options.h"
#include "pipeline/cli/stop_request.h"
#include "pipeline/graph/cache_fill.h"
#include "pipeline/plugin/search_path.h"
#include "pipeline/run/signals.h"
#include "pipeline/storage/rounded_bytes.h"

namespace flowtrain::cli {
namespace {

// False: not all of it is in the cache.
bool Print(const graph::CacheFilled& filled, std::ostream& out) {
  out << filled.source << ": " << filled.samples << (filled.samples == 1 ? " sample, " : " samples, ") << filled.read
      << " files or pieces of shards read, " << filled.held << " found in the cache; " << storage::RoundedBytes(filled.bytes) << " of it in "
      << filled.cache << '\n';
  if (filled.unkept > 0) out << filled.source << ": " << filled.unkept << " of the files read are not in the cache, for the reason above\n";
  if (filled.bad > 0) out << filled.source << ": " << filled.bad << " can't be read (the first are named above)\n";
  return filled.unkept == 0;
}

// A source that could be told to keep one.
std::string NoCache(const config::ValidatedGraph& graph) {
  std::string text = graph.file + ": no source keeps a cache on disk";
  if (!graph.chains.empty()) text += "; --set " + graph.chains.front().source.pointer + "/cache=disk lets the first one do so";
  return text;
}

int Fill(const GraphOptions& options) {
  FolderHost host;
  StopRequest stop;
  // Before any other thread, which then inherits the mask.
  const run::StopSignals signals([&](int number) {
    host.Info("interrupted: what was copied stays, and the next time goes on from there (again: end at once)");
    stop.Ask(number);
  });
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(options.plugin_paths));
  try {
    const config::ValidatedGraph graph = config::Load(options.file, options.load_options(), plugin::MakeLookup(loader));
    for (const std::string& note : graph.notes) host.Warn(note);
    if (!graph.profile_why.empty()) host.Info(graph.profile_why);
    metrics::RunMetrics metrics;
    graph::CacheFill fill(graph, host, metrics, plugin::MakeProvidedLookup(loader));
    const StopRequest::Attached attached(stop, [&fill] { fill.Stop(); });
    const std::vector<graph::CacheFilled> filled =
        fill.Run([&](const std::string& source) { LeaveBehind(host, source, InterruptedBy(stop.signal())); });
    host.FinishProgress();
    if (filled.empty()) {
      host.Error(NoCache(graph));
      return kBadGraph;
    }
    bool all = true;
    for (const graph::CacheFilled& one : filled) all &= Print(one, std::cout);
    return all ? 0 : kFailed;
  } catch (const config::GraphError& error) {
    std::cerr << error.what() << '\n';
    return kBadGraph;
  } catch (...) {
    return Told(host, std::current_exception(), stop.signal() == 0 ? kFailed : InterruptedBy(stop.signal()));
  }
}

}  // namespace

void AddCache(CLI::App& app, int& exit_code) {
  CLI::App* cache = app.add_subcommand("cache", "Look after the local cache of files.");
  cache->require_subcommand(1);
  CLI::App* command = cache->add_subcommand("fill", "Copy the files that a graph's sources read to their cache on disk, before a run wants them.");
  const auto options = std::make_shared<GraphOptions>();
  options->AddTo(*command);
  command->callback([options, &exit_code] { exit_code = Fill(*options); });
}

}  // namespace flowtrain::cli
