#include "pipeline/cli/plugin_commands.h"

#include <flowtrain/command.h>
#include <flowtrain/graph_command.h>

#include <algorithm>
#include <iomanip>
#include <iterator>
#include <map>
#include <sstream>
#include <type_traits>
#include <utility>

#include "pipeline/cli/graph_options.h"
#include "pipeline/cli/graph_reader.h"
#include "pipeline/plugin/loader.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {
namespace {

std::vector<std::string> WordsOf(const std::string& provided_name) {
  std::string words = provided_name.substr(provided_name.find('.') + 1);
  std::replace(words.begin(), words.end(), '_', ' ');
  std::istringstream in(words);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string Joined(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

// A command as it is provided.
struct Offered {
  std::string interface, name;
  std::string twin;  // another provided command of the same words: then neither can be run
};

std::map<std::vector<std::string>, Offered> OfferedByWords(const plugin::Registry& registry) {
  std::map<std::vector<std::string>, Offered> offered;
  for (const auto& [key, provided] : registry.provided()) {
    if (!IsCommandInterface(key.first)) continue;
    const auto [at, first] = offered.emplace(WordsOf(key.second), Offered{key.first, key.second, ""});
    if (!first) at->second.twin = key.second;
  }
  return offered;
}

// Calls `use` with the Command or GraphCommand.
template <class Use>
auto WithCommand(plugin::Registry& registry, const Offered& offered, const Use& use) {
  void* const made = registry.FindProvided(offered.interface, offered.name);
  if (offered.interface == GraphCommand::kInterface) return use(*static_cast<GraphCommand*>(made));
  return use(*static_cast<Command*>(made));
}

std::string TwinFault(const Offered& offered) {
  return "\"" + offered.name + "\" and \"" + offered.twin + "\" are both this command: a --plugin-path with one of them alone runs it";
}

std::string HelpOf(plugin::Registry& registry, const Offered& offered) {
  if (!offered.twin.empty()) return "can't be used: " + TwinFault(offered);
  try {
    return WithCommand(registry, offered, [](auto& command) { return command.Help(); });
  } catch (const std::exception& error) {
    return std::string("can't be used: ") + error.what();
  }
}

// Takes what `options` has out of `arguments`. False: they are wrong, which was said.
bool TakeOptions(CLI::App& options, std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  options.set_help_flag();
  options.allow_extras();
  try {
    options.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    options.exit(error, out, err);
    return false;
  }
  arguments = options.remaining();
  return true;
}

int RunOnGraph(GraphCommand& command, plugin::Loader& loader, std::vector<std::string> arguments,
               std::ostream& out, std::ostream& err) {
  CLI::App settings;
  GraphOptions graph;
  graph.AddSettingsTo(settings);
  if (!TakeOptions(settings, arguments, out, err)) return 2;
  FileGraphReader reader(loader, graph, err);
  const int exit_code = command.Run(reader, arguments, out, err);
  const bool help = std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--help" || argument == "-h";
  });
  if (!help) return exit_code;
  std::vector<std::string> folders;
  AddPluginPath(settings, folders);
  out << CLI::Formatter().make_group("Of every command that takes a graph", /*is_positional=*/false,
                                     std::as_const(settings).get_options({}));
  return exit_code;
}

}  // namespace

bool IsCommandInterface(const std::string& interface) {
  return interface == Command::kInterface || interface == GraphCommand::kInterface;
}

std::string CommandWords(const std::string& provided_name) { return Joined(WordsOf(provided_name)); }

std::optional<int> RunPluginCommand(const std::vector<std::string>& given, std::ostream& out,
                                    std::ostream& err) {
  // Of the arguments --plugin-path is the program's; where the command takes a graph, --set and
  // --profile are as well.
  CLI::App options;
  std::vector<std::string> plugin_paths, arguments = given;
  AddPluginPath(options, plugin_paths);
  if (!TakeOptions(options, arguments, out, err)) return 2;
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(plugin_paths));
  loader.LoadAll();
  std::vector<std::string> fits;  // the longest
  Offered offered;
  for (const auto& [words, provided] : OfferedByWords(registry)) {
    const bool begins = arguments.size() >= words.size() && std::equal(words.begin(), words.end(), arguments.begin());
    if (!begins || words.size() <= fits.size()) continue;
    fits = words;
    offered = provided;
  }
  if (fits.empty()) {
    for (const plugin::Refusal& refusal : loader.refused())
      err << "the plugin \"" << refusal.plugin << "\" is refused: " << refusal.reason << '\n';
    return std::nullopt;
  }
  if (!offered.twin.empty()) {
    err << "flowtrain " << Joined(fits) << ": " << TwinFault(offered) << '\n';
    return 1;
  }
  try {
    const std::vector<std::string> behind(arguments.begin() + fits.size(), arguments.end());
    return WithCommand(registry, offered, [&]<class C>(C& command) {
      if constexpr (std::is_same_v<C, GraphCommand>) return RunOnGraph(command, loader, behind, out, err);
      else return command.Run(behind, out, err);
    });
  } catch (const config::GraphError& error) {
    err << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    err << "flowtrain " << Joined(fits) << ": " << error.what() << '\n';
  } catch (...) {
    err << "flowtrain " << Joined(fits) << ": it threw something that is no std::exception\n";
  }
  return 1;
}

void ListPluginCommands(std::ostream& out) {
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath({}));
  loader.LoadAll();
  const auto commands = OfferedByWords(registry);
  if (commands.empty()) return;
  out << "Of plugins:\n";
  for (const auto& [words, offered] : commands) {
    out << "  " << std::left << std::setw(26) << Joined(words) << HelpOf(registry, offered) << '\n';
  }
}

}  // namespace flowtrain::cli
