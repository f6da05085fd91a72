// Gathers the faults of one graph, so that all are reported at once, in the order of the file.
// Owned by Load; main thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pipeline/config/graph_config.h"

namespace flowtrain::config {

// Where in the text each value starts, by JSON Pointer.
using Places = std::map<std::string, size_t>;

class Faults {
 public:
  explicit Faults(std::string file) : file_(std::move(file)) {}

  void set_places(Places places) { places_ = std::move(places); }
  void Add(const std::string& pointer, std::string message) {
    ++count_;
    if (faults_.size() < kMostKept) faults_.push_back({file_, pointer, std::move(message)});
  }
  // A fault of the command line: `option` ("--set") stands where the file would.
  void AddOption(const std::string& option, const std::string& argument, std::string message) {
    option_faults_.push_back({option, argument, std::move(message)});
  }
  // Those of `other` that are not here yet, each with `where` before its message, and its notes.
  void AddNew(const Faults& other, const std::string& where);
  size_t size() const { return count_ + option_faults_.size(); }
  // What is no fault, but worth a warning.
  void Note(const std::string& pointer, std::string message) {
    notes_.push_back(Fault{file_, pointer, std::move(message)}.ToString());
  }
  const std::vector<std::string>& notes() const { return notes_; }
  // Throws GraphError where there are faults.
  void ThrowIfAny() const;

 private:
  static constexpr size_t kMostKept = 100;  // the others are counted: a file may have millions
  size_t PlaceOf(std::string pointer) const;

  std::string file_;
  Places places_;
  std::vector<Fault> faults_, option_faults_;
  size_t count_ = 0;  // of those of the file
  std::vector<std::string> notes_;
};

}  // namespace flowtrain::config
