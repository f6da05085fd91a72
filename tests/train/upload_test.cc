// train.upload on the CPU: the numbers, the memory they are in, the labels beside them.
#include <doctest/doctest.h>
#include <flowtrain/testing/batch_context.h>

#include <cstring>

#include "train/fit_batch.h"
#include "train/plugin.h"

namespace flowtrain::train::test {
namespace {

constexpr BatchShape kSmallShape{.rows = 3, .side = 8};

std::unique_ptr<BatchTransform> MakeUpload(const std::string& mean, const BatchContent& like) {
  testing::TestOpenContext open;
  InputInfo info = InfoOf(kSmallShape);
  info.tensors = like.tensors;
  open.inputs.emplace("in", info);
  const Value params{Value::Object{{"mean", mean}, {"device", "cpu"}, {"residents", 2}}};
  return testing::Make<BatchTransform>(Plugin().Find("train.upload"), params, open);
}

TEST_CASE("bytes become (x / 255 - mean) / deviation, and masks 0 to 1") {
  for (const std::string mean : {"imagenet", "none"}) {
    const BatchContent content = ByteContent(kSmallShape, 0, 0);
    const auto upload = MakeUpload(mean, content);
    const Batch in = Batch::Create(content);
    testing::TestBatchContext context(0);
    const Batch out = upload->Process(in, context);
    const Tensor& image = out.tensor("image");
    CHECK(image.dtype == DType::kF32);
    CHECK(image.shape == std::vector<int64_t>{3, 8, 8, 3});
    CHECK(image.cuda_device == -1);
    CHECK(out.ready() == nullptr);
    const double of_mean[] = {0.485, 0.456, 0.406}, of_deviation[] = {0.229, 0.224, 0.225};
    const auto bytes = in.tensor("image").as<uint8_t>();
    const auto numbers = image.as<float>();
    double worst = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      double expected = bytes[i] / 255.0;
      if (mean == "imagenet") expected = (expected - of_mean[i % 3]) / of_deviation[i % 3];
      worst = std::max(worst, std::abs(expected - static_cast<double>(numbers[i])));
    }
    CHECK(worst < 1e-6);
    const auto mask_bytes = in.tensor("mask").as<uint8_t>();
    const auto mask = out.tensor("mask").as<float>();
    bool same = true;
    for (size_t i = 0; i < mask.size(); ++i)
      same &= mask[i] == (mask_bytes[i] == 255 ? 1.0f : 0.0f);
    CHECK(same);
  }
}

TEST_CASE("a batch is read only when it is ready") {
  class Late final : public Fence {
   public:
    explicit Late(uint8_t* late) : late_(late) {}
    bool Passed() override { return passed_; }
    void Wait() override {  // what was still under way arrives
      *late_ = 255;
      passed_ = true;
    }

   private:
    uint8_t* const late_;
    bool passed_ = false;
  };
  BatchContent content = ByteContent(kSmallShape, 0, 0);
  auto* first = static_cast<uint8_t*>(content.tensors.at(0).data);
  *first = 0;
  content.ready = std::make_shared<Late>(first);
  const auto upload = MakeUpload("none", content);
  testing::TestBatchContext context(0);
  const Batch out = upload->Process(Batch::Create(content), context);
  CHECK(out.tensor("image").as<float>()[0] == 1.0f);
}

TEST_CASE("labels pass through, and rows that aren't filled are left alone") {
  BatchContent content = ByteContent(kSmallShape, 0, 0);
  std::vector<int64_t> labels = {7, -1, 5};
  content.tensors.push_back({"class", DType::kI64, {3}, labels.data()});
  const auto upload = MakeUpload("none", content);
  testing::TestBatchContext context(1);
  const Batch full = upload->Process(Batch::Create(content), context);
  CHECK(full.tensor("class").dtype == DType::kI64);
  CHECK(std::memcmp(full.tensor("class").data, labels.data(), 24) == 0);
  const float before = full.tensor("mask").as<float>()[2 * 64];
  BatchContent partial = content;
  partial.rows = 2;
  std::memset(partial.tensors[1].data, before == 0 ? 255 : 0, 3 * 64);
  labels = {1, 2, 3};
  const Batch out = upload->Process(Batch::Create(partial), context);
  CHECK(out.rows() == 2);
  CHECK(out.tensor("mask").as<float>()[2 * 64] == before);
  CHECK(out.tensor("mask").as<float>()[64] != before);
  CHECK(out.tensor("class").as<int64_t>()[1] == 2);
  CHECK(out.tensor("class").as<int64_t>()[2] == 5);
}

TEST_CASE("each resident has memory of its own, and a batch makes none") {
  const BatchContent content = ByteContent(kSmallShape, 0, 0);
  const auto upload = MakeUpload("none", content);
  testing::TestBatchContext first(0), second(1);
  const Batch in = Batch::Create(content);
  const void* a = upload->Process(in, first).tensor("image").data;
  const void* b = upload->Process(in, second).tensor("image").data;
  CHECK(a != b);
  CHECK(upload->Process(in, first).tensor("image").data == a);
  CHECK(upload->Process(in, second).tensor("image").data == b);
}

TEST_CASE("tensors that upload can't turn into numbers are refused by name, with what is allowed") {
  BatchContent content = ByteContent(kSmallShape, 0, 0);
  content.tensors[0].shape = {3, 8, 12, 2};
  CHECK_THROWS_WITH(MakeUpload("none", content),
                    "tensor \"image\" is uint8 [3, 8, 12, 2]; allowed: uint8 \"image\" [B, H, W, "
                    "3], uint8 \"mask\" [B, H, W, 1], int64 labels");
}

}  // namespace
}  // namespace flowtrain::train::test
