#include "pipeline/graph/bad_samples.h"

#include <flowtrain/error.h>

#include <cstdio>

namespace flowtrain::graph {

BadSamples::BadSamples(RunHost& host, metrics::RunMetrics& metrics, double max_share)
    : host_(host), metrics_(metrics), max_share_(max_share) {}

void BadSamples::Add(int chain, BadPolicy policy, const BadSampleInfo& bad) {
  metrics_.BadSamples(bad.reason).Add(1);
  host_.BadSample(bad);
  const uint64_t count = bad_.fetch_add(1) + 1, reads = reads_.load();
  if (policy == BadPolicy::kFail) throw Error(bad.stage + ": " + bad.message);
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = named_.emplace(chain, bad.index).second;
  }
  if (first) {
    host_.Warn("bad sample " + std::string(policy == BadPolicy::kReplace ? "replaced" : "left out") + ": " + bad.message +
               " (" + bad.stage + ")");
  }
  constexpr uint64_t kEnough = 100;  // reads before the share means something
  if (reads >= kEnough && static_cast<double>(count) > max_share_ * static_cast<double>(reads)) {
    char text[160];
    std::snprintf(text, sizeof text, "%llu of %llu samples read can't be decoded, more than run/max_bad_share %g allows; the last one: ",
                  static_cast<unsigned long long>(count), static_cast<unsigned long long>(reads), max_share_);
    throw Error(text + bad.message);
  }
}

void BadSamples::CheckAny() const {
  const uint64_t reads = reads_.load();
  if (reads > 0 && bad_.load() >= reads) throw Error("not one of the " + std::to_string(reads) + " samples read can be decoded");
}

}  // namespace flowtrain::graph
