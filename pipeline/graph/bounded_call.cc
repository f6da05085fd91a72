#include "pipeline/graph/bounded_call.h"

#include "pipeline/graph/start_thread.h"

namespace flowtrain::graph {

BoundedCall::BoundedCall(std::function<void()> body)
    : shared_(std::make_shared<Shared>()), thread_(StartThread("ft-stage", [shared = shared_, body = std::move(body)] {
        std::exception_ptr error;
        try {
          body();
        } catch (...) {
          error = std::current_exception();
        }
        const std::lock_guard lock(shared->mutex);
        shared->error = std::move(error);
        shared->done = true;
        shared->changed.notify_all();
      })) {}

BoundedCall::~BoundedCall() {
  bool done = false;
  {
    const std::lock_guard lock(shared_->mutex);
    done = shared_->done;
  }
  if (done) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

bool BoundedCall::Wait(std::chrono::steady_clock::duration limit) {
  std::unique_lock lock(shared_->mutex);
  if (!shared_->changed.wait_for(lock, limit, [this] { return shared_->done; })) return false;
  if (shared_->error) std::rethrow_exception(std::exchange(shared_->error, nullptr));
  return true;
}

}  // namespace flowtrain::graph
