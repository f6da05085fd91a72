#include "pipeline/cli/plugin_new.h"

#include <flowtrain/error.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <system_error>
#include <vector>

#include "pipeline/cli/exit_codes.h"
#include "pipeline/cli/shell_word.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {
namespace {

namespace fs = std::filesystem;

// What a name or a folder is refused with.
struct Unusable {
  std::string why;
};

// Names of flowtrain's own libraries, whether they are built here or not.
constexpr const char* kOwn[] = {"api", "data", "flowtrain", "image", "model", "monitor", "staging", "testing", "train", "train_cuda", "train_torch"};
constexpr size_t kLongestName = 100;  // it stands in files' names

void CheckName(const std::string& name) {
  const bool starts = !name.empty() && name[0] >= 'a' && name[0] <= 'z';
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!starts || !plain)
    throw Unusable{"\"" + name + "\" is no plugin's name: it consists of a-z, 0-9 and _, and begins with a letter"};
  if (name.size() > kLongestName)
    throw Unusable{"\"" + name + "\" is no plugin's name: it has " + std::to_string(name.size()) +
                   " characters, " + std::to_string(kLongestName) + " are allowed"};
  if (std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn))
    throw Unusable{"\"" + name + "\" is a name of flowtrain's own; choose another one"};
  for (const fs::path& folder : plugin::SearchPath({})) {
    std::error_code error;
    const fs::path there = folder / plugin::LibraryName(name);
    if (fs::exists(there, error))
      throw Unusable{"there is a plugin \"" + name + "\" already: " + there.string()};
  }
}

void CheckFolder(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  if (!fs::is_directory(folder, error))
    throw Unusable{folder.string() + " is there already, and is no folder"};
  if (!fs::is_empty(folder, error) || error)
    throw Unusable{"the folder " + folder.string() + " is there already, and not empty"};
}

fs::path ProgramFolder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error("can't tell where this program is: " + error.message());
  return program.parent_path();
}

struct Template {
  fs::path folder;
  bool installed = true;  // false: it stands beside a program in its build folder
};

Template FindTemplate(const fs::path& bin) {
  const fs::path part = fs::path("flowtrain") / "plugin_template" / "new";
  const fs::path folders[] = {bin / "share" / part, bin / FLOWTRAIN_DATA_FROM_BIN / part};
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::is_directory(folder, error)) return {folder, &folder != &folders[0]};
  }
  throw Error("the template is not there; searched " + folders[0].lexically_normal().string() + ", " +
              folders[1].lexically_normal().string());
}

std::string Filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) {
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + value.size()))
      text.replace(at, key.size(), value);
  }
  return text;
}

std::string Read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) throw Error("can't read " + file.string());
  return text;
}

void Write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error("can't write " + file.string());
}

// All of them, or nothing: what it made is removed where one can't be written.
void WriteAll(const std::map<fs::path, std::string>& files, const fs::path& folder) {
  std::vector<fs::path> made;  // the last one first
  std::error_code unseen;
  for (fs::path missing = fs::absolute(folder).lexically_normal(); !fs::exists(missing, unseen);) {
    if (missing.has_filename()) made.push_back(missing);
    missing = missing.parent_path();
  }
  try {
    fs::create_directories(folder);
    for (const auto& [file, text] : files) {
      made.insert(made.begin(), file);
      Write(file, text);
    }
  } catch (...) {
    for (const fs::path& path : made) fs::remove(path, unseen);
    throw;
  }
}

// Whether what it made can be built with this program's package.
bool Make(const std::string& name, const fs::path& folder) {
  const fs::path bin = ProgramFolder();
  const Template from = FindTemplate(bin);
  const std::map<std::string, std::string> values = {
      {"@name@", name}, {"@version@", FLOWTRAIN_VERSION}, {"@bin@", ShellWord(bin.string())}};
  std::map<fs::path, std::string> files;
  for (const auto& entry : fs::directory_iterator(from.folder))
    files[folder / entry.path().filename()] = Filled(Read(entry.path()), values);
  WriteAll(files, folder);
  return from.installed;
}

}  // namespace

int PluginNew(const PluginNewOptions& options, std::ostream& out, std::ostream& err) {
  const fs::path folder = options.folder.empty() ? fs::path(options.name) : options.folder;
  bool installed = true;
  try {
    CheckName(options.name);
    CheckFolder(folder);
    installed = Make(options.name, folder);
  } catch (const Unusable& unusable) {
    err << unusable.why << '\n';
    return kUsage;
  } catch (const std::exception& error) {
    err << "flowtrain plugin new: " << error.what() << '\n';
    return kFailed;
  }
  out << "Made the plugin " << options.name << " with the stage " << options.name << ".box in "
      << folder.string() << ".\nHow to build, test and run it: " << (folder / "README.md").string()
      << '\n';
  if (!installed) {
    err << "This flowtrain is not installed, so CMake won't find its package: run deploy/setup --install, and "
           "put the bin folder that it names on PATH in place of the README's.\n";
  }
  return 0;
}

void AddPlugin(CLI::App& app, int& exit_code) {
  CLI::App* plugin = app.add_subcommand("plugin", "Begin a plugin of your own.");
  plugin->require_subcommand(1);
  CLI::App* command =
      plugin->add_subcommand("new", "Make a folder with a plugin: a stage, its test, a graph, a README.");
  const auto options = std::make_shared<PluginNewOptions>();
  command->add_option("name", options->name, "The plugin's name: a-z, 0-9 and _, a letter first.")
      ->required()
      ->type_name("NAME");
  command->add_option("folder", options->folder, "Where; must not be there yet, or be empty. Default: NAME.")
      ->type_name("DIR");
  command->callback([options, &exit_code] { exit_code = PluginNew(*options, std::cout, std::cerr); });
}

}  // namespace flowtrain::cli
