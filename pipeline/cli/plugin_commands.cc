#include "pipeline/cli/plugin_commands.h"

#include <flowtrain/command.h>

#include <algorithm>
#include <iomanip>
#include <iterator>
#include <map>
#include <sstream>

#include "pipeline/cli/graph_options.h"
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

std::map<std::vector<std::string>, std::string> NamesByWords(const plugin::Registry& registry) {
  std::map<std::vector<std::string>, std::string> names;
  for (const auto& [key, provided] : registry.provided()) {
    if (key.first == Command::kInterface) names.emplace(WordsOf(key.second), key.second);
  }
  return names;
}

Command& Made(plugin::Registry& registry, const std::string& name) {
  return *static_cast<Command*>(registry.FindProvided(Command::kInterface, name));
}

std::string HelpOf(plugin::Registry& registry, const std::string& name) {
  try {
    return Made(registry, name).Help();
  } catch (const std::exception& error) {
    return std::string("can't be used: ") + error.what();
  }
}

}  // namespace

std::string CommandWords(const std::string& provided_name) { return Joined(WordsOf(provided_name)); }

std::optional<int> RunPluginCommand(const std::vector<std::string>& given, std::ostream& out,
                                    std::ostream& err) {
  // Of the arguments only --plugin-path is understood here, the others are the command's.
  CLI::App options;
  options.set_help_flag();
  options.allow_extras();
  std::vector<std::string> plugin_paths;
  AddPluginPath(options, plugin_paths);
  try {
    options.parse(std::vector<std::string>(given.rbegin(), given.rend()));
  } catch (const CLI::ParseError& error) {
    options.exit(error, out, err);
    return 2;
  }
  const std::vector<std::string> arguments = options.remaining();
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(plugin_paths));
  loader.LoadAll();
  std::vector<std::string> fits;  // the longest
  std::string name;
  for (const auto& [words, provided] : NamesByWords(registry)) {
    const bool begins = arguments.size() >= words.size() && std::equal(words.begin(), words.end(), arguments.begin());
    if (!begins || words.size() <= fits.size()) continue;
    fits = words;
    name = provided;
  }
  if (fits.empty()) {
    for (const plugin::Refusal& refusal : loader.refused())
      err << "the plugin \"" << refusal.plugin << "\" is refused: " << refusal.reason << '\n';
    return std::nullopt;
  }
  try {
    return Made(registry, name).Run({arguments.begin() + fits.size(), arguments.end()}, out, err);
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
  const auto names = NamesByWords(registry);
  if (names.empty()) return;
  out << "Of plugins:\n";
  for (const auto& [words, name] : names) {
    out << "  " << std::left << std::setw(26) << Joined(words) << HelpOf(registry, name) << '\n';
  }
}

}  // namespace flowtrain::cli
