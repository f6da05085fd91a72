#include "soak/stages.h"

#include <atomic>

namespace flowtrain::soak {
namespace {

struct NoParams {};

class SoakSource final : public Source {
 public:
  SoakSource(Live& live, int chain) : live_(live), chain_(chain) {}
  uint64_t Size() const override { return live_.course.size[chain_]; }
  void Read(uint64_t index, Sample& sample, ReadContext&) const override {
    const uint64_t call = live_.reads.fetch_add(1, std::memory_order_relaxed);
    live_.Stall(call, live_.scene.read_stalls, 1);
    live_.Fail(End::kReadFails, call);
    if (live_.scene.transient_at > 0 && call == live_.scene.transient_at) throw Transient("the server is away");
    if (live_.course.bad_in_read && live_.course.IsBad(index)) throw BadSample("drawn", "drawn to be bad");
    sample.set_label("label", static_cast<int64_t>(index));
  }

 private:
  Live& live_;
  const int chain_;
};

class SoakBody final : public Transform {
 public:
  explicit SoakBody(Live& live) : live_(live) {}
  void Process(Sample& sample, Context&) const override {
    const uint64_t call = live_.bodies.fetch_add(1, std::memory_order_relaxed);
    live_.Stall(call, live_.scene.body_stalls, 2);
    live_.Fail(End::kBodyFails, call);
    if (!live_.course.bad_in_read && live_.course.IsBad(sample.id.index)) throw BadSample("drawn", "drawn to be bad");
  }

 private:
  Live& live_;
};

class SoakDevice final : public BatchTransform {
 public:
  explicit SoakDevice(Live& live) : live_(live) {}
  // Its output's tensors are its input's: it keeps the input as a device would keep a copy.
  Batch Process(const Batch& batch, BatchContext& context) override {
    live_.Fail(End::kDeviceFails, calls_++);
    labels_[context.resident()].assign(batch.tensor("label").as<int64_t>().begin(),
                                       batch.tensor("label").as<int64_t>().end());
    Tensor copy = batch.tensor("label");
    copy.data = labels_[context.resident()].data();
    return context.Derive(batch, {copy}, nullptr);
  }

 private:
  Live& live_;
  uint64_t calls_ = 0;
  std::map<int, std::vector<int64_t>> labels_;
};

class SoakSink final : public Consumer {
 public:
  explicit SoakSink(Live& live) : live_(live) {}

  void Run(RunContext& context) override {
    std::deque<Batch> held;
    for (uint64_t taken = 0; taken < live_.scene.batches;) {
      const uint64_t call = calls_++;
      live_.Stall(call, live_.scene.pull_stalls, 3);
      live_.Fail(End::kConsumerFails, taken);
      const int chain = live_.course.chains > 1 && Mix(call, 4) % live_.scene.second_in == 0 ? 1 : 0;
      if (chain == 0) ++taken;
      Batch batch = context.Pull(Port(chain));
      if (!batch) return;
      Check(batch, chain);
      if (live_.scene.fences) Fence(batch);
      const bool last = taken == live_.scene.batches;
      if (last || call % live_.scene.commit_every == 0) {
        context.Commit(batch, Port(chain));
        committed_[chain] = next_[chain];
      }
      held.push_back(std::move(batch));
      while (held.size() > static_cast<size_t>(live_.scene.held)) held.pop_front();
      if (call % live_.scene.checkpoint_every == 0 && !context.Checkpoint("soak", 0)) throw Broken("a checkpoint was not written");
    }
  }

  void Save(State& state) const override {
    live_.saved = committed_;
    for (int chain = 0; chain < kMostChains; ++chain) state.Set(Port(chain), committed_[chain]);
    live_.totals.checkpoints.fetch_add(1);
  }
  void Load(const State& state) override {
    for (int chain = 0; chain < kMostChains; ++chain) {
      committed_[chain] = next_[chain] = static_cast<uint64_t>(state.Get(Port(chain)).AsInteger());
    }
    if (committed_ != live_.saved) throw Broken("resumed from another checkpoint than the last");
  }

 private:
  static std::string Port(int chain) { return "in" + std::to_string(chain); }

  void Fence(const Batch& batch) {
    batch.ReleaseAfter(live_.late.Make());
    live_.totals.fences.fetch_add(1);
  }

