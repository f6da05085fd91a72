#include "pipeline/graph/gate.h"

#include <algorithm>

namespace flowtrain::graph {
namespace {

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Gate::Chain::Chain(ChainSettings given) : settings(std::move(given)) {
  slots.resize(settings.slots);
  for (int slot = settings.slots - 1; slot >= 0; --slot) free_slots.push_back(slot);
  next_grant = next_deliver = settings.first_batch;
  next_count = first_count = settings.sampler.first_of(settings.first_batch);
}

Gate::Gate(std::vector<ChainSettings> chains, int compute_tokens)
    : idle_tokens_(compute_tokens, Clock::now()), tokens_(compute_tokens) {
  for (ChainSettings& settings : chains) chains_.emplace_back(std::move(settings)).promised.reserve(compute_tokens);
}

// The lock is held for a fraction of a microsecond, for which no thread should go to sleep.
std::unique_lock<std::mutex> Gate::Lock() const {
  constexpr int kSpins = 64;  // some microseconds: what a sleep and a wake-up cost
  for (int i = 0; i < kSpins; ++i) {
    if (std::unique_lock lock(mutex_, std::try_to_lock); lock) return lock;
    Pause();
  }
  return std::unique_lock(mutex_);
}

bool Gate::Runnable(const Chain& chain) const {
  const uint64_t batch = chain.ready.oldest().address.batch;
  return batch < chain.next_grant || batch - chain.next_grant < chain.free_slots.size();
}

int Gate::GrantSlot(Chain& chain, uint64_t batch) {
  while (chain.next_grant <= batch) {
    const int slot = chain.free_slots.back();
    chain.free_slots.pop_back();
    chain.slots[slot] = {chain.next_grant++, 0, true, false, Clock::now()};
  }
  peaks_.slots = std::max(peaks_.slots, static_cast<int>(chain.slots.size() - chain.free_slots.size()));
  for (size_t slot = 0; slot < chain.slots.size(); ++slot) {
    if (chain.slots[slot].granted && chain.slots[slot].batch == batch) return static_cast<int>(slot);
  }
  return -1;  // unreachable: a batch below next_grant keeps its slot until its rows are done
}

Unit Gate::TakeOldest(Chain& chain) {
  Unit unit = chain.ready.PopOldest();
  ++chain.bound;
  unit.slot = GrantSlot(chain, unit.address.batch);
  if (unit.attempt == 0) GiveBackReadAhead(chain, unit.credit_bytes);
  return unit;
}

std::optional<Unit> Gate::Bind(int index) {
  Puts puts;
  std::optional<Unit> unit;
  {
    const std::unique_lock lock = Lock();
    Chain& chain = chains_[index];
    const double waited_s = chain.promised.back();
    chain.promised.pop_back();
    if (stopped_ || chain.ready.empty() || !Runnable(chain)) {
      GiveBackToken(puts);
    } else {
      unit = TakeOldest(chain);
      unit->token_waited_s = waited_s;
    }
  }
  Put(puts);
  return unit;
}

void Gate::Retry(const Unit& unit, uint32_t attempt) {
  Puts puts;
  {
    const std::unique_lock lock = Lock();
    Chain& chain = chains_[unit.chain];
    --chain.bound;
    chain.retries.push_back({unit.address, attempt});
    WakeReader(chain);
    GiveBackToken(puts);
  }
  Put(puts);
}

bool Gate::Complete(const Unit& unit, std::optional<Unit>& next) {
  Puts puts;
  bool last = false;
  {
    const std::unique_lock lock = Lock();
    Chain& chain = chains_[unit.chain];
    Slot& slot = chain.slots[unit.slot];
    last = ++slot.rows_done == chain.settings.sampler.rows_of(slot.batch);
    // Who makes a batch of the slot is at work until it is Finished.
    if (!last) --chain.bound;
    // No sample is left whose binding would notice that a read which was to be quick is not.
    if (chain.bound == (last ? 1 : 0) && chain.ready.empty()) WakeReader(chain);
    const int serve = last || stopped_ ? -1 : NextToServe();
    if (last) {
      ++moves_;
    } else if (serve < 0) {
      GiveBackToken(puts);
    } else {
      ++moves_;
      next = TakeOldest(chains_[serve]);
      CountTokens();
    }
  }
  Put(puts);
  return last;
}

void Gate::Finished(int index, int slot, const std::function<void(int)>& deliver) {
  Puts puts;
  {
    const std::unique_lock lock = Lock();
    Chain& chain = chains_[index];
    chain.slots[slot].finished = true;
    for (bool found = true; found && !stopped_;) {
      found = false;
      for (size_t s = 0; s < chain.slots.size(); ++s) {
        if (!chain.slots[s].granted || !chain.slots[s].finished || chain.slots[s].batch != chain.next_deliver) continue;
        ++chain.next_deliver;
        chain.slots[s].granted = false;  // it is the batch's now, until ReleaseSlot
        deliver(static_cast<int>(s));
        found = true;
      }
    }
    --chain.bound;
    GiveBackToken(puts);
  }
  Put(puts);
}

void Gate::ReleaseSlot(int index, int slot) noexcept {
  Puts puts;
  {
    const std::unique_lock lock = Lock();
    ++moves_;
    chains_[index].slots[slot].granted = false;  // where it was full and never handed on
    chains_[index].free_slots.push_back(slot);
    IssuePermits(puts);
  }
  Put(puts);
}

void Gate::GiveBackToken(Puts& puts) {
  ++moves_;
  idle_tokens_.push_back(Clock::now());
  IssuePermits(puts);
}

// The chain that the next token goes to; -1: none has a sample that can run.
int Gate::NextToServe() {
  const int n = static_cast<int>(chains_.size());
  int best = -1, best_demand = 0;
  for (int i = 1; i <= n; ++i) {
    const int c = (last_served_ + i) % n;  // round robin among equals
    const Chain& chain = chains_[c];
    if (chain.promised.size() >= chain.ready.size()) continue;
    if (!Runnable(chain)) continue;
    const int demand = n > 1 && hooks_.demand ? hooks_.demand(c) : 0;
    if (best < 0 || demand > best_demand) best = c, best_demand = demand;
  }
  if (best >= 0) last_served_ = best;
  return best;
}

void Gate::CountTokens() {
  int tokens = 0;
  for (const Chain& chain : chains_) tokens += chain.bound + static_cast<int>(chain.promised.size());
  peaks_.tokens = std::max(peaks_.tokens, tokens);
}

void Gate::IssuePermits(Puts& puts) {
  while (!stopped_ && !idle_tokens_.empty() && !puts.full()) {
    const int best = NextToServe();
    if (best < 0) return;
    chains_[best].promised.push_back(std::chrono::duration<double>(Clock::now() - idle_tokens_.back()).count());
    idle_tokens_.pop_back();
    CountTokens();
    hooks_.reserve();
    puts.Add(best);
  }
}

void Gate::Put(Puts& puts) noexcept {
  while (!puts.empty()) {
    for (size_t i = 0; i < puts.count; ++i) {
      try {
        hooks_.put(puts.chains[i]);
      } catch (...) {
        // What has thrown may have taken the permit all the same: its promise stays, for Bind to find.
        Stop(std::current_exception());
      }
    }
    const bool more = puts.full();
    puts.count = 0;
    if (!more) return;
    const std::unique_lock lock = Lock();
    IssuePermits(puts);
  }
}

void Gate::Poke() {
  Puts puts;
  {
    const std::unique_lock lock = Lock();
    IssuePermits(puts);
  }
  Put(puts);
}

void Gate::Stop(std::exception_ptr cause) {
  const std::unique_lock lock = Lock();
  if (!stopped_) cause_ = std::move(cause);
  stopped_ = true;
  for (Chain& chain : chains_) chain.credit.notify_all();
}

bool Gate::stopped() const {
  const std::unique_lock lock = Lock();
  return stopped_;
}

std::exception_ptr Gate::cause() const {
  const std::unique_lock lock = Lock();
  return cause_;
}

Gate::Clock::time_point Gate::granted_at(int chain, int slot) const {
  const std::unique_lock lock = Lock();
  return chains_[chain].slots[slot].granted_at;
}

uint64_t Gate::moves() const {
  const std::unique_lock lock = Lock();
  return moves_;
}

Gate::Peaks Gate::peaks() const {
  const std::unique_lock lock = Lock();
  return peaks_;
}

Gate::ChainView Gate::Chain::Look() const {
  ChainView view;
  view.read_ahead_used = ahead;
  view.read_ahead = settings.read_ahead;
  view.read_ahead_bytes = ahead_bytes;
  view.ready = static_cast<int>(ready.size());
  view.slots = static_cast<int>(slots.size());
  view.slots_used = view.slots - static_cast<int>(free_slots.size());
  view.handed = view.slots_used;
  for (const Slot& slot : slots) view.handed -= slot.granted ? 1 : 0;
  view.permits = static_cast<int>(promised.size());
  view.retries = static_cast<int>(retries.size());
  view.next_batch = next_deliver;
  view.rows_wanted = settings.sampler.rows_of(next_deliver);
  for (const Slot& slot : slots) {
    if (slot.granted && slot.batch == next_deliver) view.rows_done = slot.rows_done;
  }
  if (!ready.empty()) view.oldest_ready = ready.oldest().address.position;
  return view;
}

Gate::View Gate::view() const {
  const std::unique_lock lock = Lock();
  View view;
  view.tokens = tokens_;
  view.tokens_used = tokens_ - static_cast<int>(idle_tokens_.size());
  for (const Chain& chain : chains_) view.chains.push_back(chain.Look());
  return view;
}

}  // namespace flowtrain::graph
