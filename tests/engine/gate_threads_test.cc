// The gate under plain threads, without oneTBB: what ThreadSanitizer says here needs no suppressions.
// Everything that is handed through the gate is plain memory, so that a lock too few is a race.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "pipeline/graph/gate.h"

namespace flowtrain::graph {
namespace {

constexpr uint64_t kSize = 103;  // samples of a chain's source
constexpr int kBatch = 4, kSlots = 3, kWorkers = 4, kReaders = 3;

// A queue that blocks: stands for the arena (permits) and for the consumers' queues (slots).
class Queue {
 public:
  void Push(int value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(value);
    changed_.notify_one();
  }
  // False: closed.
  bool Pop(int& value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !values_.empty(); });
    if (closed_) return false;
    value = values_.front();
    values_.pop_front();
    return true;
  }
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::deque<int> values_;
  bool closed_ = false;
};

// What fills a row: the same from whichever thread.
uint64_t Content(const Address& address) { return address.position * 1000003 + address.index * 31 + 7; }

// Two chains of readers, workers and a consumer each, as the executor arranges them around a gate.
class Rig {
 public:
  explicit Rig(uint64_t batches) : gate_({Chain(1), Chain(2)}, 2 * kWorkers), batches_(batches) {
    gate_.SetHooks({[this] { ++reserved_; },
                    [this](int chain) {
                      permits_.Push(chain);
                      ++put_;
                    },
                    [this](int chain) { return demand_[chain].load(); }});
  }

  // Until both consumers have their batches, or somebody stops the gate.
  void Run(const std::function<void(Gate&)>& meanwhile = {}) {
    std::vector<std::thread> consumers, others;
    for (const int chain : {0, 1}) {
      consumers.emplace_back([this, chain] { Consume(chain); });
      for (int i = 0; i < kReaders; ++i) others.emplace_back([this, chain] { Read(chain); });
    }
    for (int i = 0; i < kWorkers; ++i) others.emplace_back([this] { Work(); });
    others.emplace_back([this] { Watch(); });
    if (meanwhile) {
      meanwhile(gate_);
      for (Queue& queue : delivered_) queue.Close();
    }
    for (std::thread& thread : consumers) thread.join();
    gate_.Stop(nullptr);
    permits_.Close();
    for (std::thread& thread : others) thread.join();
  }

  Gate& gate() { return gate_; }
  bool every_permit_was_put() const { return reserved_ == put_; }
  std::atomic<int> out_of_order{0}, wrong_rows{0}, bad{0};
  std::atomic<uint64_t> consumed{0};

 private:
  static Gate::ChainSettings Chain(uint64_t seed) {
    return {Sampler({.size = kSize, .batch = kBatch, .shuffle = true, .seed = seed}), 6, 1 << 20, kSlots, 0};
  }

  void Read(int chain) {
    std::optional<ReadJob> job = gate_.NextRead(chain);
    for (uint64_t reads = 0; job; ++reads) {
      const bool fails = job->attempt == 0 && job->address.position % 17 == 3;
      if (fails) {
        gate_.RetryRead(chain, job->address, 1);
        job = gate_.NextRead(chain);
        continue;
      }
      Unit unit;
      unit.chain = chain;
      unit.address = job->address;
      unit.attempt = job->attempt;
      unit.sample = std::make_unique<Sample>();
      unit.sample->id.position = job->address.position;
      unit.sample->set_label("content", static_cast<int64_t>(Content(job->address)));
      unit.credit_bytes = 8;
      const auto now = Gate::Clock::now();  // some of them quick, some slow
      job = gate_.DeliverAndNext(std::move(unit), now - std::chrono::microseconds(reads % 5 * 10), now);
    }
  }

  void Work() {
    for (int chain = 0; permits_.Pop(chain);) {
      for (std::optional<Unit> unit = gate_.Bind(chain); unit;) unit = Run(*unit);
    }
  }

  // Gives the sample to go on with.
  std::optional<Unit> Run(const Unit& unit) {
    if (unit.attempt < 2 && unit.address.position % 13 == 5) {
      ++bad;
      gate_.Retry(unit, unit.attempt + 1);
      return std::nullopt;
    }
    const int chain = unit.chain;
    rows_[chain][unit.slot][unit.address.row] = static_cast<uint64_t>(unit.sample->label("content"));
    expected_[chain][unit.slot][unit.address.row] = Content(unit.address);
    std::optional<Unit> next;
    if (!gate_.Complete(unit, next)) return next;
    finished_[chain][unit.slot] = unit.address.batch;
    gate_.Finished(chain, unit.slot, [&](int slot) { delivered_[chain].Push(slot); });
    return next;
  }

