#include "pipeline/graph/run_parts.h"

#include <algorithm>

#include "pipeline/memory/cuda_driver.h"

namespace flowtrain::graph {
namespace {

int Workers(const config::ValidatedGraph& graph, int granted) {
  if (graph.run.threads > 0) return graph.run.threads;
  // A trainer that feeds a GPU needs a CPU of its own.
  const bool on_gpu = !graph.batch_transforms.empty() && memory::CudaDriver::Get().present();
  return std::max(1, granted - (on_gpu ? 1 : 0));
}

}  // namespace

RunParts::RunParts(const config::ValidatedGraph& graph, RunHost& h, metrics::RunMetrics& m,
                   ExecutorOptions o)
    : host(h),
      metrics(m),
      options(std::move(o)),
      granted(FindGrantedCpus()),
      workers(Workers(graph, granted.count)),
      bad(h, m, graph.run.max_bad_share),
      caches([this](const std::string& message) { host.Warn(message); }) {}

void RunParts::Fail(std::exception_ptr cause) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(cause);
  }
  changed_.notify_all();
}

void RunParts::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

bool RunParts::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

std::exception_ptr RunParts::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void RunParts::Wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

void RunParts::Wait(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [this] { return stopped_ || error_ || woken_; });
  woken_ = false;
}

void RunParts::WarnOnce(const std::string& message) {
  constexpr size_t kMost = 1000;  // distinct ones; more would be a flood
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    if (warned_.size() > kMost || !warned_.insert(message).second) return;
    last = warned_.size() > kMost;
  }
  if (last) {
    host.Warn("more than " + std::to_string(kMost) + " different warnings: further ones are not shown");
  } else {
    host.Warn(message);
  }
}

void RunParts::SetAtWork(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  at_work_ = stage;
}

std::string RunParts::at_work() const {
  const std::lock_guard lock(mutex_);
  return at_work_;
}

}  // namespace flowtrain::graph
