#include "pipeline/graph/bad_samples.h"

#include <flowtrain/error.h>

#include <algorithm>
#include <cstdio>

namespace flowtrain::graph {

BadSamples::BadSamples(RunHost& host, metrics::RunMetrics& metrics, double max_share)
    : host_(host), metrics_(metrics), max_share_(max_share) {}

void BadSamples::Add(int chain, uint64_t batch, BadPolicy policy, BadSampleInfo bad) {
  const std::string cause = bad.stage + ": " + bad.message;
  // A stage need not know which sample it has before it.
  const std::string name = bad.path.empty() ? "sample " + std::to_string(bad.index) : bad.path;
  if (bad.message.find(name) == std::string::npos) bad.message += ", " + name;
  {
    const std::lock_guard lock(mutex_);
    untold_[{chain, batch}].bad.push_back({policy, std::move(bad)});
  }
  if (policy != BadPolicy::kFail) return;
  Tell(chain, batch);
  throw Error(cause);
}

void BadSamples::Filled(int chain, uint64_t batch, int rows) {
  const std::lock_guard lock(mutex_);
  untold_[{chain, batch}].rows = static_cast<uint64_t>(rows);
}

void BadSamples::Tell(int chain, uint64_t batch) {
  Untold told;
  {
    const std::lock_guard lock(mutex_);
    const auto found = untold_.find({chain, batch});
    if (found == untold_.end()) return;
    told = std::move(found->second);
    untold_.erase(found);
  }
  uint64_t reads = told.rows;
  for (const Bad& bad : told.bad) reads += bad.policy == BadPolicy::kReplace ? 1 : 0;  // and another one for it
  reads = reads_ += reads;
  if (told.bad.empty()) return;
  const uint64_t count = bad_ += told.bad.size();
  std::stable_sort(told.bad.begin(), told.bad.end(), [](const Bad& a, const Bad& b) { return a.info.position < b.info.position; });
  for (const Bad& bad : told.bad) Name(chain, bad);
  constexpr uint64_t kEnough = 100;  // reads before the share means something
  if (reads < kEnough || static_cast<double>(count) <= max_share_ * static_cast<double>(reads)) return;
  char text[160];
  std::snprintf(text, sizeof text, "%llu of %llu samples read can't be decoded, more than run/max_bad_share %g allows; the last one: ",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(reads), max_share_);
  const BadSampleInfo& last = told.bad.back().info;
  throw Error(last.stage + ": " + text + last.message);
}

void BadSamples::OutOfReplacements(int chain, uint64_t batch, const std::string& done, const std::string& cause) {
  Tell(chain, batch);
  throw Error(std::to_string(kMaxReplacements) + " replacements in a row can't be " + done + " either, the last one: " + cause);
}

void BadSamples::Name(int chain, const Bad& bad) {
  metrics_.BadSamples(bad.info.reason).Add(1);
  host_.BadSample(bad.info);
  if (bad.policy == BadPolicy::kFail) return;  // the run's error names it
  {
    const std::lock_guard lock(mutex_);
    if (!named_.emplace(chain, bad.info.index).second) return;
  }
  host_.Warn("bad sample " + std::string(bad.policy == BadPolicy::kReplace ? "replaced" : "left out") + ": " +
             bad.info.message + " (" + bad.info.stage + ")");
}

void BadSamples::DropUntold() {
  const std::lock_guard lock(mutex_);
  untold_.clear();
}

void BadSamples::CheckAny() const {
  const uint64_t reads = reads_.load();
  if (reads > 0 && bad_.load() >= reads) throw Error("not one of the " + std::to_string(reads) + " samples read can be decoded");
}

}  // namespace flowtrain::graph
