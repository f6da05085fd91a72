// The one place that decides who may go on. A plain object with one mutex, held for a moment; only I/O
// threads wait in it, for credit (gate_reads.cc is their side). I/O threads ask it for read credit, workers bind samples to rows through it, finished rows become
// batches in it. Every bound of the sample side (read-ahead, compute tokens, slots) is counted here.
//
// Called from I/O threads, compute workers, and whichever thread drops a batch. Outlives them all.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <flowtrain/sample.h>

#include "pipeline/graph/ready_samples.h"
#include "pipeline/graph/sampler.h"

namespace flowtrain::graph {

// A sample and the row it will fill.
struct Unit {
  int chain = 0;
  Address address;
  uint32_t attempt = 0;
  int slot = -1;  // set when bound
  std::unique_ptr<Sample> sample;
  size_t credit_bytes = 0;  // of read-ahead, given back when bound
  bool bad = false;         // could not be decoded, and its row is to be marked
  double token_waited_s = 0;  // how long the compute token that runs it had been idle
};

struct ReadJob {
  Address address;
  uint32_t attempt = 0;  // > 0: a replacement, exempt from read-ahead
  bool waited = false;   // for credit
};

class Gate {
 public:
  using Clock = std::chrono::steady_clock;

  struct ChainSettings {
    Sampler sampler;
    int read_ahead = 16;
    uint64_t read_ahead_bytes = 256ull << 20;
    int slots = 4;
    uint64_t first_batch = 0;  // > 0: a resumed run
  };
  // What the gate asks of its surroundings. `reserve` and `demand` are called under the
  // gate's lock, and may take a queue's; `put` is not.
  struct Hooks {
    std::function<void()> reserve;         // a permit is about to be put: keep the graph alive
    std::function<void(int chain)> put;    // puts one permit; takes back what reserve took, even if it throws
    std::function<int(int chain)> demand;  // how much the chain's consumer lacks: higher goes first
  };

  Gate(std::vector<ChainSettings> chains, int compute_tokens);
  void SetHooks(Hooks hooks) { hooks_ = std::move(hooks); }

  // --- I/O threads
  // Blocks for credit; in position order. Empty: the run stops.
  std::optional<ReadJob> NextRead(int chain);
  // A sample was read, from `began` to `ended`: it becomes ready, and its `credit_bytes` count against
  // read-ahead until it is bound. Then as NextRead.
  std::optional<ReadJob> DeliverAndNext(Unit unit, Clock::time_point began, Clock::time_point ended);

  // --- compute workers
  // The oldest ready sample of the chain whose batch has, or now gets, a slot. Empty: nothing to do
  // after all, and the permit's token is idle again.
  std::optional<Unit> Bind(int chain);
  // A bad sample is to be read again as `attempt`, into the same row. Gives the token back.
  void Retry(const Unit& unit, uint32_t attempt);
  // The same for a sample that failed while it was read: no token was held.
  void RetryRead(int chain, const Address& address, uint32_t attempt);
  // The row is filled. True: it was the batch's last one, and the caller, who keeps the token, must finish
  // the batch and call Finished. Else the token is given back, or goes on at once, with a sample of any
  // chain, bound as Bind does it: `next`, empty where there is none, which the caller runs before all else.
  bool Complete(const Unit& unit, std::optional<Unit>& next);
  // The batch of `slot` may be handed on. Gives the token back. `deliver` is called under the lock, in batch order, for this
  // batch and for those that waited for it; it must not drop batches.
  void Finished(int chain, int slot, const std::function<void(int slot)>& deliver);

  // --- anyone
  // The slot's memory is free again. Called where a batch is destroyed, and where its fences are awaited.
  void ReleaseSlot(int chain, int slot) noexcept;
  // Ends the run; the first cause wins. Null: no error (the end, an interrupt).
  void Stop(std::exception_ptr cause);
  bool stopped() const;
  std::exception_ptr cause() const;
  // When the slot was given to its batch.
  Clock::time_point granted_at(int chain, int slot) const;
  // Grows whenever anything moves: what the stall watch looks at.
  uint64_t moves() const;
  // Chains whose permits should be looked at again, because demand changed.
  void Poke();
  // To be called now and then: wakes a resting I/O thread where there is credit. Where reads that were to
  // be quick have all turned slow, and nothing is bound or done any more, no other event would.
  void LookAround();

