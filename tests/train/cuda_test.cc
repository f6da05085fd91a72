// Upload and training on a GPU, through the plugin's door; where there is none, the case says so.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <flowtrain/testing/batch_context.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "train/plugin.h"
#include "train/scripted_run.h"

namespace flowtrain::train::test {
namespace {

constexpr BatchShape kGpuShape{.rows = 4, .side = 64, .batches_per_epoch = 3};

bool HasGpu() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  auto* init = driver ? reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit")) : nullptr;
  const bool has = init != nullptr && init(0) == 0;
  if (!has) MESSAGE("skipped: no GPU");
  return has;
}

std::unique_ptr<BatchTransform> MakeUpload(const std::string& precision) {
  testing::TestOpenContext open;
  open.inputs.emplace("in", InfoOf(kGpuShape));
  const Value params{Value::Object{{"device", "cuda"}, {"precision", precision}, {"residents", 2}}};
  return testing::Make<BatchTransform>(Plugin().Find("train.upload"), params, open);
}

std::vector<uint8_t> ToHost(const Tensor& tensor) {
  void* runtime = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(runtime != nullptr);
  auto* copy =
      reinterpret_cast<int (*)(void*, const void*, size_t, int)>(dlsym(runtime, "cudaMemcpy"));
  std::vector<uint8_t> bytes(tensor.bytes());
  REQUIRE(copy(bytes.data(), tensor.data, bytes.size(), 2) == 0);
  return bytes;
}

TEST_CASE(
    "on a GPU upload gives the numbers of the formula, and both batches are released by fences") {
  if (!HasGpu()) return;
  for (const std::string precision : {"float32", "bf16"}) {
    const auto upload = MakeUpload(precision);
    std::vector<FencePtr> slot_fences;
    BatchContent content = ByteContent(kGpuShape, 0, 0);
    const auto held = content.on_release;
    content.on_release = [&](const std::vector<FencePtr>& fences) { slot_fences = fences; };
    testing::TestBatchContext context(0);
    Batch in = Batch::Create(content);
    const Batch out = upload->Process(in, context);
    in.Reset();
    REQUIRE(slot_fences.size() == 1);
    REQUIRE(out.ready() != nullptr);
    out.ready()->Wait();
    CHECK(out.ready()->Passed());
    CHECK(slot_fences[0]->Passed());
    CHECK(out.tensor("image").cuda_device == 0);
    CHECK(out.tensor("image").dtype == (precision == "bf16" ? DType::kBF16 : DType::kF32));
    const std::vector<uint8_t> raw = ToHost(out.tensor("image"));
    const auto bytes = content.tensors[0].as<uint8_t>();
    const double of_mean[] = {0.485, 0.456, 0.406}, of_deviation[] = {0.229, 0.224, 0.225};
    double worst = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      float number = 0;
      if (precision == "bf16") {
        std::memcpy(reinterpret_cast<char*>(&number) + 2, raw.data() + 2 * i, 2);
      } else {
        std::memcpy(&number, raw.data() + 4 * i, 4);
      }
      worst = std::max(worst, std::abs((bytes[i] / 255.0 - of_mean[i % 3]) / of_deviation[i % 3] -
                                       static_cast<double>(number)));
    }
    CHECK(worst < (precision == "bf16" ? 0.01 : 1e-5));
    const std::vector<uint8_t> mask = ToHost(out.tensor("mask"));
    bool same = true;
    for (size_t i = 0; i < mask.size() / 4; ++i) {
      float number = 0;
      std::memcpy(&number, mask.data() + 4 * i, 4);
      same &= number == (content.tensors[1].as<uint8_t>()[i] == 255 ? 1.0f : 0.0f);
    }
    CHECK(same);
    upload->Close();
    CHECK(held != nullptr);
  }
}

