// Runs the built plugin's stage on one sample, without a graph.
#undef NDEBUG
#include <flowtrain/testing/declarations.h>
#include <flowtrain/testing/stage_runner.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <vector>

using namespace flowtrain;

namespace {

// One row of five gray pixels.
std::vector<int> Processed(const std::vector<int>& pixels, const Value& params) {
  static const testing::CollectingRegistrar plugin = testing::LoadPlugin(PLUGIN);
  std::vector<uint8_t> bytes(pixels.begin(), pixels.end());
  testing::TestAllocator images;
  Sample sample;
  sample.set_allocator(&images);
  Image& image = sample.MakeImage("image", 1, static_cast<int>(bytes.size()), 1);
  std::copy(bytes.begin(), bytes.end(), image.data);
  testing::StageRunner runner;
  runner.Add(plugin.Find("@name@.box"), params);
  runner.Process(sample);
  const Image& after = sample.image("image");
  return {after.data, after.data + after.width};
}

void PixelsBecomeTheMeanOfTheirNeighbours() {
  const Value always{Value::Object{{"p", 1.0}, {"radius", 1}}};
  assert((Processed({0, 0, 90, 0, 0}, always) == std::vector<int>{0, 30, 30, 30, 0}));
  // At the border the square is cut off: (100 + 0) / 2.
  assert((Processed({100, 0, 0, 0, 0}, always) == std::vector<int>{50, 33, 0, 0, 0}));
}

void RadiusSaysHowFarItReaches() {
  const Value wide{Value::Object{{"p", 1.0}, {"radius", 2}}};
  assert((Processed({0, 0, 100, 0, 0}, wide) == std::vector<int>{33, 25, 20, 25, 33}));
}

void NothingHappensWherePIsZero() {
  const Value never{Value::Object{{"p", 0.0}}};
  assert((Processed({0, 0, 90, 0, 0}, never) == std::vector<int>{0, 0, 90, 0, 0}));
}

}  // namespace

int main() {
  PixelsBecomeTheMeanOfTheirNeighbours();
  RadiusSaysHowFarItReaches();
  NothingHappensWherePIsZero();
  std::puts("@name@.box: 3 tests passed");
}