  void Consume(int chain) {
    int slot = 0;
    for (uint64_t batch = 0; batch < batches_ && delivered_[chain].Pop(slot); ++batch) {
      demand_[chain] = static_cast<int>(batch % 5);
      if (finished_[chain][slot] != batch) ++out_of_order;
      for (int row = 0; row < kBatch; ++row) {
        if (rows_[chain][slot][row] == 0 || rows_[chain][slot][row] != expected_[chain][slot][row]) ++wrong_rows;
        rows_[chain][slot][row] = 0;  // the slot's next batch must write it anew
      }
      ++consumed;
      gate_.ReleaseSlot(chain, slot);
    }
  }

  // As the metrics' scrapes, the stall watch and changed demands do.
  void Watch() {
    while (!gate_.stopped()) {
      const Gate::View view = gate_.view();
      if (view.tokens_used > view.tokens || view.chains[0].slots_used > kSlots) ++wrong_rows;
      gate_.moves();
      gate_.peaks();
      gate_.granted_at(0, 0);
      gate_.Poke();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  template <class T>
  using PerSlot = std::array<std::array<T, kSlots>, 2>;

  Gate gate_;
  const uint64_t batches_;
  Queue permits_;
  std::array<Queue, 2> delivered_;
  PerSlot<std::array<uint64_t, kBatch>> rows_{}, expected_{};  // plain: the gate orders who writes and reads
  PerSlot<uint64_t> finished_{};
  std::array<std::atomic<int>, 2> demand_{};
  int reserved_ = 0;  // plain: the gate's lock protects it
  std::atomic<int> put_{0};
};

TEST_CASE("threads around a gate hand on every row of every batch, in order, with failed samples among them") {
  constexpr uint64_t kBatches = 800;
  Rig rig(kBatches);
  rig.Run();
  CHECK(rig.consumed == 2 * kBatches);
  CHECK(rig.out_of_order == 0);
  CHECK(rig.wrong_rows == 0);
  CHECK(rig.bad > 100);
  CHECK(rig.every_permit_was_put());
  CHECK(rig.gate().cause() == nullptr);
  CHECK(rig.gate().peaks().tokens <= 2 * kWorkers);
  CHECK(rig.gate().peaks().read_ahead <= 6);
  CHECK(rig.gate().peaks().slots <= kSlots);
}

TEST_CASE("a gate that is stopped at any moment, from several threads, lets every thread go and keeps one cause") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    Rig rig(UINT64_MAX);
    rig.Run([&](Gate& gate) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
      std::array<std::thread, 3> stoppers;
      for (int i = 0; i < 3; ++i) {
        stoppers[i] = std::thread([&gate, i] { gate.Stop(std::make_exception_ptr(i)); });
      }
      for (std::thread& thread : stoppers) thread.join();
    });
    CHECK(rig.gate().cause() != nullptr);
    CHECK(rig.wrong_rows == 0);
    CHECK(rig.every_permit_was_put());
  }
}

