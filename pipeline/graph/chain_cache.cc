#include "pipeline/graph/chain_cache.h"

#include <flowtrain/error.h>

#include "pipeline/graph/outcome.h"

namespace flowtrain::graph {

storage::Cache* CacheOf(RunParts& run, const std::string& file, const config::Chain& chain) {
  using storage::CacheSettings;
  const config::SourceParams& params = chain.source_params;
  CacheSettings settings;
  settings.kind = params.cache == "disk" ? CacheSettings::kDisk : params.cache == "ram" ? CacheSettings::kRam : CacheSettings::kNone;
  settings.bytes = static_cast<uint64_t>(params.cache_bytes.value);
  try {
    if (settings.kind == CacheSettings::kDisk) settings.folder = params.cache_dir.text;
    if (settings.kind == CacheSettings::kDisk && settings.folder.empty()) settings.folder = run.host.cache_dir() / "files";
    return run.caches.Of(chain.source.name, settings);
  } catch (const Error& error) {
    throw OpenRefused(file + ": " + chain.source.pointer + "/cache_dir: " + error.what());
  }
}

std::optional<storage::Cached> Counted(RunParts& run, const config::Chain& chain, storage::Cache* cache, std::atomic<uint64_t>* unkept) {
  if (cache == nullptr) return std::nullopt;
  const metrics::CacheSeries series = run.metrics.Cache(chain.source.name);
  return storage::Cached{*cache, series.hits, series.misses, unkept};
}

}  // namespace flowtrain::graph
