#include "pipeline/cli/check_arguments.h"

#include <optional>
#include <utility>

#include "pipeline/config/json_text.h"
#include "pipeline/config/regular_file.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {
namespace {

constexpr size_t kMostSampleBytes = 1 << 30;

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
  if (!std::filesystem::exists(library.path, error))
    throw Usage{argument + ": there is no such file"};
  if (!std::filesystem::is_regular_file(library.path, error)) {
    throw Usage{argument + ": this is " + (std::filesystem::is_directory(library.path, error) ? "a folder" : "no regular file") +
                "; expected a plugin's file, " + plugin::LibraryName("NAME")};
  }
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
    config::RegularFile file(path);
    if (file.why_not().empty() && file.size() > kMostSampleBytes)
      throw Usage{"--sample " + sample + ": " + path + " has " + std::to_string(file.size()) + " bytes; a sample has at most 1 GiB"};
    if (file.why_not().empty()) files[name].push_back(file.ReadAll(kMostSampleBytes));
    if (!file.why_not().empty()) throw Usage{"--sample " + sample + ": " + path + ": " + file.why_not()};
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
