#include "pipeline/graph/cache_fill.h"

#include <flowtrain/back_off.h>
#include <flowtrain/error.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "pipeline/graph/chain_cache.h"
#include "pipeline/graph/make_stage.h"
#include "pipeline/graph/open_context.h"
#include "pipeline/graph/start_thread.h"
#include "pipeline/graph/storage_context.h"

namespace flowtrain::graph {
namespace {

constexpr std::chrono::milliseconds kLook{50}, kGrace{1000};

// The sources of a chain that read files themselves.
std::vector<const config::StageNode*> Readers(const config::Chain& chain) {
  std::vector<const config::StageNode*> readers;
  const auto add = [&readers](const config::StageNode& node) {
    if (!node.declaration->takes_sources) readers.push_back(&node);
  };
  for (const config::UpstreamNode& upstream : chain.upstream) add(upstream.node);
  add(chain.source);
  return readers;
}

}  // namespace

CacheFill::CacheFill(const config::ValidatedGraph& graph, RunHost& host, metrics::RunMetrics& metrics, ProvidedLookup find_provided)
    : graph_(graph), run_(graph, host, metrics, {.find_provided = std::move(find_provided), .batch_hashes = {}}) {}

std::vector<CacheFilled> CacheFill::Run(const std::function<void(const std::string&)>& abandon) {
  abandon_ = abandon;
  std::vector<const config::ValidatedGraph*> graphs;
  for (const config::Phase& phase : graph_.phases) graphs.push_back(&phase.graph);
  if (graphs.empty()) graphs.push_back(&graph_);
  std::set<std::pair<std::string, storage::Cache*>> seen;  // phases may have a source in common
  std::vector<CacheFilled> all;
  for (const config::ValidatedGraph* graph : graphs) {
    for (const config::Chain& chain : graph->chains) {
      if (chain.source_params.cache != "disk") continue;
      storage::Cache* cache = CacheOf(run_, graph_.file, chain);
      for (const config::StageNode* node : Readers(chain)) {
        if (seen.emplace(node->name + " " + node->params.ToJson(), cache).second) all.push_back(Fill(chain, *node, *cache));
      }
    }
  }
  return all;
}

// Until no thread runs.
void CacheFill::WaitFor(const std::atomic<int>& running, const std::atomic<uint64_t>& done, const CacheFilled& filled) {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> stopped;
  while (running.load() > 0) {
    std::this_thread::sleep_for(kLook);
    run_.host.Opening("filling the cache of " + filled.source, done, filled.samples);
    if (!run_.stopped()) continue;
    if (!stopped) stopped = Clock::now();
    if (Clock::now() - *stopped > kGrace) abandon_(filled.source);
  }
}

CacheFilled CacheFill::Fill(const config::Chain& chain, const config::StageNode& node, storage::Cache& cache) {
  const std::unique_ptr<Source> source = MakeStage<Source>(run_, node);
  const PhaseInfo phase;
  const StageOpenContext::Run open_run{run_.host, run_.metrics, graph_.seed, phase, run_.granted.count, graph_.file,
                                       [this] { return run_.stopped(); }, run_.options.find_provided};
  StageOpenContext context(open_run, node, {});
  OpenNamed(run_, *source, node, context);
  struct Closing {
    Source& source;
    ~Closing() { source.Close(); }
  } const closing{*source};
  CacheFilled filled;
  filled.source = node.name;
  filled.cache = cache.Describe();
  filled.samples = source->Size();
  const metrics::StageTotals before = run_.metrics.Totals(chain.source.name);
  const uint64_t bytes = cache.use().bytes;
  std::atomic<uint64_t> unkept{0};
  ReadAll(*source, chain, filled, Counted(run_, chain, &cache, &unkept));
  filled.unkept = unkept;
  const metrics::StageTotals after = run_.metrics.Totals(chain.source.name);
  filled.held = static_cast<uint64_t>(after.cache_hits - before.cache_hits);
  filled.read = static_cast<uint64_t>(after.cache_misses - before.cache_misses);
  filled.bytes = cache.use().bytes - bytes;
  return filled;
}

void CacheFill::ReadAll(const Source& source, const config::Chain& chain, CacheFilled& filled, const std::optional<storage::Cached>& cached) {
  std::atomic<uint64_t> next{0}, done{0}, bad{0};
  std::atomic<int> running{0};
  std::mutex mutex;  // protects cause
  std::exception_ptr cause;
  std::atomic<bool> failed{false};
  const std::function<bool()> stopping = [&] { return failed.load() || run_.stopped(); };
  const auto fail = [&](std::exception_ptr why) {
    const std::lock_guard lock(mutex);
    if (!cause) cause = std::move(why);
    failed = true;
  };
  const auto read_some = [&] {
    StorageContext context(cached, run_.metrics.Source(chain.source.name).read_bytes, stopping);
    for (uint64_t index = next++; index < filled.samples && !stopping(); index = next++) {
      Sample sample;
      sample.id.index = index;
      try {
        WithBackOff([&] { source.Read(index, sample, context); }, stopping);
      } catch (const BadSample& fault) {
        ++bad;
        run_.WarnOnce(filled.source + ": " + fault.what());
      } catch (...) {
        if (stopping()) return;
        return fail(WithPlace(filled.source, "sample " + std::to_string(index) + (sample.path.empty() ? "" : " (" + sample.path + ")")));
      }
      ++done;
    }
  };
  struct Threads {
    std::atomic<bool>& stop;
    std::vector<std::thread> all{};
    ~Threads() {
      stop = true;  // they have ended, or another one could not be started
      for (std::thread& thread : all) thread.join();
    }
  };
  {
    Threads threads{failed};
    const auto count = std::min<uint64_t>(filled.samples, static_cast<uint64_t>(chain.source_params.io_threads));
    for (uint64_t t = 0; t < count; ++t) {
      ++running;
      threads.all.push_back(StartThread("ft-fill", [&] {
        try {
          read_some();
        } catch (...) {
          fail(std::current_exception());
        }
        --running;
      }));
    }
    WaitFor(running, done, filled);
  }
  filled.bad = bad;
  if (cause) std::rethrow_exception(cause);
  if (run_.stopped()) throw Cancelled();
}

}  // namespace flowtrain::graph
