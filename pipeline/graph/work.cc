#include "pipeline/graph/work.h"

#include <cstdlib>

namespace flowtrain::graph {

using Clock = std::chrono::steady_clock;

void Work::Begin(const ChainStages& chain, Unit unit) {
  chain_ = &chain;
  unit_ = std::move(unit);
  unit_.sample->set_allocator(this);
  outcome_ = unit_.bad ? Outcome::kBad : Outcome::kOk;
  failed_stage_ = -1;
  error_ = nullptr;
  if (!chain.series.empty()) chain.series[0].wait.Observe(unit_.token_waited_s);
  running_chain_.store(unit_.chain, std::memory_order_relaxed);
  running_position_.store(unit_.address.position, std::memory_order_relaxed);
}

Rng Work::StageRng(int stage) const {
  return {chain_->seed, chain_->config->streams[stage], unit_.address.epoch, unit_.address.position};
}

void Work::Process(int stage) noexcept {
  if (outcome_ != Outcome::kOk) return;
  const auto start = Clock::now();
  stage_ = stage;
  running_since_.store(start.time_since_epoch().count(), std::memory_order_relaxed);
  running_stage_.store(stage, std::memory_order_relaxed);
  rng_ = StageRng(stage);
  const metrics::StageSeries& series = chain_->series[stage];
  try {
    chain_->transforms[stage]->Process(*unit_.sample, *this);
    series.ok.Add(1);
  } catch (const BadSample& bad) {
    outcome_ = Outcome::kBad;
    reason_ = bad.reason();
    message_ = bad.what();
    failed_stage_ = stage;
    series.bad.Add(1);
  } catch (...) {
    outcome_ = Outcome::kFailed;
    failed_stage_ = stage;
    error_ = WithPlace(chain_->config->transforms[stage].name,
                       "sample " + std::to_string(unit_.address.index) + " (" + unit_.sample->path + ")");
    series.failed.Add(1);
  }
  series.duration.Observe(std::chrono::duration<double>(Clock::now() - start).count());
  running_stage_.store(-1, std::memory_order_relaxed);
}

Work::Running Work::running() const {
  Running running;
  running.stage = running_stage_.load(std::memory_order_relaxed);
  running.chain = running_chain_.load(std::memory_order_relaxed);
  running.position = running_position_.load(std::memory_order_relaxed);
  running.since = Clock::time_point(Clock::duration(running_since_.load(std::memory_order_relaxed)));
  return running;
}

std::span<uint8_t> Work::Memory(const std::string& key, size_t bytes) {
  Block* block = nullptr;
  for (Block& candidate : blocks_) {
    if (candidate.stage == stage_ && candidate.key == key) block = &candidate;
  }
  if (block == nullptr) {
    block = &blocks_.emplace_back();
    block->stage = stage_;
    block->key = key;
  }
  if (block->bytes < bytes) {
    const size_t rounded = (bytes + 63) / 64 * 64;
    auto* data = static_cast<uint8_t*>(std::aligned_alloc(64, rounded));
    if (data == nullptr) throw std::bad_alloc();
    block->data = {data, std::free};
    block->bytes = rounded;
  }
  return {block->data.get(), bytes};
}

std::span<uint8_t> Work::Scratch(size_t bytes, int which) { return Memory("#" + std::to_string(which), bytes); }

View Work::Plan(const ImageInfo& info) {
  View view;
  for (size_t next = stage_ + 1; next < chain_->transforms.size(); ++next) {
    Rng rng = StageRng(static_cast<int>(next));
    if (!chain_->transforms[next]->Plan(info, rng, view)) break;
  }
  return view;
}

void Work::Warn(const std::string& message) {
  chain_->warn(chain_->config->transforms[stage_].name + ": " + message);
}

Image Work::Allocate(std::string_view name, int height, int width, int channels) {
  if (height < 1 || width < 1 || (channels != 1 && channels != 3)) {
    throw Error("can't make \"" + std::string(name) + "\" of " + std::to_string(height) + " x " + std::to_string(width) +
                " x " + std::to_string(channels));
  }
  const auto& rows = chain_->config->rows;
  for (size_t tensor = 0; tensor < rows.size(); ++tensor) {
    if (rows[tensor].name != name || rows[tensor].last_maker != stage_) continue;
    const Image row = chain_->slots->ImageRow(unit_.slot, unit_.address.row, static_cast<int>(tensor));
    if (row.height == height && row.width == width && row.channels == channels) return row;
    throw Error("made \"" + std::string(name) + "\" " + std::to_string(height) + " x " + std::to_string(width) + " x " +
                std::to_string(channels) + " but declares " + std::to_string(row.height) + " x " +
                std::to_string(row.width) + " x " + std::to_string(row.channels));
  }
  Image image;
  image.height = height;
  image.width = width;
  image.channels = channels;
  image.stride = image.row_bytes();
  image.data = Memory(std::string(name), image.bytes()).data();
  return image;
}

std::exception_ptr WithPlace(const std::string& stage, const std::string& sample) {
  std::string cause;
  try {
    throw;
  } catch (const Cancelled&) {
    return std::current_exception();
  } catch (const std::exception& error) {
    cause = error.what();
  } catch (...) {
    cause = "an exception that is no std::exception";
  }
  // LibTorch appends a C++ backtrace to what().
  if (const size_t trace = cause.find("\nException raised from"); trace != std::string::npos) cause.resize(trace);
  return std::make_exception_ptr(Error(stage + ": " + cause + (sample.empty() ? "" : ", " + sample)));
}

std::exception_ptr FailureOf(const std::string& stage, bool stopping) {
  const std::exception_ptr cause = WithPlace(stage, "");
  return stopping && IsCancelled(cause) ? nullptr : cause;
}

bool IsCancelled(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace flowtrain::graph
