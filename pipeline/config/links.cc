#include "pipeline/config/links.h"

#include <algorithm>
#include <optional>

#include "pipeline/config/allowed.h"
#include "pipeline/config/nearest.h"
#include "pipeline/config/pointer.h"

namespace flowtrain::config {
namespace {

// "b.port"
struct End {
  std::string stage, port;
};

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<End> ParseChain(const std::string& text) {
  std::vector<End> ends;
  for (size_t from = 0; from <= text.size();) {
    const size_t arrow = std::min(text.find("->", from), text.size());
    const std::string end = Trimmed(text.substr(from, arrow - from));
    const size_t dot = end.find('.');
    ends.push_back(dot == std::string::npos ? End{end, ""}
                                            : End{end.substr(0, dot), end.substr(dot + 1)});
    from = arrow + 2;
  }
  return ends;
}

// Resolves the ends of one line.
class Line {
 public:
  Line(const std::vector<StageEntry>& entries, std::string pointer, Faults& faults)
      : entries_(entries), pointer_(std::move(pointer)), faults_(faults) {}

  void Read(const std::string& text, Links& links) {
    const std::vector<End> ends = ParseChain(text);
    const bool empty =
        std::any_of(ends.begin(), ends.end(), [](const End& end) { return end.stage.empty(); });
    if (empty || ends.size() < 2) {
      return Fault(
          "\"" + text +
          "\" is no chain; one looks like \"files -> decode -> staging -> trainer.train\"");
    }
    if (!ends[0].port.empty())
      Fault("the first stage of a chain takes nothing, so \"" + ends[0].stage + "." + ends[0].port +
            "\" names no input");
    std::vector<std::optional<size_t>> stages;
    for (const End& end : ends) stages.push_back(Find(end.stage));
    for (size_t i = 1; i < ends.size(); ++i) {
      if (stages[i - 1] && stages[i]) {
        Link link{*stages[i - 1], *stages[i], "", pointer_};
        if (Fits(entries_[link.from], entries_[link.to]) &&
            Port(entries_[link.to], ends[i], link.port)) {
          links.all.push_back(link);
          continue;
        }
      }
      if (stages[i - 1]) links.excused[*stages[i - 1]] = true;
      if (stages[i]) links.excused[*stages[i]] = true;
    }
  }

 private:
  void Fault(std::string message) { faults_.Add(pointer_, std::move(message)); }

  std::optional<size_t> Find(const std::string& name) {
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].name == name) return i;
    }
    constexpr size_t kMostNames = 1000;  // a hint takes no more
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min(entries_.size(), kMostNames); ++i)
      names.push_back(entries_[i].name);
    Fault("there is no stage \"" + name + "\"" + Hint(name, names));
    return std::nullopt;
  }

  bool Fits(const StageEntry& from, const StageEntry& to) {
    if (from.role == Role::kUnknown || to.role == Role::kUnknown) return true;
    const std::string arrow = "\"" + from.name + " -> " + to.name + "\": ";
    if (to.takes_sources()) {
      if (from.role == Role::kSource) return true;
      Fault(arrow + "\"" + to.name + "\" draws from sources, and \"" + from.name + "\" is none");
    } else if (to.role == Role::kSource) {
      Fault(arrow + "\"" + to.name + "\" is a source, which has no input");
    } else if (from.role == Role::kConsumer) {
      Fault(arrow + "\"" + from.name + "\" is a consumer, which has no output");
    } else if (from.gives_samples() && to.takes_batches()) {
      Fault(arrow + "\"" + to.name + "\" takes batches, \"" + from.name +
            "\" gives samples; a stage of type \"staging\" has to stand between");
    } else if (from.gives_batches() && to.takes_samples()) {
      Fault(arrow + "\"" + to.name + "\" takes samples, \"" + from.name +
            "\" gives batches; it has to stand before staging");
    } else {
      return true;
    }
    return false;
  }

  bool Port(const StageEntry& to, const End& end, std::string& port) {
    if (to.role == Role::kUnknown) {
      port = end.port;
      return true;
    }
    if (!to.takes_batches()) {
      if (end.port.empty() || end.port == "in") return true;
      Fault("\"" + to.name + "\" has no input \"" + end.port +
            "\"; it has one, which needs no name");
      return false;
    }
    std::vector<std::string> names;
    for (const InputPort& input : to.declaration->inputs) names.push_back(input.name);
    port = end.port;
    if (port.empty() && names.size() == 1) port = names[0];
    if (port.empty()) {
      Fault("\"" + to.name + "\" has several inputs; name one, as in \"" + to.name + "." +
            (names.empty() ? "in" : names[0]) + "\"; allowed: " + Quoted(names));
    } else if (std::find(names.begin(), names.end(), port) == names.end()) {
      Fault("\"" + to.name + "\" has no input \"" + port + "\"" + Hint(port, names));
    } else {
      return true;
    }
    return false;
  }

  const std::vector<StageEntry>& entries_;
  const std::string pointer_;
  Faults& faults_;
};

}  // namespace

Links ReadLinks(const Value& graph, const std::vector<StageEntry>& entries, Faults& faults) {
  Links links{{}, std::vector<bool>(entries.size(), false)};
  const Value* edges = graph.Find("edges");
  if (edges == nullptr) {
    faults.Add("",
               "\"edges\" is missing: expected a list of chains such as \"files -> decode -> "
               "staging -> trainer.train\"");
    return links;
  }
  if (!edges->is_list()) {
    faults.Add(
        "/edges",
        "expected a list of chains such as \"files -> decode -> staging\", found " + Found(*edges));
    return links;
  }
  for (size_t i = 0; i < edges->AsList().size(); ++i) {
    const Value& edge = edges->AsList()[i];
    if (edge.is_string()) {
      Line(entries, Join("/edges", i), faults).Read(edge.AsString(), links);
    } else {
      faults.Add(Join("/edges", i),
                 "expected a chain such as \"files -> decode -> staging\", found " + Found(edge));
    }
  }
  return links;
}

}  // namespace flowtrain::config
