#include "pipeline/graph/upstream_source.h"

#include <chrono>

#include "pipeline/graph/work.h"

namespace flowtrain::graph {

// The engine asks, and so may what draws from it.
uint64_t UpstreamSource::Fingerprint() const {
  if (!fingerprint_) fingerprint_ = source_->Fingerprint();
  return *fingerprint_;
}

void UpstreamSource::Read(uint64_t index, Sample& sample, ReadContext& context) const {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  try {
    source_->Read(index, sample, context);
  } catch (const BadSample&) {
    series_.bad.Add(1);
    throw;
  } catch (const Transient&) {
    throw;  // the reader tries again
  } catch (...) {
    if (context.stopping()) throw;  // whatever a read says that was told to stop
    series_.failed.Add(1);
    std::rethrow_exception(WithPlace(name_, ""));
  }
  series_.ok.Add(1);
  series_.duration.Observe(std::chrono::duration<double>(Clock::now() - start).count());
}

}  // namespace flowtrain::graph
