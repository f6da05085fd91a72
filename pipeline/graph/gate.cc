#include "pipeline/graph/gate.h"

#include <algorithm>

namespace flowtrain::graph {

Gate::Chain::Chain(ChainSettings given) : settings(std::move(given)) {
  slots.resize(settings.slots);
  for (int slot = settings.slots - 1; slot >= 0; --slot) free_slots.push_back(slot);
  next_grant = next_deliver = settings.first_batch;
  next_count = first_count = settings.sampler.first_of(settings.first_batch);
}

Gate::Gate(std::vector<ChainSettings> chains, int compute_tokens)
    : idle_tokens_(compute_tokens, Clock::now()), tokens_(compute_tokens) {
  for (ChainSettings& settings : chains) chains_.emplace_back(std::move(settings));
}

bool Gate::HasCredit(const Chain& chain) const {
  if (!chain.retries.empty()) return true;
  // A sample larger than the whole budget goes alone.
  return chain.refill && chain.ahead < chain.settings.read_ahead &&
         (chain.ahead == 0 || chain.ahead_bytes < chain.settings.read_ahead_bytes);
}

// In good time and without the lock: at the border of epochs everybody would wait for it.
void Gate::DrawNextOrder(Chain& chain, std::unique_lock<std::mutex>& lock) {
  const Sampler& sampler = chain.settings.sampler;
  const std::optional<uint64_t> epoch = sampler.OrderToDraw(chain.next_count);
  if (!epoch || chain.drawing || chain.next_count == chain.first_count) return;
  chain.drawing = true;
  lock.unlock();
  std::vector<uint32_t> order = sampler.DrawOrder(*epoch);
  lock.lock();
  chain.settings.sampler.KeepOrder(*epoch, std::move(order));
  chain.drawing = false;
}

std::optional<ReadJob> Gate::NextRead(int index) {
  std::unique_lock lock(mutex_);
  Chain& chain = chains_[index];
  DrawNextOrder(chain, lock);
  chain.credit.wait(lock, [&] { return stopped_ || HasCredit(chain); });
  if (stopped_) return std::nullopt;
  ReadJob job;
  if (!chain.retries.empty()) {
    job = chain.retries.front();
    chain.retries.pop_front();
  } else {
    job.address = chain.settings.sampler.At(chain.next_count++);
    ++chain.ahead;
    peaks_.read_ahead = std::max(peaks_.read_ahead, chain.ahead);
    if (chain.ahead == chain.settings.read_ahead) chain.refill = false;
  }
  // One thread is woken at a time, and only while credit remains.
  if (HasCredit(chain)) chain.credit.notify_one();
  return job;
}

void Gate::Deliver(Unit unit) {
  std::vector<int> puts;
  {
    const std::lock_guard lock(mutex_);
    ++moves_;
    if (stopped_) return;
    Chain& chain = chains_[unit.chain];
    if (unit.attempt == 0) chain.ahead_bytes += unit.credit_bytes;
    const uint64_t count = unit.address.count;
    chain.ready.emplace(count, std::move(unit));
    IssuePermits(puts);
  }
  Put(puts);
}

bool Gate::Runnable(const Chain& chain, const Unit& unit) const {
  const uint64_t batch = unit.address.batch;
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

std::optional<Unit> Gate::Bind(int index) {
  std::vector<int> puts;
  std::optional<Unit> unit;
  {
    const std::lock_guard lock(mutex_);
    Chain& chain = chains_[index];
    const double waited_s = chain.promised.front();
    chain.promised.pop_front();
    const auto oldest = chain.ready.begin();
    if (stopped_ || oldest == chain.ready.end() || !Runnable(chain, oldest->second)) {
      GiveBackToken(puts);
    } else {
      unit = std::move(oldest->second);
      chain.ready.erase(oldest);
      unit->token_waited_s = waited_s;
      ++bound_;
      unit->slot = GrantSlot(chain, unit->address.batch);
      if (unit->attempt == 0) GiveBackReadAhead(chain, unit->credit_bytes);
    }
  }
  Put(puts);
  return unit;
}

void Gate::GiveBackReadAhead(Chain& chain, size_t bytes) {
  --chain.ahead;
  chain.ahead_bytes -= bytes;
  const int free = chain.settings.read_ahead - chain.ahead;
  if (free >= std::max(1, chain.settings.read_ahead / 4)) chain.refill = true;
  if (HasCredit(chain)) chain.credit.notify_one();
}

void Gate::Retry(const Unit& unit, uint32_t attempt) {
  std::vector<int> puts;
  {
    const std::lock_guard lock(mutex_);
    --bound_;
    chains_[unit.chain].retries.push_back({unit.address, attempt});
    chains_[unit.chain].credit.notify_one();
    GiveBackToken(puts);
  }
  Put(puts);
}

void Gate::RetryRead(int index, const Address& address, uint32_t attempt) {
  const std::lock_guard lock(mutex_);
  ++moves_;
  Chain& chain = chains_[index];
  // The first failure gives its read-ahead token back: the retry is exempt.
  if (attempt == 1) GiveBackReadAhead(chain, 0);
  chain.retries.push_back({address, attempt});
  chain.credit.notify_one();
}

bool Gate::Complete(const Unit& unit) {
  std::vector<int> puts;
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    Chain& chain = chains_[unit.chain];
    Slot& slot = chain.slots[unit.slot];
    --bound_;
    last = ++slot.rows_done == chain.settings.sampler.rows_of(slot.batch);
    GiveBackToken(puts);
  }
  Put(puts);
  return last;
}

void Gate::Finished(int index, int slot, const std::function<void(int)>& deliver) {
  const std::lock_guard lock(mutex_);
  ++moves_;
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
}

void Gate::ReleaseSlot(int index, int slot) {
  std::vector<int> puts;
  {
    const std::lock_guard lock(mutex_);
    ++moves_;
    chains_[index].slots[slot].granted = false;  // where it was full and never handed on
    chains_[index].free_slots.push_back(slot);
    IssuePermits(puts);
  }
  Put(puts);
}

void Gate::GiveBackToken(std::vector<int>& puts) {
  ++moves_;
  idle_tokens_.push_back(Clock::now());
  IssuePermits(puts);
}

void Gate::IssuePermits(std::vector<int>& puts) {
  const int n = static_cast<int>(chains_.size());
  while (!stopped_ && !idle_tokens_.empty()) {
    int best = -1, best_demand = 0;
    for (int i = 1; i <= n; ++i) {
      const int c = (last_served_ + i) % n;  // round robin among equals
      const Chain& chain = chains_[c];
      if (chain.promised.size() >= chain.ready.size()) continue;
      if (!Runnable(chain, chain.ready.begin()->second)) continue;
      const int demand = hooks_.demand ? hooks_.demand(c) : 0;
      if (best < 0 || demand > best_demand) best = c, best_demand = demand;
    }
    if (best < 0) return;
    last_served_ = best;
    chains_[best].promised.push_back(std::chrono::duration<double>(Clock::now() - idle_tokens_.back()).count());
    idle_tokens_.pop_back();
    int tokens = bound_;
    for (const Chain& chain : chains_) tokens += static_cast<int>(chain.promised.size());
    peaks_.tokens = std::max(peaks_.tokens, tokens);
    hooks_.reserve();
    puts.push_back(best);
  }
}

void Gate::Put(const std::vector<int>& puts) {
  for (const int chain : puts) hooks_.put(chain);
}

void Gate::Poke() {
  std::vector<int> puts;
  {
    const std::lock_guard lock(mutex_);
    IssuePermits(puts);
  }
  Put(puts);
}

void Gate::Stop(std::exception_ptr cause) {
  const std::lock_guard lock(mutex_);
  if (!stopped_) cause_ = std::move(cause);
  stopped_ = true;
  for (Chain& chain : chains_) chain.credit.notify_all();
}

bool Gate::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

std::exception_ptr Gate::cause() const {
  const std::lock_guard lock(mutex_);
  return cause_;
}

Gate::Clock::time_point Gate::granted_at(int chain, int slot) const {
  const std::lock_guard lock(mutex_);
  return chains_[chain].slots[slot].granted_at;
}

uint64_t Gate::moves() const {
  const std::lock_guard lock(mutex_);
  return moves_;
}

Gate::Peaks Gate::peaks() const {
  const std::lock_guard lock(mutex_);
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
  if (!ready.empty()) view.oldest_ready = ready.begin()->second.address.position;
  return view;
}

Gate::View Gate::view() const {
  const std::lock_guard lock(mutex_);
  View view;
  view.tokens = tokens_;
  view.tokens_used = tokens_ - static_cast<int>(idle_tokens_.size());
  for (const Chain& chain : chains_) view.chains.push_back(chain.Look());
  return view;
}

}  // namespace flowtrain::graph
