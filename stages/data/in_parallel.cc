#include "stages/data/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace flowtrain::data {

void InParallel(uint64_t count, int threads, const std::function<void(uint64_t)>& body,
                const std::function<void(uint64_t)>& watch) {
  InParallel(
      count, threads, [&](uint64_t i, const std::atomic<bool>&) { body(i); }, watch);
}

void InParallel(uint64_t count, int threads, const StoppableBody& body,
                const std::function<void(uint64_t)>& watch) {
  std::atomic<uint64_t> next = 0;
  std::atomic<bool> stopped = false;
  std::mutex mutex;  // guards done and failure
  std::condition_variable changed;
  uint64_t done = 0;
  std::exception_ptr failure;

  const auto work = [&] {
    for (uint64_t i = next++; i < count; i = next++) {
      std::exception_ptr thrown;
      try {
        body(i, stopped);
      } catch (...) {
        thrown = std::current_exception();
        next = count;
      }
      const std::lock_guard<std::mutex> lock(mutex);
      ++done;
      if (thrown && !failure) failure = thrown;
      if (thrown) stopped = true;  // not before the failure is kept: others throw for it
      if (thrown || done == count) changed.notify_one();
    }
  };

  std::vector<std::jthread> pool;  // joins when it goes
  try {
    for (int t = 0; t < std::max(threads, 1); ++t) pool.emplace_back(work);
    std::unique_lock<std::mutex> lock(mutex);
    while (!failure) {
      const uint64_t seen = done;
      lock.unlock();
      watch(seen);
      if (seen == count) return;
      lock.lock();
      changed.wait_for(lock, std::chrono::milliseconds(50),
                       [&] { return failure || done == count; });
    }
  } catch (...) {
    next = count;
    stopped = true;
    throw;
  }
  pool.clear();
  std::rethrow_exception(failure);
}

}  // namespace flowtrain::data
