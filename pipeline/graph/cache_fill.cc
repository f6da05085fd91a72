#include "pipeline/graph/cache_fill.h"

#include <flowtrain/back_off.h>
#include <flowtrain/error.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "pipeline/graph/chain_cache.h"
#include "pipeline/graph/make_stage.h"
#include "pipeline/graph/open_context.h"
#include "pipeline/graph/start_thread.h"

namespace flowtrain::graph {
namespace {

constexpr std::chrono::milliseconds kLook{100};

class FillReads final : public ReadContext {
 public:
  FillReads(const storage::Reads& reads, const std::function<bool()>& stopping) : reads_(reads), stopping_(stopping) {}
  Buffer ReadFile(const std::filesystem::path& path) override { return reads_.File(path); }
  Buffer ReadPart(const FilePart& part) override { return reads_.Part(part); }
  bool stopping() const override { return stopping_(); }

 private:
  const storage::Reads& reads_;
  const std::function<bool()>& stopping_;
};

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

std::vector<CacheFilled> CacheFill::Run() {
  std::vector<CacheFilled> all;
  for (const config::Chain& chain : graph_.chains) {
    if (chain.source_params.cache != "disk") continue;
    storage::Cache* cache = CacheOf(run_, graph_.file, chain);
    for (const config::StageNode* node : Readers(chain)) all.push_back(Fill(chain, *node, *cache));
  }
  return all;
}

CacheFilled CacheFill::Fill(const config::Chain& chain, const config::StageNode& node, storage::Cache& cache) {
  const std::unique_ptr<Source> source = MakeStage<Source>(run_, node);
  const PhaseInfo phase;
  const StageOpenContext::Run open_run{run_.host, run_.metrics, graph_.seed, phase, run_.granted.count, graph_.file,
                                       [this] { return run_.stopped(); }, run_.options.find_provided};
  StageOpenContext context(open_run, node, {});
  source->Open(context);
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
  ReadAll(*source, chain, filled, Counted(run_, chain, &cache));
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
  const storage::Reads reads(cached, run_.metrics.Source(chain.source.name).read_bytes, stopping);
  const auto read_some = [&] {
    FillReads context(reads, stopping);
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
        const std::lock_guard lock(mutex);
        cause = WithPlace(filled.source, "sample " + std::to_string(index) + (sample.path.empty() ? "" : " (" + sample.path + ")"));
        failed = true;
        return;
      }
      ++done;
    }
  };
  struct Threads {
    std::vector<std::thread> all;
    ~Threads() {
      for (std::thread& thread : all) thread.join();
    }
  };
  {
    Threads threads;
    const auto count = std::min<uint64_t>(filled.samples, static_cast<uint64_t>(chain.source_params.io_threads));
    for (uint64_t t = 0; t < count; ++t) {
      ++running;
      threads.all.push_back(StartThread("ft-fill", [&] {
        read_some();
        --running;
      }));
    }
    while (running.load() > 0) {
      run_.Wait(kLook);
      run_.host.Opening("filling the cache of " + filled.source, done, filled.samples);
    }
  }
  filled.bad = bad;
  if (cause) std::rethrow_exception(cause);
  if (run_.stopped()) throw Cancelled();
}

}  // namespace flowtrain::graph
