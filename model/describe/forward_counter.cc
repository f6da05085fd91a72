#include "model/describe/forward_counter.h"

#include <c10/core/Allocator.h>

#include <unordered_map>
#include <vector>

#include "model/describe/operator_cost.h"

namespace flowtrain::model {

// LibTorch takes whatever stands under PROFILER_STATE for the one to report memory to.
class ForwardCounter::Watch final : public c10::MemoryReportingInfoBase {
 public:
  // Null: nothing is counted on this thread.
  static Watch* Current() {
    return static_cast<Watch*>(c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE));
  }

  static std::unique_ptr<at::ObserverContext> Begin(const at::RecordFunction& function) {
    Watch* const watch = Current();
    if (watch == nullptr) return nullptr;
    if (function.scope() == at::RecordScope::USER_SCOPE) {
      watch->names_.push_back(watch->part() + (watch->part().empty() ? "" : ".") + function.name());
      watch->multiply_adds_.try_emplace(watch->part());
      return std::make_unique<Entered>();
    }
    const auto cost = MultiplyAdds(function.name(), function.inputs());
    if (!cost) return nullptr;
    // What a counted operator is made of is counted with it.
    if (watch->inside_++ == 0) watch->multiply_adds_[watch->part()] += *cost;
    return std::make_unique<Entered>();
  }
  static void End(const at::RecordFunction& function, at::ObserverContext* entered) {
    Watch* const watch = Current();
    if (watch == nullptr || entered == nullptr) return;
    if (function.scope() == at::RecordScope::USER_SCOPE) {
      watch->names_.pop_back();
    } else {
      --watch->inside_;
    }
  }

  void reportMemoryUsage(void* ptr, int64_t size, size_t, size_t, c10::Device) override {
    if (size > 0) {
      held_[ptr] = {part(), size};
    } else {
      held_.erase(ptr);
    }
  }
  bool memoryProfilingEnabled() const override { return true; }

  std::map<std::string, PartCount> Parts() const {
    std::map<std::string, PartCount> parts;
    for (const auto& [name, count] : multiply_adds_) parts[name].multiply_adds = count;
    for (const auto& [ptr, block] : held_) parts[block.part].held_bytes += block.bytes;
    return parts;
  }

 private:
  struct Entered : at::ObserverContext {};
  struct Block {
    std::string part;
    int64_t bytes;
  };

  const std::string& part() const { return names_.back(); }

  std::vector<std::string> names_ = {""};  // of the parts that are entered, the outermost first
  int inside_ = 0;                         // counted operators that are at work
  std::map<std::string, int64_t> multiply_adds_;
  std::unordered_map<void*, Block> held_;
};

ForwardCounter::ForwardCounter()
    : watch_(std::make_shared<Watch>()),
      on_this_thread_(c10::DebugInfoKind::PROFILER_STATE, watch_),
      callback_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&Watch::Begin, &Watch::End)
              .needsInputs(true)
              .scopes({at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE}))) {}

ForwardCounter::~ForwardCounter() { at::removeCallback(callback_); }

std::map<std::string, PartCount> ForwardCounter::Parts() const { return watch_->Parts(); }

}  // namespace flowtrain::model
