#include "pipeline/cli/usage.h"

#include <algorithm>
#include <iostream>
#include <vector>

#include "pipeline/config/nearest.h"

namespace flowtrain::cli {

bool IsCommand(const CLI::App& app, const std::string& word) {
  const auto commands = app.get_subcommands({});
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return command->get_name() == word; });
}

// CLI11 knows only that something was left over; people want to know what they meant.
void UnknownCommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (word.ends_with(".json")) {
    std::cerr << "flowtrain: \"" << word << "\" is no command; to run this graph: flowtrain run " << word << '\n';
    return;
  }
  std::cerr << "flowtrain: there is no command \"" << word << "\"" << config::Hint(word, known) << '\n';
}

// What CLI11 found no place for, with the option that was meant.
int Explain(const CLI::App& app, const CLI::ExtrasError& error) {
  const CLI::App* command = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  bool named = false;
  for (const std::string& word : command->remaining()) {
    if (!word.starts_with("-")) continue;
    const std::string option = word.substr(0, word.find('='));
    std::cerr << "flowtrain " << command->get_name() << ": there is no option \"" << option << '"' << config::Hint(option, known) << '\n';
    named = true;
  }
  if (named) return 2;
  std::cerr << "flowtrain " << command->get_name() << ": " << error.what() << "\n";
  const CLI::Option* set = command->get_option_no_throw("--set");
  if (set == nullptr || set->count() == 0) return 2;
  std::cerr << "--set takes one word, POINTER=VALUE, such as --set /stages/staging/batch=16\n";
  return 2;
}

}  // namespace flowtrain::cli
