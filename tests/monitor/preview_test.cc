// monitor.preview writes pictures of what flows, and refuses what it can't show.
#include <doctest/doctest.h>
#include <spng.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "monitor/made_batch.h"
#include "support/scratch_folder.h"
#include <flowtrain/testing/consumer_runner.h>

using namespace flowtrain;
using namespace flowtrain::testing;
namespace fs = std::filesystem;

namespace {

struct Picture {
  uint32_t height = 0, width = 0;
  std::vector<uint8_t> rgb;
  const uint8_t* at(size_t y, size_t x) const { return &rgb[(y * width + x) * 3]; }
};

Picture ReadPng(const fs::path& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                       &std::fclose);
  REQUIRE(file);
  std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> png(spng_ctx_new(0), &spng_ctx_free);
  spng_set_png_file(png.get(), file.get());
  spng_ihdr header{};
  REQUIRE(spng_get_ihdr(png.get(), &header) == 0);
  Picture picture{header.height, header.width,
                  std::vector<uint8_t>(size_t(header.height) * header.width * 3)};
  REQUIRE(spng_decode_image(png.get(), picture.rgb.data(), picture.rgb.size(), SPNG_FMT_RGB8, 0) ==
          0);
  return picture;
}

InputInfo InfoOf(const MadeBatch& made) {
  return {.batch = made.content.rows, .tensors = made.content.tensors, .connected = true};
}

void RunPreview(const Value& params, const MadeBatch& made, TestRunContext& run) {
  TestOpenContext open;
  open.inputs["in"] = InfoOf(made);
  Make<Consumer>(MonitorPlugin().Find("monitor.preview"), params, open)->Run(run);
}

std::set<std::string> Names(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

class CountingFence final : public Fence {
 public:
  bool Passed() override { return waits > 0; }
  void Wait() override { ++waits; }
  int waits = 0;
};

}  // namespace

TEST_CASE("the sheet shows samples side by side, with the outline of each mask") {
  const flowtrain::ScratchFolder temp;
  const MadeBatch made(3, 8, 10);
  TestRunContext run(temp.path());
  run.batches["in"] = {made.At(2, 5, 7)};
  Value params;
  params.Set("columns", 2);
  RunPreview(params, made, run);
  const Picture picture = ReadPng(temp.path() / "preview" / "epoch-0002-batch-00005.png");
  CHECK(picture.height == 8 + 2 + 8);
  CHECK(picture.width == 10 + 2 + 10);
  CHECK(picture.at(3, 8)[0] == 10);  // background of sample 0
  CHECK(picture.at(3, 1)[0] == 10);  // inside of its mask
  CHECK(picture.at(3, 12 + 8)[0] == 20);
  CHECK(picture.at(10 + 3, 8)[0] == 30);
  for (int y = 0; y < 8; ++y) {
    CHECK(picture.at(y, 4)[0] == 255);  // the mask's right edge, in magenta
    CHECK(picture.at(y, 4)[1] == 0);
    CHECK(picture.at(y, 5)[0] == 10);
  }
  CHECK(run.warnings.empty());
  CHECK(run.commits.empty());  // an observer takes nothing in
}

TEST_CASE(
    "a picture of the first batch seen and then of every n-th, though batches may be missed") {
  const flowtrain::ScratchFolder temp;
  const MadeBatch made(1, 4, 4);
  TestRunContext run(temp.path());
  for (const uint64_t i : {1, 2, 3, 4, 7, 8, 9, 10})
    run.batches["in"].push_back(made.At(i / 5, i % 5, 5));
  Value params;
  params.Set("every", 4);
  RunPreview(params, made, run);
  CHECK(Names(temp.path() / "preview") ==
        std::set<std::string>{"epoch-0000-batch-00001.png", "epoch-0001-batch-00002.png"});
}

TEST_CASE("a batch without masks is shown as it is, and a batch is read when it is ready") {
  const flowtrain::ScratchFolder temp;
  MadeBatch made(1, 4, 4);
  made.content.tensors.pop_back();
  const auto fence = std::make_shared<CountingFence>();
  made.content.ready = fence;
  TestRunContext run(temp.path());
  run.batches["in"] = {made.At(0, 0, 1)};
  RunPreview({}, made, run);
  CHECK(ReadPng(temp.path() / "preview" / "epoch-0000-batch-00000.png").at(1, 1)[2] == 10);
  CHECK(fence->waits == 1);
}

TEST_CASE("tensors that can't be shown are refused before the run, with what to do") {
  const auto refusal = [](const MadeBatch& made) {
    TestOpenContext open;
    open.inputs["in"] = InfoOf(made);
    try {
      MakeStage(MonitorPlugin().Find("monitor.preview"), {}, open);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  MadeBatch made(1, 4, 4);
  CHECK(refusal(made) == "accepted");
  made.content.tensors[0].cuda_device = 0;
  CHECK(refusal(made).find("is on a GPU: connect the preview to the staging stage") !=
        std::string::npos);
  made.content.tensors[0].cuda_device = -1;
  made.content.tensors[0].dtype = DType::kF32;
  CHECK(refusal(made).find("float32") != std::string::npos);
  made.content.tensors.erase(made.content.tensors.begin());
  CHECK(refusal(made).find("no tensor \"image\"") != std::string::npos);
}

TEST_CASE("a folder that can't be written costs one warning for all pictures, not the run") {
  const flowtrain::ScratchFolder temp;
  const MadeBatch made(1, 4, 4);
  std::fclose(
      std::fopen((temp.path() / "preview").c_str(), "w"));  // a file where the folder should be
  TestRunContext run(temp.path());
  run.batches["in"] = {made.At(0, 0, 1), made.At(0, 1, 1), made.At(0, 2, 1)};
  RunPreview(Value(Value::Object{{"every", 1}}), made, run);
  REQUIRE(run.warnings.size() == 1);
  CHECK(run.warnings[0].find(temp.path().string()) != std::string::npos);
}

TEST_CASE("a picture that can't be put in place leaves nothing behind") {
  const flowtrain::ScratchFolder temp;
  const MadeBatch made(1, 4, 4);
  const fs::path in_the_way = temp.path() / "preview/epoch-0000-batch-00000.png";
  fs::create_directories(in_the_way);
  TestRunContext run(temp.path());
  run.batches["in"] = {made.At(0, 0, 1)};
  RunPreview({}, made, run);
  CHECK(run.warnings.size() == 1);
  CHECK(Names(temp.path() / "preview") == std::set<std::string>{in_the_way.filename()});
}