// Train's and val's batches, from bytes through upload. Kept by the test until the run is over.
class Uploaded {
 public:
  ~Uploaded() { upload_->Close(); }
  // From now on; the run goes first.
  void Feed(ScriptedRun& run) {
    const auto make = [this](uint64_t epoch, uint64_t index) { return Make(epoch, index); };
    run.streams.at("train").make = make;
    run.streams.at("val").make = make;
  }
  std::vector<size_t> fences;  // of each batch that went back

 private:
  BatchContent Make(uint64_t epoch, uint64_t index) {
    testing::TestBatchContext& context =
        *contexts_.emplace_back(std::make_unique<testing::TestBatchContext>(static_cast<int>(index % 2)));
    BatchContent bytes = ByteContent(kGpuShape, epoch, index);
    const Batch out = upload_->Process(Batch::Create(bytes), context);
    BatchContent content = out.content();
    content.on_release = [this, bytes](const std::vector<FencePtr>& given) {
      fences.push_back(given.size());
      for (const FencePtr& fence : given) fence->Wait();
    };
    return content;
  }
  const std::unique_ptr<BatchTransform> upload_ = MakeUpload("auto");
  std::vector<std::unique_ptr<testing::TestBatchContext>> contexts_;
};

TEST_CASE("on a GPU recorded steps lose as much as steps that are launched one by one") {
  if (!HasGpu()) return;
  std::vector<double> losses[2];
  for (const bool recorded : {false, true}) {
    Uploaded uploaded;
    ScriptedRun run(
        Tiny({{"device", "cuda"}, {"epochs", 4}, {"precision", "float32"}, {"cuda_graphs", recorded}}), kGpuShape);
    uploaded.Feed(run);
    run.Run();
    losses[recorded] = run.Recorded("train", "loss");
    for (const std::string& warning : run.warnings) CHECK(warning.find("recorded") == std::string::npos);
  }
  REQUIRE(losses[0].size() == 12);
  REQUIRE(losses[1].size() == 12);
  double worst = 0;
  for (size_t i = 0; i < 12; ++i) worst = std::max(worst, std::abs(losses[1][i] / losses[0][i] - 1));
  MESSAGE("losses of 12 steps, 9 of them recorded, differ by " << worst << " at most");
  CHECK(worst < 0.05);  // sums in another order, over twelve steps that build on each other
}

TEST_CASE("on a GPU a run says why its steps are launched kernel by kernel, where they can't be recorded") {
  if (!HasGpu()) return;
  const auto told = [](const Value::Object& changes) {
    Uploaded uploaded;
    ScriptedRun run(Tiny(changes), kGpuShape);
    uploaded.Feed(run);
    run.Run();
    const std::string due = "steps are launched kernel by kernel: those of this camoxpert can't be recorded";
    return std::count(run.infos.begin(), run.infos.end(), due);
  };
  CHECK(told({{"device", "cuda"}, {"model/gradient_checkpointing", true}}) == 1);
  CHECK(told({{"device", "cuda"}, {"model/gradient_checkpointing", true}, {"cuda_graphs", false}}) == 0);
  CHECK(told({{"device", "cuda"}}) == 0);
}

TEST_CASE(
    "on a GPU the trainer waits on the stream, and a batch goes back by the fence of its step") {
  if (!HasGpu()) return;
  Uploaded uploaded;
  ScriptedRun run(
      Tiny({{"device", "cuda"}, {"epochs", 2}, {"resident_steps", 2}, {"cuda_graphs", true}}), kGpuShape);
  uploaded.Feed(run);
  run.Run();
  CHECK(run.summary_of("device").substr(0, 7) == "cuda:0,");
  CHECK(run.Recorded("train", "loss").size() == 6);
  for (const double loss : run.Recorded("train", "loss")) CHECK(std::isfinite(loss));
  CHECK(uploaded.fences.size() == 12);
  for (const size_t count : uploaded.fences) CHECK(count >= 1);
  CHECK(std::atof(run.summary_of("resident images/s").c_str()) > 0);
  MESSAGE("fed " << run.summary_of("fed images/s") << ", resident "
                 << run.summary_of("resident images/s") << " images/s");
}

}  // namespace
}  // namespace flowtrain::train::test
