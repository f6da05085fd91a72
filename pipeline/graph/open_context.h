// The OpenContext the executor gives each stage: refusals name the parameter's place in the file.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <flowtrain/context.h>

#include "pipeline/config/validated_graph.h"
#include "pipeline/graph/executor_options.h"
#include "pipeline/graph/outcome.h"
#include "pipeline/graph/run_host.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::graph {

class StageOpenContext final : public OpenContext {
 public:
  struct Run {
    RunHost& host;
    metrics::RunMetrics& metrics;
    uint64_t seed = 0;
    const PhaseInfo& phase;
    int granted_cpus = 1;
    std::string file;
    std::function<bool()> stopped;
    const ProvidedLookup& find_provided;
  };
  StageOpenContext(const Run& run, const config::StageNode& node,
                   std::vector<std::pair<std::string, InputInfo>> inputs,
                   std::vector<NamedSource> sources = {}, bool resuming = false)
      : run_(run),
        node_(node),
        inputs_(std::move(inputs)),
        sources_(std::move(sources)),
        resuming_(resuming) {}

  void Refuse(const std::string& parameter, const std::string& why) override {
    throw OpenRefused(run_.file + ": " + node_.pointer + "/" + parameter + ": " + why);
  }
  void Info(const std::string& message) override { run_.host.Info(node_.name + ": " + message); }
  void Warn(const std::string& message) override { run_.host.Warn(node_.name + ": " + message); }
  void Progress(const std::string& what, uint64_t done, uint64_t total) override {
    if (run_.stopped()) throw Cancelled();
    run_.host.Opening(what, done, total);
  }
  uint64_t seed() const override { return run_.seed; }
  const PhaseInfo& phase() const override { return run_.phase; }
  std::filesystem::path cache_dir() const override { return run_.host.cache_dir(); }
  const InputInfo& input(std::string_view name) const override {
    for (const auto& [port, info] : inputs_) {
      if (port == name) return info;
    }
    throw Error("there is no input \"" + std::string(name) + "\"");
  }
  Instruments& metrics() override { return run_.metrics.ForStage(node_.name); }
  int granted_cpus() const override { return run_.granted_cpus; }
  std::span<const NamedSource> sources() const override { return sources_; }
  void* FindProvided(const std::string& interface, const std::string& name) override {
    if (run_.find_provided) return run_.find_provided(interface, name);
    throw Error("nothing provides \"" + name + "\" as " + interface + ": this run has no plugins");
  }
  bool resuming() const override { return resuming_; }

 private:
  const Run& run_;
  const config::StageNode& node_;
  const std::vector<std::pair<std::string, InputInfo>> inputs_;
  const std::vector<NamedSource> sources_;
  const bool resuming_;
};

}  // namespace flowtrain::graph
