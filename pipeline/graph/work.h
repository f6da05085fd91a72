// One worker's hands: runs a bound sample through the transforms of its chain, one after the other. It
// is the transforms' Context and gives them memory: the row of the batch for the last maker of an
// image, scratch for others. Used by one thread at a time, taken anew (the warmest first) for each
// sample, so that its scratch stays in that core's cache.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <flowtrain/stage.h>

#include "pipeline/graph/gate.h"
#include "pipeline/graph/slot_store.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::graph {

// What is fixed of a chain once its stages are open.
struct ChainStages {
  const config::Chain* config = nullptr;
  std::vector<const Transform*> transforms;
  std::vector<metrics::StageSeries> series;  // one a transform
  SlotStore* slots = nullptr;
  uint64_t seed = 0;
  std::function<void(const std::string& message)> warn;
};

class Work final : public Context, public ImageAllocator {
 public:
  enum class Outcome : uint8_t { kOk, kBad, kFailed };

  // A sample starts: its encoded buffers and, later, its images.
  void Begin(const ChainStages& chain, Unit unit);
  // Runs transform `stage`, unless the sample failed before. Catches everything.
  void Process(int stage) noexcept;

  Outcome outcome() const { return outcome_; }
  Unit& unit() { return unit_; }
  const ChainStages& chain() const { return *chain_; }
  // Of a sample that is not kOk.
  int failed_stage() const { return failed_stage_; }
  const std::string& reason() const { return reason_; }
  const std::string& message() const { return message_; }
  std::exception_ptr error() const { return error_; }

  // What runs here now, for reports: the stage's index or -1, the position, since when.
  struct Running {
    int chain = -1, stage = -1;
    uint64_t position = 0;
    std::chrono::steady_clock::time_point since;
  };
  Running running() const;

  // Context
  Rng& rng() override { return rng_; }
  std::span<uint8_t> Scratch(size_t bytes, int which) override;
  View Plan(const ImageInfo& info) override;
  void Warn(const std::string& message) override;
  // ImageAllocator
  Image Allocate(std::string_view name, int height, int width, int channels) override;

 private:
  struct Block {
    int stage = 0;
    std::string key;
    size_t bytes = 0;
    std::unique_ptr<uint8_t, void (*)(void*)> data{nullptr, nullptr};
  };
  std::span<uint8_t> Memory(const std::string& key, size_t bytes);
  Rng StageRng(int stage) const;

  const ChainStages* chain_ = nullptr;
  Unit unit_;
  int stage_ = 0;
  Rng rng_{0, 0, 0, 0};
  Outcome outcome_ = Outcome::kOk;
  int failed_stage_ = -1;
  std::string reason_, message_;
  std::exception_ptr error_;
  std::vector<Block> blocks_;

  std::atomic<int> running_chain_{-1}, running_stage_{-1};
  std::atomic<uint64_t> running_position_{0};
  std::atomic<int64_t> running_since_{0};
};

// "data.segmentation (files): cause, sample 17 (a/b.jpg)": an exception with where it came from.
std::exception_ptr WithPlace(const std::string& stage, const std::string& sample);
// Whether it is what a stage throws that was told to stop: no failure then.
bool IsCancelled(const std::exception_ptr& error);
// In a catch: what `stage` failed by, with its name; null where it was told to stop and says so.
std::exception_ptr FailureOf(const std::string& stage, bool stopping);

}  // namespace flowtrain::graph
