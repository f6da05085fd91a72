#include "pipeline/cli/check_arguments.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "pipeline/config/json_text.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {
namespace {

// "name=text" -> name and text.
std::pair<std::string, std::string> Assignment(const std::string& option, const std::string& text,
                                               const std::string& example) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Usage{option + " " + text + ": has no \"=\"; one looks like " + example};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

Library LibraryOf(const std::string& argument) {
  std::error_code error;
  Library library;
  library.path = std::filesystem::absolute(argument, error);
  library.folder = library.path.parent_path();
  if (!std::filesystem::is_regular_file(library.path, error))
    throw Usage{argument + ": there is no such file"};
  const std::string file = library.path.filename().string();
  for (const std::string& plugin : plugin::LibrariesIn(library.folder)) {
    if (plugin::LibraryName(plugin) == file) library.plugin = plugin;
  }
  if (library.plugin.empty())
    throw Usage{argument + ": a plugin's file is named " + plugin::LibraryName("NAME")};
  return library;
}

EncodedFiles ReadSamples(const std::vector<std::string>& options) {
  EncodedFiles files;
  for (const std::string& sample : options) {
    const auto [name, path] = Assignment("--sample", sample, "image=photo.webp");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Usage{"--sample " + sample + ": " + path + " can't be read"};
    files[name].emplace_back(std::istreambuf_iterator<char>(file),
                             std::istreambuf_iterator<char>());
  }
  return files;
}

std::map<std::string, Value> ReadParams(const std::vector<std::string>& options) {
  std::map<std::string, Value> params;
  for (const std::string& option : options) {
    const auto [type, text] = Assignment("--params", option, "blur.box='{\"radius\": 2}'");
    config::Faults faults("--params " + type);
    std::optional<Value> value = config::ParseJson(text, faults);
    try {
      faults.ThrowIfAny();
    } catch (const config::GraphError& error) {
      throw Usage{error.what()};
    }
    if (!value->is_object())
      throw Usage{"--params " + type + ": expected an object, found " + value->KindName()};
    params[type] = *std::move(value);
  }
  return params;
}

}  // namespace flowtrain::cli