  struct ChainView {
    int read_ahead_used = 0, read_ahead = 0;
    uint64_t read_ahead_bytes = 0;
    int ready = 0, slots_used = 0, slots = 0, permits = 0, retries = 0;
    int handed = 0;           // slots that are batches somebody holds
    uint64_t next_batch = 0;  // to be delivered
    int rows_done = 0, rows_wanted = 0;
    uint64_t oldest_ready = 0;  // its position; valid where ready > 0
  };
  struct View {
    int tokens_used = 0, tokens = 0;
    std::vector<ChainView> chains;
  };
  View view() const;
  const Sampler& sampler(int chain) const { return chains_[chain].settings.sampler; }

  // Most ever in use at one instant, for the tests of bounds.
  struct Peaks {
    int tokens = 0, read_ahead = 0, slots = 0;
    int residents = 0, queued = 0;  // of any batch transform, of any queue: the executor adds them
  };
  Peaks peaks() const;

 private:
  struct Slot {
    uint64_t batch = 0;
    int rows_done = 0;
    bool granted = false, finished = false;
    Clock::time_point granted_at;
  };
  struct Chain {
    explicit Chain(ChainSettings given);
    ChainSettings settings;
    uint64_t next_count = 0;  // of the sample to be read next
    uint64_t first_count = 0;
    int ahead = 0;            // read-ahead tokens in use
    uint64_t ahead_bytes = 0;  // of what is ready
    int reading_ahead = 0;     // of `ahead`: jobs taken, whose bytes nobody knows yet
    double usual_bytes = 0;    // of a sample: what each of those is taken for
    bool drawing = false;     // a thread draws the next epoch's order
    bool refill = true;       // hysteresis: after a full read-ahead, wait for half of it to be free
    int sleeping = 0;         // threads that wait for credit
    bool waking = false;      // one of them was told, and is not there yet
    int reading = 0;          // jobs taken and not handed back
    Clock::time_point taken_at;  // the last of them, by a thread whose reads are quick
    std::deque<ReadJob> retries;
    ReadySamples<Unit> ready;
    std::vector<double> promised;    // permits put and not yet bound: how long each token was idle, s
    int bound = 0;                   // tokens at work; with the permits, a count of tokens that knows no pool
    std::vector<Slot> slots;
    std::vector<int> free_slots;
    uint64_t next_grant = 0, next_deliver = 0;  // batches
    std::condition_variable credit;
    ChainView Look() const;
  };

  // Chains to put a permit to, once the lock is released. Of fixed size: who has promised a permit must not
  // run out of memory before it is put.
  struct Puts {
    std::array<int, 16> chains;
    size_t count = 0;
    void Add(int chain) { chains[count++] = chain; }
    bool empty() const { return count == 0; }
    bool full() const { return count == chains.size(); }
  };

  std::unique_lock<std::mutex> Lock() const;
  // What follows is called under the lock.
  void DrawNextOrder(Chain& chain, std::unique_lock<std::mutex>& lock);
  uint64_t BookedBytes(const Chain& chain) const;
  bool HasCredit(const Chain& chain) const;
  void WakeReader(Chain& chain);
  void WakeReaderUnlessQuick(Chain& chain);
  std::optional<ReadJob> TakeRead(Chain& chain, std::unique_lock<std::mutex>& lock);
  void Accept(Unit unit, Puts& puts);
  bool Runnable(const Chain& chain) const;
  int GrantSlot(Chain& chain, uint64_t batch);
  void GiveBackReadAhead(Chain& chain, size_t bytes);
  void GiveBackToken(Puts& puts);
  int NextToServe();
  Unit TakeOldest(Chain& chain);
  void CountTokens();
  void IssuePermits(Puts& puts);
  // Without the lock. Puts all of them, and those that found no place among them: a permit that can't be put
  // ends the run, and takes no other with it.
  void Put(Puts& puts) noexcept;

  mutable std::mutex mutex_;  // protects everything below but settings and hooks, which stay as they are
  std::deque<Chain> chains_;
  std::vector<Clock::time_point> idle_tokens_;  // since when each is idle; the last one goes first
  const int tokens_;
  bool stopped_ = false;
  std::exception_ptr cause_;
  uint64_t moves_ = 0;
  int last_served_ = 0;
  Peaks peaks_;
  Hooks hooks_;
};

}  // namespace flowtrain::graph