  // The next batch of its chain, with every row where it belongs.
  void Check(const Batch& batch, int chain) {
    Expected& expected = *live_.expected[chain];
    const BatchContent& content = batch.content();
    const uint64_t number = content.epoch * expected.batches_per_epoch() + content.index;
    const std::string where = Port(chain) + ", batch " + std::to_string(number);
    if (content.batches_per_epoch != expected.batches_per_epoch()) throw Broken(where + ": an epoch is of another length");
    if (number != next_[chain]) throw Broken(where + " came where " + std::to_string(next_[chain]) + " was due");
    if (batch.rows() != expected.Rows(number)) throw Broken(where + ": " + std::to_string(batch.rows()) + " rows");
    if (content.ids.size() != static_cast<size_t>(batch.rows())) throw Broken(where + ": rows without a sample");
    const auto labels = batch.tensor("label").as<int64_t>();
    for (int row = 0; row < batch.rows(); ++row) {
      const RowId& id = content.ids[row];
      const ExpectedRow due = expected.Row(number, row);
      const bool same = id.position == due.position && id.index == due.index && id.padding == due.padding && id.bad == due.bad &&
                        labels[row] == (due.bad ? 0 : static_cast<int64_t>(due.index));
      if (same) continue;
      throw Broken(where + ", row " + std::to_string(row) + ": position " + std::to_string(id.position) + ", index " +
                   std::to_string(id.index) + ", label " + std::to_string(labels[row]) + " where position " +
                   std::to_string(due.position) + ", index " + std::to_string(due.index) + " was due");
    }
    next_[chain] = number + 1;
    const auto rows = static_cast<uint64_t>(batch.rows());
    const bool again = number < live_.furthest[chain];
    (again ? live_.totals.again : live_.totals.rows).fetch_add(rows, std::memory_order_relaxed);
    if (!again) live_.furthest[chain] = number + 1;
    live_.batches.fetch_add(1, std::memory_order_relaxed);
  }

  Live& live_;
  uint64_t calls_ = 0;
  std::array<uint64_t, kMostChains> next_{}, committed_{};
};

// Takes what comes, late.
class SoakWatch final : public Consumer {
 public:
  explicit SoakWatch(Live& live) : live_(live) {}
  void Run(RunContext& context) override {
    uint64_t calls = 0;
    while (context.Pull("in")) live_.Stall(calls++, 3, 5);  // the handle is dropped: there may be one slot
  }

 private:
  Live& live_;
};

}  // namespace

class LateFences::LateFence final : public flowtrain::Fence {
 public:
  bool Passed() override { return passed_.load(); }
  void Wait() override { passed_.wait(false); }
  void Pass() {
    passed_ = true;
    passed_.notify_all();
  }

 private:
  std::atomic<bool> passed_{false};
};

LateFences::LateFences() : thread_([this] { Loop(); }) {}

LateFences::~LateFences() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

FencePtr LateFences::Make() {
  auto fence = std::make_shared<LateFence>();
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(fence);
  }
  changed_.notify_one();
  return fence;
}

void LateFences::Loop() {
  std::unique_lock lock(mutex_);
  for (uint64_t passed = 0;; ++passed) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto fence = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    if (Mix(passed, 6) % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(Mix(passed, 7) % 1000));
    fence->Pass();
    lock.lock();
  }
}

std::map<std::string, StageDeclaration> DeclareStages(Live& live) {
  std::map<std::string, StageDeclaration> all;
  for (int chain = 0; chain < kMostChains; ++chain) {
    const std::string type = "soak.source" + std::to_string(chain);
    Declaration<NoParams> source;
    source.Type(type, "Numbers.");
    source.Yields("label", Label());
    all.emplace(type, std::move(source).Finish(StageKind::kSource, [&live, chain](const NoParams&) {
      return std::make_unique<SoakSource>(live, chain);
    }));
  }
  Declaration<NoParams> body, device, sink, watch;
  body.Type("soak.body", "Does nothing.");
  all.emplace("soak.body", std::move(body).Finish(StageKind::kTransform, [&live](const NoParams&) {
    return std::make_unique<SoakBody>(live);
  }));
  device.Type("soak.device", "Copies labels.");
  all.emplace("soak.device", std::move(device).Finish(StageKind::kBatchTransform, [&live](const NoParams&) {
    return std::make_unique<SoakDevice>(live);
  }));
  sink.Type("soak.sink", "Checks what arrives.");
  sink.Input("in0", {"label"});
  sink.Input("in1", {"label"}).Optional();
  all.emplace("soak.sink", std::move(sink).Finish(StageKind::kConsumer, [&live](const NoParams&) {
    return std::make_unique<SoakSink>(live);
  }));
  watch.Type("soak.watch", "Looks on.");
  watch.Input("in", {"label"});
  watch.Observer();
  all.emplace("soak.watch", std::move(watch).Finish(StageKind::kConsumer, [&live](const NoParams&) {
    return std::make_unique<SoakWatch>(live);
  }));
  return all;
}

}  // namespace flowtrain::soak
