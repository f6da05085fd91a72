// Batch: shared and const; its memory goes back once, with the fences that have to pass first.
#include <doctest/doctest.h>
#include <flowtrain/batch.h>
#include <flowtrain/error.h>

#include <thread>

using namespace flowtrain;

namespace {

class NullFence final : public Fence {
 public:
  bool Passed() override { return true; }
  void Wait() override {}
};

struct Slot {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(2 * 4 * 3);
  int released = 0;
  std::vector<FencePtr> fences;

  Batch Issue() {
    BatchContent content;
    content.batches_per_epoch = 3;
    content.index = 2;
    content.rows = 2;
    content.tensors.push_back({"image", DType::kU8, {2, 2, 2, 3}, bytes.data()});
    content.on_release = [this](std::vector<FencePtr> f) {
      ++released;
      fences = std::move(f);
    };
    return Batch::Create(std::move(content));
  }
};

}  // namespace

TEST_CASE("a batch is released once, when its last handle goes") {
  Slot slot;
  {
    Batch first = slot.Issue();
    Batch second = first;
    first.Reset();
    CHECK_FALSE(first);
    CHECK(slot.released == 0);
    CHECK(second.last_in_epoch());
    Batch third = std::move(second);
    CHECK(slot.released == 0);
  }
  CHECK(slot.released == 1);
}

TEST_CASE("release hands over every fence, from whatever thread it came") {
  Slot slot;
  Batch batch = slot.Issue();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([batch] {
      for (int k = 0; k < 100; ++k) batch.ReleaseAfter(std::make_shared<NullFence>());
    });
  }
  for (std::thread& thread : threads) thread.join();
  threads.clear();  // with them their handles
  batch.Reset();
  CHECK(slot.released == 1);
  CHECK(slot.fences.size() == 400);
}

TEST_CASE("a tensor that isn't there is refused with those that are") {
  Slot slot;
  const Batch batch = slot.Issue();
  CHECK(batch.has_tensor("image"));
  CHECK(batch.tensor("image").bytes() == 24);
  CHECK(batch.tensor("image").as<uint8_t>().size() == 24);
  CHECK_THROWS_WITH_AS(batch.tensor("mask"), "the batch has no tensor \"mask\"; it has image",
                       Error);
  CHECK_THROWS_WITH_AS(Batch().rows(), "this batch is empty", Error);
}

TEST_CASE("a DLPack tensor sees the batch's memory and keeps the batch alive") {
  Slot slot;
  Batch batch = slot.Issue();
  DLManagedTensor* tensor = batch.ToDLPack("image");
  batch.Reset();
  CHECK(slot.released == 0);
  CHECK(tensor->dl_tensor.data == slot.bytes.data());
  CHECK(tensor->dl_tensor.ndim == 4);
  CHECK(tensor->dl_tensor.shape[3] == 3);
  CHECK(tensor->dl_tensor.strides == nullptr);
  CHECK(tensor->dl_tensor.dtype.code == kDLUInt);
  CHECK(tensor->dl_tensor.dtype.bits == 8);
  tensor->deleter(tensor);
  CHECK(slot.released == 1);
}

TEST_CASE("DLPack names device and type; page-locked memory goes as plain host memory") {
  struct Case {
    DType dtype;
    int code, bits;
  };
  for (const Case& c : {Case{DType::kI32, kDLInt, 32}, Case{DType::kI64, kDLInt, 64},
                        Case{DType::kF16, kDLFloat, 16}, Case{DType::kBF16, kDLBfloat, 16},
                        Case{DType::kF32, kDLFloat, 32}}) {
    BatchContent content;
    content.tensors.push_back({"pinned", c.dtype, {1}, nullptr, -1, true});
    content.tensors.push_back({"device", c.dtype, {1}, nullptr, 1});
    const Batch batch = Batch::Create(std::move(content));
    DLManagedTensor* pinned = batch.ToDLPack("pinned");
    DLManagedTensor* device = batch.ToDLPack("device");
    CHECK(pinned->dl_tensor.device.device_type == kDLCPU);
    CHECK(device->dl_tensor.device.device_type == kDLCUDA);
    CHECK(device->dl_tensor.device.device_id == 1);
    CHECK(int{pinned->dl_tensor.dtype.code} == c.code);
    CHECK(int{pinned->dl_tensor.dtype.bits} == c.bits);
    CHECK(ElementBytes(c.dtype) * 8 == static_cast<size_t>(c.bits));
    pinned->deleter(pinned);
    device->deleter(device);
  }
}
