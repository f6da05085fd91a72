// A stage that looks something up: with what another plugin provides, with a double of the test's own,
// and with nothing.
#undef NDEBUG
#include <flowtrain/testing/declarations.h>
#include <flowtrain/testing/stage_runner.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "palette.h"

using namespace flowtrain;

namespace {

const testing::CollectingRegistrar& Tint() {
  static const auto plugin = testing::LoadPlugin(PLUGINS "/libflowtrain_tint.so");
  return plugin;
}

// One black pixel after the stage.
std::vector<int> Mixed(testing::StageRunner& runner, const std::string& colour, double amount) {
  testing::TestAllocator images(0);
  Sample sample;
  sample.set_allocator(&images);
  sample.MakeImage("image", 1, 1, 3);
  runner.Add(Tint().Find("tint.mix"), Value(Value::Object{{"colour", colour}, {"amount", amount}}));
  runner.Process(sample);
  const uint8_t* pixel = sample.image("image").data;
  return {pixel, pixel + 3};
}

void TheProvidedColourIsMixedIn() {
  testing::StageRunner warm, cold;
  warm.open().provisions = testing::LoadPlugin(PLUGINS "/libflowtrain_palette.so").provisions;
  cold.open().provisions = warm.open().provisions;
  assert((Mixed(warm, "palette.warm", 1.0) == std::vector<int>{255, 160, 60}));
  assert((Mixed(cold, "palette.cold", 0.5) == std::vector<int>{30, 60, 128}));
}

struct Green final : palette::Palette {
  palette::Colour Tint() const override { return {0, 200, 0}; }
};

void ATestProvidesAColourOfItsOwn() {
  testing::StageRunner runner;
  runner.open().Provide<palette::Palette>("test.green", std::make_shared<Green>());
  assert((Mixed(runner, "test.green", 0.5) == std::vector<int>{0, 100, 0}));
}

void AColourThatIsNotThereIsRefusedAtItsParameter() {
  testing::StageRunner runner;
  try {
    Mixed(runner, "palette.warm", 1.0);
  } catch (const testing::Refused& refused) {
    assert(refused.parameter() == "colour");
    assert(std::string(refused.what()).find("example.Palette/1") != std::string::npos);
    return;
  }
  assert(!"nothing was refused");
}

}  // namespace

int main() {
  TheProvidedColourIsMixedIn();
  ATestProvidesAColourOfItsOwn();
  AColourThatIsNotThereIsRefusedAtItsParameter();
  std::puts("tint: 3 tests passed");
}
