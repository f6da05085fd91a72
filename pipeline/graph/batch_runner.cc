#include "pipeline/graph/batch_runner.h"

#include <algorithm>

#include "pipeline/graph/start_thread.h"
#include "pipeline/graph/work.h"

namespace flowtrain::graph {

using Clock = std::chrono::steady_clock;

Residents::Residents(int count) : count_(count) {
  for (int resident = count - 1; resident >= 0; --resident) free_.push_back(resident);
}

int Residents::Acquire() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return closed_ || !free_.empty(); });
  if (closed_) return -1;
  const int resident = free_.back();
  free_.pop_back();
  peak_ = std::max(peak_, in_use_.fetch_add(1, std::memory_order_relaxed) + 1);
  return resident;
}

int Residents::peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

void Residents::Release(int resident) noexcept {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(resident);
    in_use_.fetch_sub(1, std::memory_order_relaxed);
  }
  freed_.notify_one();
}

void Residents::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  freed_.notify_all();
}

class BatchRunner::Derivation final : public BatchContext {
 public:
  Derivation(BatchRunner& runner, int resident) : runner_(runner), resident_(resident) {}
  ~Derivation() override {
    if (!derived_) runner_.residents_.Release(resident_);
  }
  int resident() const override { return resident_; }
  Batch Derive(const Batch& in, std::vector<Tensor> tensors, FencePtr ready) override {
    if (derived_) throw Error("Derive may be called once a batch");
    BatchContent content = in.content();
    content.tensors = std::move(tensors);
    content.ready = std::move(ready);
    content.on_release = [runner = &runner_, resident = resident_](std::vector<FencePtr> fences) {
      runner->reaper_.After(std::move(fences), [runner, resident] { runner->residents_.Release(resident); });
    };
    derived_ = true;
    return Batch::Create(std::move(content));
  }
  bool stopping() const override { return runner_.stopping_.load(std::memory_order_relaxed); }

 private:
  BatchRunner& runner_;
  const int resident_;
  bool derived_ = false;
};

BatchRunner::BatchRunner(std::string name, BatchTransform& transform, int residents, BatchQueue& input,
                         FenceReaper& reaper, metrics::StageSeries series, std::function<void(std::exception_ptr)> failed)
    : name_(std::move(name)), transform_(transform), residents_(residents), input_(input), reaper_(reaper),
      series_(series), failed_(std::move(failed)) {}

void BatchRunner::Start() {
  thread_ = StartThread("ft-batch", [this] {
    try {
      Loop();
    } catch (...) {
      if (const std::exception_ptr cause = FailureOf(name_, stopping_)) {
        series_.failed.Add(1);
        failed_(cause);
      }
    }
    busy_ = false;
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  });
}

void BatchRunner::Loop() {
  for (;;) {
    const auto asked = Clock::now();
    Batch in = input_.Pop();
    if (!in) return;
    const auto got = Clock::now();
    series_.wait.Observe(std::chrono::duration<double>(got - asked).count());
    const int resident = residents_.Acquire();
    if (resident < 0) return;
    const auto start = Clock::now();
    series_.blocked.Add(std::chrono::duration<double>(start - got).count());
    busy_ = true;
    Batch out;
    {
      Derivation context(*this, resident);
      out = transform_.Process(in, context);
    }
    in.Reset();
    if (!out) throw Error("gave no batch");
    busy_ = false;
    series_.duration.Observe(std::chrono::duration<double>(Clock::now() - start).count());
    series_.ok.Add(1);
    outputs_.Push(out);
    if (!outputs_.wanted()) return input_.Leave();  // nobody is left: those before need not wait for us
  }
}

void BatchRunner::Stop() {
  stopping_ = true;
  input_.Close();
  residents_.Close();
}

bool BatchRunner::End(Clock::duration limit) {
  if (!thread_.joinable()) return true;
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, limit, [this] { return ended_; })) return false;
  lock.unlock();
  thread_.join();
  return true;
}

}  // namespace flowtrain::graph
