#include "pipeline/cli/rehearse_phases.h"

#include <flowtrain/stage.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/graph/bounded_call.h"
#include "pipeline/graph/granted_cpus.h"
#include "pipeline/graph/outcome.h"
#include "pipeline/graph/sampler.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::cli {
namespace {

constexpr std::chrono::milliseconds kLook{100}, kGrace{1000};

// Says nothing: what a stage has to say comes again when its phase begins.
class QuietContext final : public OpenContext {
 public:
  struct Run {
    graph::RunHost& host;
    const ProvidedLookup find;
    const std::function<bool()> stopped;
    std::string file;
    uint64_t seed = 0;
    int granted_cpus = 1;
    metrics::RunMetrics metrics{};  // its own, read by nobody
  };
  QuietContext(Run& run, const PhaseInfo& phase, const config::StageNode& node,
               std::vector<NamedSource> sources)
      : run_(run), phase_(phase), node_(node), sources_(std::move(sources)) {}

  void Refuse(const std::string& parameter, const std::string& why) override {
    throw graph::OpenRefused(run_.file + ": " + node_.pointer + "/" + parameter + ": in phase \"" +
                             phase_.name + "\": " + why);
  }
  void Info(const std::string&) override {}
  void Warn(const std::string&) override {}
  void Progress(const std::string& what, uint64_t done, uint64_t total) override {
    if (run_.stopped()) throw Cancelled();
    run_.host.Opening(what, done, total);
  }
  uint64_t seed() const override { return run_.seed; }
  const PhaseInfo& phase() const override { return phase_; }
  std::filesystem::path cache_dir() const override { return run_.host.cache_dir(); }
  const InputInfo& input(std::string_view name) const override {
    throw Error("there is no input \"" + std::string(name) + "\"");
  }
  Instruments& metrics() override { return run_.metrics.ForStage(node_.name); }
  int granted_cpus() const override { return run_.granted_cpus; }
  std::span<const NamedSource> sources() const override { return sources_; }
  void* FindProvided(const std::string& interface, const std::string& name) override {
    return run_.find(interface, name);
  }

 private:
  Run& run_;
  const PhaseInfo& phase_;
  const config::StageNode& node_;
  const std::vector<NamedSource> sources_;
};

// Closes what it has opened.
struct Opened {
  std::unique_ptr<Stage> stage;
  explicit Opened(std::unique_ptr<Stage> made, OpenContext& context) : stage(std::move(made)) { stage->Open(context); }
  Opened(Opened&&) = default;
  Opened& operator=(Opened&&) = delete;
  ~Opened() {
    if (stage) stage->Close();
  }
};

class Rehearsal {
 public:
  Rehearsal(const config::ValidatedGraph& graph, graph::RunHost& host, const ProvidedLookup& find,
            const std::function<bool()>& stopped)
      : graph_(graph), run_{host, find, stopped, graph.file, graph.seed, graph::FindGrantedCpus().count} {}

  void Run() {
    PhaseInfo info;
    info.count = static_cast<int>(graph_.phases.size());
    for (const config::Phase& phase : graph_.phases) {
      info.name = phase.name;
      info.epochs = phase.epochs;
      // The first one is opened in earnest now.
      for (const config::Chain& chain : phase.graph.chains) RunChain(chain, info);
      for (const config::StageNode& node : phase.graph.batch_transforms) Make(node, info);
      for (const config::StageNode& node : phase.graph.consumers) Make(node, info);
      ++info.index;
      info.first_epoch += phase.epochs;
    }
  }
  std::string at_work() const {
    const std::lock_guard lock(mutex_);
    return at_work_;
  }

 private:
  template <class Body>
  auto InPhase(const config::StageNode& node, const PhaseInfo& info, const Body& body) {
    {
      const std::lock_guard lock(mutex_);
      at_work_ = node.name;
    }
    if (run_.stopped()) throw Cancelled();
    try {
      return body();
    } catch (const graph::OpenRefused&) {
      throw;
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      throw Error(node.name + ": in phase \"" + info.name + "\": " + error.what());
    }
  }

  // True: these parameters of the stage were not seen yet.
  bool IsNew(const config::StageNode& node) {
    return seen_.insert(node.name + " " + node.params.ToJson()).second;
  }
  // Into which batches an epoch is parted.
  static graph::Sampler::Settings Parting(const config::Chain& chain, uint64_t size) {
    const config::SamplerParams& sampler = chain.source_params.sampler;
    return {.size = size, .batch = chain.staging_params.batch, .last_batch = chain.staging_params.last_batch,
            .rank = sampler.rank, .world_size = sampler.world_size};
  }

  void RunChain(const config::Chain& chain, const PhaseInfo& info) {
    bool source_is_new = IsNew(chain.source);
    const graph::Sampler::Settings parting = Parting(chain, 0);
    source_is_new |= seen_.insert(chain.staging + " " + std::to_string(parting.batch) + " " + parting.last_batch + " " +
                                  std::to_string(parting.rank) + " " + std::to_string(parting.world_size)).second;
    for (const config::UpstreamNode& upstream : chain.upstream) source_is_new |= IsNew(upstream.node);
    if (info.index > 0 && source_is_new) OpenSources(chain, info);
    for (const config::StageNode& node : chain.transforms) {
      if (IsNew(node) && info.index > 0) Open(node, info, {});
    }
  }

  void OpenSources(const config::Chain& chain, const PhaseInfo& info) {
    std::vector<Opened> opened;
    const auto into = [&](const std::string& stage) {
      std::vector<NamedSource> sources;
      for (size_t i = 0; i < opened.size(); ++i) {
        if (chain.upstream[i].into == stage)
          sources.push_back({chain.upstream[i].node.name, dynamic_cast<const Source&>(*opened[i].stage)});
      }
      return sources;
    };
    for (const config::UpstreamNode& upstream : chain.upstream)
      opened.push_back(Open(upstream.node, info, into(upstream.node.name)));
    const Opened source = Open(chain.source, info, into(chain.source.name));
    const uint64_t size = dynamic_cast<const Source&>(*source.stage).Size();
    try {
      graph::Sampler unused(Parting(chain, size));
    } catch (const Error& error) {
      throw graph::OpenRefused(run_.file + ": /stages/" + chain.staging + ": in phase \"" + info.name + "\": " + error.what());
    }
  }

  Opened Open(const config::StageNode& node, const PhaseInfo& info, std::vector<NamedSource> sources) {
    return InPhase(node, info, [&] {
      QuietContext context(run_, info, node, std::move(sources));
      return Opened(node.declaration->create(node.params), context);
    });
  }
  void Make(const config::StageNode& node, const PhaseInfo& info) {
    if (IsNew(node) && info.index > 0) InPhase(node, info, [&] { return node.declaration->create(node.params); });
  }

  const config::ValidatedGraph& graph_;
  QuietContext::Run run_;
  std::set<std::string> seen_;
  mutable std::mutex mutex_;  // protects at_work_
  std::string at_work_;
};

}  // namespace

void RehearsePhases(const config::ValidatedGraph& graph, graph::RunHost& host,
                    const ProvidedLookup& find, const std::function<bool()>& stopped) {
  if (graph.phases.size() < 2) return;
  const auto rehearsal = std::make_shared<Rehearsal>(graph, host, find, stopped);
  graph::BoundedCall call([rehearsal] { rehearsal->Run(); });
  while (!call.Wait(kLook)) {
    if (stopped() && !call.Wait(kGrace)) throw graph::OpenAbandoned(rehearsal->at_work());
    if (stopped()) throw Cancelled();
  }
}

}  // namespace flowtrain::cli
