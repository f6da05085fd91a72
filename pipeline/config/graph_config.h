// From a graph file's text to a ValidatedGraph. Every fault is reported, not the first one only.
// Used once, on the main thread, before anything else starts.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipeline/config/validated_graph.h"

namespace flowtrain::config {

// One fault: "graphs/a.json: /stages/files/rot: unknown parameter ..., did you mean \"root\"?"
struct Fault {
  std::string file;
  std::string pointer;  // JSON Pointer; for broken JSON "line 3, column 7"
  std::string message;  // what was found, what is allowed, the nearest known name
  std::string ToString() const;
};

// All faults of a graph. what() has one line a fault.
class GraphError : public std::runtime_error {
 public:
  explicit GraphError(std::vector<Fault> faults);
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  std::vector<Fault> faults_;
};

// Looks a stage type up ("data.segmentation"), loading its plugin if need be. Null: not found;
// `known` then gets the types there are and `why` what else helps (the folders searched, a refusal).
using StageLookup = std::function<const StageDeclaration*(const std::string& type, std::vector<std::string>& known, std::string& why)>;

// Why nothing can provide `name` as `interface`. Empty: something does, or its plugin is there and would
// have to be opened to know.
using ProvidedCheck = std::function<std::string(const std::string& interface, const std::string& name)>;

// How the names of a graph are looked up.
struct Lookup {
  StageLookup stage;
  ProvidedCheck why_not_provided;  // null: what is provided is not looked at
};

struct LoadOptions {
  std::vector<std::string> sets;       // "--set /stages/staging/batch=16": JSON Pointer = JSON (or a bare string)
  std::optional<std::string> profile;  // "--profile NAME"; "none" turns when_unset profiles off
  std::function<const char*(const char*)> getenv;  // default: std::getenv
};

// Reads, substitutes, checks. Order: file -> profile -> --set -> ${NAME} substitution.
// Throws GraphError.
ValidatedGraph Load(const std::filesystem::path& file, const LoadOptions& options, const Lookup& lookup);
// The same from text; `file` is only a name for messages.
ValidatedGraph LoadText(const std::string& text, const std::string& file, const LoadOptions& options, const Lookup& lookup);

}  // namespace flowtrain::config