TEST_CASE("a thread that rests reads again when all there was is done and a read that was to be quick is not") {
  Gate gate({{Sampler({.size = kSize, .batch = kBatch}), 4, 1 << 20, kSlots, 0}}, 2);
  gate.SetHooks({[] {}, [](int) {}, [](int) { return 0; }});
  const auto unit = [](const ReadJob& job) {
    Unit unit;
    unit.address = job.address;
    return unit;
  };
  // As if the last job had just been taken, however long this test is kept waiting.
  const auto now = Gate::Clock::now() + std::chrono::hours(1);
  std::optional<ReadJob> job = gate.NextRead(0);
  for (int read = 0; read < 3; ++read) job = gate.DeliverAndNext(unit(*job), now, now);
  // Three are ready, and the fourth read never returns.
  std::atomic<bool> woken{false};
  std::thread rests([&] {
    gate.NextRead(0);
    woken = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // else it would find credit at once
  const std::optional<Unit> first = gate.Bind(0), second = gate.Bind(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::optional<Unit> third, none;
  gate.Complete(*first, third);
  gate.Complete(*second, none);
  REQUIRE(third);
  CHECK(!none);
  gate.Complete(*third, none);
  for (int i = 0; i < 2000 && !woken; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(woken);
  gate.Stop(nullptr);
  rests.join();
}

TEST_CASE("a thread that rests reads again, whatever became of the others, as soon as somebody looks around") {
  Gate gate({{Sampler({.size = kSize, .batch = kBatch}), 2, 1 << 20, kSlots, 0}}, 2);
  gate.SetHooks({[] {}, [](int) {}, [](int) { return 0; }});
  const auto now = Gate::Clock::now() + std::chrono::hours(1);  // as above
  const std::optional<ReadJob> job = gate.NextRead(0);
  Unit unit;
  unit.address = job->address;
  const std::optional<ReadJob> stuck = gate.DeliverAndNext(std::move(unit), now, now);
  REQUIRE(stuck);
  std::atomic<bool> woken{false};
  std::thread rests([&] {
    gate.NextRead(0);
    woken = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(!woken);
  const std::optional<Unit> at_work = gate.Bind(0);  // gives credit back, and never ends
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(!woken);
  for (int i = 0; i < 2000 && !woken; ++i) {
    gate.LookAround();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(woken);
  gate.Stop(nullptr);
  rests.join();
}

TEST_CASE("a permit that can't be put stops the gate, takes no other with it, and throws nowhere") {
  constexpr int kMany = 20, kReady = kMany - 1;  // more than are put at a time
  for (const int fails : {-1, 0, 3, kReady - 1}) {
    CAPTURE(fails);
    Gate gate({{Sampler({.size = 100, .batch = kMany}), 2 * kMany, 1 << 20, 1, 0}}, 2 * kMany);
    int reserved = 0, put = 0, fails_at = -1;
    gate.SetHooks({[&] { ++reserved; },
                   [&](int) {
                     if (put++ == fails_at) throw std::bad_alloc();
                   },
                   [](int) { return 0; }});
    const auto now = Gate::Clock::now();
    std::optional<ReadJob> job = gate.NextRead(0);
    for (int read = 0; read < kMany + kReady; ++read) {
      Unit unit;
      unit.address = job->address;
      job = gate.DeliverAndNext(std::move(unit), now, now);
    }
    // The first batch takes the only slot; the other samples wait for it.
    std::vector<Unit> units;
    for (int row = 0; row < kMany; ++row) units.push_back(*gate.Bind(0));
    for (int permit = kMany; permit < put; ++permit) CHECK(!gate.Bind(0));
    for (const Unit& unit : units) {
      std::optional<Unit> next;
      if (gate.Complete(unit, next)) gate.Finished(0, 0, [](int) {});
    }
    put = reserved = 0;
    fails_at = fails;
    gate.ReleaseSlot(0, 0);
    CHECK(reserved == put);
    CHECK(put == (fails < 0 || fails >= 16 ? kReady : 16));
    CHECK(gate.stopped() == (fails >= 0));
    if (!gate.stopped()) continue;
    CHECK_THROWS_AS(std::rethrow_exception(gate.cause()), std::bad_alloc);
    for (int permit = 0; permit < put; ++permit) CHECK(!gate.Bind(0));  // those that run all the same
  }
}

TEST_CASE("samples larger than the whole byte budget are read one at a time, by however many threads") {
  constexpr uint64_t kBudget = 100;
  Gate gate({{Sampler({.size = kSize, .batch = kBatch}), 16, kBudget, kSlots, 0}}, 2);
  gate.SetHooks({[] {}, [](int) {}, [](int) { return 0; }});
  const auto unit = [](const ReadJob& job) {
    Unit unit;
    unit.address = job.address;
    unit.credit_bytes = kBudget + 1;
    return unit;
  };
  const auto now = Gate::Clock::now();
  const std::optional<ReadJob> first = gate.NextRead(0);
  std::atomic<int> reading{0};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    if (gate.DeliverAndNext(unit(*first), now, now)) ++reading;
  });
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (gate.view().chains[0].ready == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (gate.NextRead(0)) ++reading;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(reading == 0);  // one waits that fills the budget
  const std::optional<Unit> bound = gate.Bind(0);
  for (int i = 0; i < 50; ++i) {
    gate.LookAround();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(reading == 1);
  gate.Stop(nullptr);
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("who fills the last row of a batch keeps its token until the batch is finished") {
  Gate gate({{Sampler({.size = kSize, .batch = 1}), 4, 1 << 20, kSlots, 0}}, 1);
  int put = 0;
  gate.SetHooks({[] {}, [&](int) { ++put; }, [](int) { return 0; }});
  const auto now = Gate::Clock::now();
  std::optional<ReadJob> job = gate.NextRead(0);
  for (int read = 0; read < 2; ++read) {
    Unit unit;
    unit.address = job->address;
    job = gate.DeliverAndNext(std::move(unit), now, now);
  }
  std::optional<Unit> next;
  const std::optional<Unit> unit = gate.Bind(0);
  CHECK(gate.Complete(*unit, next));
  CHECK(put == 1);
  CHECK(gate.view().tokens_used == 1);
  gate.Finished(0, unit->slot, [](int) {});
  CHECK(put == 2);
  CHECK(gate.peaks().tokens == 1);
}

}  // namespace
}  // namespace flowtrain::graph
