// What a batch transform is given besides its batch: a resident that the test chooses, and Derive as in
// a run. For tests; one thread.
#pragma once

#include <flowtrain/stage.h>

#include <utility>
#include <vector>

namespace flowtrain::testing {

class TestBatchContext final : public BatchContext {
 public:
  explicit TestBatchContext(int resident = 0) : resident_(resident) {}

  int resident() const override { return resident_; }
  Batch Derive(const Batch& in, std::vector<Tensor> tensors, FencePtr ready) override {
    BatchContent content = in.content();
    content.tensors = std::move(tensors);
    content.ready = std::move(ready);
    content.on_release = nullptr;  // a resident's memory is the stage's
    return Batch::Create(std::move(content));
  }
  bool stopping() const override { return false; }

 private:
  const int resident_;
};

}  // namespace flowtrain::testing
