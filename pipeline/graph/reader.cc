#include "pipeline/graph/reader.h"

#include <algorithm>

#include <flowtrain/back_off.h>

#include "pipeline/graph/start_thread.h"
#include "pipeline/graph/storage_context.h"
#include "pipeline/graph/work.h"

namespace flowtrain::graph {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Reader::Reader(Gate& gate, int chain, const Source& source, std::string stage, int threads, std::optional<storage::Cached> cached,
               BadPolicy policy, BadSamples& bad, metrics::SourceSeries series, std::function<void()> stopped)
    : gate_(gate), chain_(chain), source_(source), stage_(std::move(stage)), cached_(cached), policy_(policy), bad_(bad), series_(series),
      stopped_(std::move(stopped)), threads_(threads), now_(threads) {}

Reader::~Reader() = default;

void Reader::Start() {
  const std::lock_guard lock(mutex_);  // a thread that has ended waits to say so
  for (size_t t = 0; t < threads_.size(); ++t) {
    threads_[t] = StartThread("ft-read", [this, t] {
      try {
        Loop(static_cast<int>(t));
      } catch (...) {
        Fail("");
      }
      const std::lock_guard lock(mutex_);
      --running_;
      ended_.notify_all();
    });
    ++running_;
  }
}

bool Reader::End(Clock::duration limit) {
  std::unique_lock lock(mutex_);
  const bool all = ended_.wait_for(lock, limit, [this] { return running_ == 0; });
  lock.unlock();
  for (std::thread& thread : threads_) {
    if (all && thread.joinable()) thread.join();
  }
  return all;
}

void Reader::Detach() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.detach();
  }
}

Reader::Busy Reader::busy() const {
  Busy busy;
  for (const Now& now : now_) {
    const int64_t since = now.since.load(std::memory_order_relaxed);
    if (since == 0) continue;
    ++busy.reads;
    busy.oldest_s = std::max(busy.oldest_s, std::chrono::duration<double>(Clock::now().time_since_epoch() - Clock::duration(since)).count());
  }
  busy.backing_off = backing_off_.load(std::memory_order_relaxed) > 0;
  return busy;
}

void Reader::Loop(int thread) {
  StorageContext files(cached_, series_.read_bytes, [this] { return gate_.stopped(); });
  auto asked = Clock::now();
  std::optional<ReadJob> job = gate_.NextRead(chain_);
  while (job) {
    if (job->waited) {  // else it begins as soon as it was asked for: the clock costs as much as the gate
      const auto got = Clock::now();
      series_.stage.blocked.Add(std::chrono::duration<double>(got - asked).count());
      asked = got;
    }
    std::atomic<int64_t>& since = now_[thread].since;
    since.store(asked.time_since_epoch().count(), std::memory_order_relaxed);
    job = ReadOne(*job, files, since, asked);
    since.store(0, std::memory_order_relaxed);
  }
}

std::optional<ReadJob> Reader::ReadOne(const ReadJob& job, StorageContext& files, std::atomic<int64_t>& since, Clock::time_point& asked) {
  const auto began = asked;
  Unit unit;
  unit.chain = chain_;
  unit.address = job.address;
  unit.attempt = job.attempt;
  const uint64_t index = job.attempt == 0 ? job.address.index
                                          : gate_.sampler(chain_).Replacement(job.address.epoch, job.address.position, job.attempt);
  unit.address.index = index;
  try {
    unit.sample = std::make_unique<Sample>();
    unit.sample->id = {job.address.epoch, job.address.position, index, job.attempt};
    try {
      ReadWithRetries(index, *unit.sample, files);
      series_.stage.ok.Add(1);
    } catch (const BadSample& bad) {
      series_.stage.bad.Add(1);
      bad_.Add(chain_, job.address.batch, policy_, {job.address.epoch, job.address.position, index, unit.sample->path, stage_, bad.reason(), bad.what()});
      if (policy_ == BadPolicy::kReplace) {
        if (job.attempt == kMaxReplacements) bad_.OutOfReplacements(chain_, job.address.batch, "read", bad.what());
        gate_.RetryRead(chain_, job.address, job.attempt + 1);
        since.store(0, std::memory_order_relaxed);
        asked = Clock::now();
        return gate_.NextRead(chain_);
      }
      unit.bad = true;
    }
    asked = Clock::now();
    series_.stage.duration.Observe(std::chrono::duration<double>(asked - began).count());
    unit.credit_bytes = unit.sample->encoded_bytes();
    since.store(0, std::memory_order_relaxed);
    return gate_.DeliverAndNext(std::move(unit), began, asked);
  } catch (...) {
    Fail("sample " + std::to_string(index) + (unit.sample && !unit.sample->path.empty() ? " (" + unit.sample->path + ")" : ""));
    return std::nullopt;
  }
}

void Reader::Fail(const std::string& sample) {
  if (gate_.stopped()) return;  // whatever a read says that was told to stop
  series_.stage.failed.Add(1);
  gate_.Stop(WithPlace(stage_, sample));
  stopped_();
}

void Reader::ReadWithRetries(uint64_t index, Sample& sample, StorageContext& files) {
  WithBackOff([&] { source_.Read(index, sample, files); }, [&] { return gate_.stopped(); },
              [&](bool waiting) {
                if (waiting) series_.retried.Add(1);
                backing_off_.fetch_add(waiting ? 1 : -1);
              });
}

}  // namespace flowtrain::graph
