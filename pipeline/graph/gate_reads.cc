// The I/O threads' side of the gate: credit, and who is woken for it.
#include <algorithm>

#include "pipeline/graph/gate.h"

namespace flowtrain::graph {
namespace {

// What it takes until a thread that is woken runs.
constexpr std::chrono::microseconds kQuickRead{20};

}  // namespace

// How large a sample is, is known when it was read: until then it is booked as large as they usually are.
uint64_t Gate::BookedBytes(const Chain& chain) const {
  return chain.ahead_bytes + static_cast<uint64_t>(chain.reading_ahead * chain.usual_bytes);
}

bool Gate::HasCredit(const Chain& chain) const {
  if (!chain.retries.empty()) return true;
  // Where samples are larger than the whole budget each goes alone.
  return chain.refill && chain.ahead < chain.settings.read_ahead &&
         (chain.ahead == 0 || BookedBytes(chain) < chain.settings.read_ahead_bytes);
}

// One thread is woken at a time, and only while credit remains: it looks for itself whether to wake the next.
void Gate::WakeReader(Chain& chain) {
  if (chain.sleeping == 0 || chain.waking || !HasCredit(chain)) return;
  chain.waking = true;
  chain.credit.notify_one();
}

// A thread whose reads are quick comes again before another could be awake. Where it is in a read that
// has turned slow, the next sample that is bound wakes another after all, or LookAround does.
void Gate::WakeReaderUnlessQuick(Chain& chain) {
  if (chain.sleeping == 0 || chain.waking) return;
  if (chain.reading > 0 && Clock::now() - chain.taken_at < kQuickRead) return;
  WakeReader(chain);
}

// In good time and without the lock: at the border of epochs everybody would wait for it.
void Gate::DrawNextOrder(Chain& chain, std::unique_lock<std::mutex>& lock) {
  const Sampler& sampler = chain.settings.sampler;
  const std::optional<uint64_t> epoch = sampler.OrderToDraw(chain.next_count);
  if (!epoch || chain.drawing || chain.next_count == chain.first_count) return;
  std::vector<uint32_t> order;
  {
    struct Drawing {
      Chain& chain;
      std::unique_lock<std::mutex>& lock;
      Drawing(Chain& c, std::unique_lock<std::mutex>& l) : chain(c), lock(l) {
        chain.drawing = true;
        lock.unlock();
      }
      ~Drawing() {  // also where there is no memory for an order
        lock.lock();
        chain.drawing = false;
      }
    } const drawing(chain, lock);
    order = sampler.DrawOrder(*epoch);
  }
  chain.settings.sampler.KeepOrder(*epoch, std::move(order));
}

std::optional<ReadJob> Gate::TakeRead(Chain& chain, std::unique_lock<std::mutex>& lock) {
  DrawNextOrder(chain, lock);
  ReadJob job;
  while (!stopped_ && !HasCredit(chain)) {
    job.waited = true;
    ++chain.sleeping;
    chain.credit.wait(lock);
    --chain.sleeping;
    chain.waking = false;
  }
  if (stopped_) return std::nullopt;
  if (!chain.retries.empty()) {
    job.address = chain.retries.front().address;
    job.attempt = chain.retries.front().attempt;
    chain.retries.pop_front();
  } else {
    job.address = chain.settings.sampler.At(chain.next_count);  // may draw an order, and throw
    ++chain.next_count;
    ++chain.ahead;
    ++chain.reading_ahead;
    peaks_.read_ahead = std::max(peaks_.read_ahead, chain.ahead);
    if (chain.ahead == chain.settings.read_ahead) chain.refill = false;
  }
  ++chain.reading;
  return job;
}

void Gate::Accept(Unit unit, Puts& puts) {
  ++moves_;
  if (stopped_) return;
  Chain& chain = chains_[unit.chain];
  --chain.reading;
  if (unit.attempt == 0) {
    constexpr double kLatest = 1.0 / 8;  // weight of the latest sample: a rare large one holds nobody up for long
    --chain.reading_ahead;
    chain.ahead_bytes += unit.credit_bytes;
    const double bytes = static_cast<double>(unit.credit_bytes);
    chain.usual_bytes = chain.usual_bytes == 0 ? bytes : chain.usual_bytes + kLatest * (bytes - chain.usual_bytes);
  }
  chain.ready.Push(std::move(unit));
  IssuePermits(puts);
}

std::optional<ReadJob> Gate::NextRead(int index) {
  std::unique_lock lock = Lock();
  Chain& chain = chains_[index];
  const std::optional<ReadJob> job = TakeRead(chain, lock);
  if (job) WakeReader(chain);
  return job;
}

std::optional<ReadJob> Gate::DeliverAndNext(Unit unit, Clock::time_point began, Clock::time_point ended) {
  Puts puts;
  std::unique_lock lock = Lock();
  Chain& chain = chains_[unit.chain];
  Accept(std::move(unit), puts);
  if (!puts.empty()) {  // before anything else: a worker waits for it
    lock.unlock();
    Put(puts);
    lock = Lock();
  }
  const std::optional<ReadJob> job = TakeRead(chain, lock);
  if (!job) return job;
  if (ended - began < kQuickRead && chain.retries.empty()) {
    chain.taken_at = job->waited ? Clock::now() : ended;
  } else {
    WakeReader(chain);
  }
  return job;
}

void Gate::GiveBackReadAhead(Chain& chain, size_t bytes) {
  --chain.ahead;
  chain.ahead_bytes -= bytes;
  const int free = chain.settings.read_ahead - chain.ahead;
  if (free >= std::max(1, chain.settings.read_ahead / 2)) chain.refill = true;
  WakeReaderUnlessQuick(chain);
}

void Gate::RetryRead(int index, const Address& address, uint32_t attempt) {
  const std::unique_lock lock = Lock();
  ++moves_;
  Chain& chain = chains_[index];
  --chain.reading;
  // The first failure gives its read-ahead token back: the retry is exempt.
  if (attempt == 1) {
    --chain.reading_ahead;
    GiveBackReadAhead(chain, 0);
  }
  chain.retries.push_back({address, attempt});
  WakeReader(chain);
}

void Gate::LookAround() {
  const std::unique_lock lock = Lock();
  for (Chain& chain : chains_) WakeReader(chain);
}

}  // namespace flowtrain::graph
