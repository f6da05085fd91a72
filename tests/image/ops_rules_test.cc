// What holds for every op of image.augment: the same bytes on any thread, and no parameter without
// bounds.
#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "image/augmenting.h"

using namespace flowtrain;
using namespace flowtrain::testing;

TEST_CASE("any number of threads draws and makes the same bytes") {
  const Value params = Params(
      40, 48,
      {Op("random_resized_crop", {}), Op("affine", {{"degrees", 15}}), Op("flip", {}),
       Op("jitter", {{"brightness", 0.2}, {"contrast", 0.2}, {"saturation", 0.2}, {"hue", 0.1}}),
       Op("gray", {}), Op("blur", {}), Op("cutout", {})});
  const FileBytes file = MakeJpeg(Gradient(120, 160)), mask = MakePng(BinaryNoise(120, 160));
  StageRunner runner;
  runner.Add(ImagePlugin().Find("image.decode")).Add(ImagePlugin().Find("image.augment"), params);
  const auto make = [&](StageRunner& with, uint64_t position) {
    Sample sample = MakeSample(file, mask);
    sample.id.position = position;
    with.Process(sample);
    return std::pair(Copy(sample.image("image")), Copy(sample.image("mask")));
  };
  constexpr uint64_t kSamples = 64;
  std::vector<std::pair<Raster, Raster>> alone;
  for (uint64_t position = 0; position < kSamples; ++position)
    alone.push_back(make(runner, position));
  auto together = alone;
  for (auto& [image, small] : together) image.values.clear();
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      StageRunner own = runner.Beside();
      for (uint64_t position = kSamples; position-- > 0;)
        if (position % 4 == t) together[position] = make(own, position);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(together == alone);
}

TEST_CASE("what makes no sense is refused, by its place") {
  const auto refused = [](const Value& op) {
    TestOpenContext open;
    try {
      MakeStage(ImagePlugin().Find("image.augment"), Params(8, 8, {Op("flip", {}), op}), open);
    } catch (const Refused& e) {
      return e.parameter() + ": " + e.what();
    }
    return std::string("opened");
  };
  CHECK(refused(Op("jitter", {})).starts_with("ops/1: jitter changes nothing"));
  CHECK(refused(Op("affine", {})).starts_with("ops/1: affine changes nothing"));
  const Value upside_down = Value::List{0.9, 0.2};
  for (const auto& [op, member] :
       std::vector<std::pair<const char*, const char*>>{{"random_resized_crop", "scale"},
                                                        {"random_resized_crop", "ratio"},
                                                        {"affine", "scale"},
                                                        {"cutout", "scale"},
                                                        {"cutout", "ratio"},
                                                        {"blur", "sigma"}}) {
    CAPTURE(op);
    CHECK(refused(Op(op, {{member, upside_down}})).starts_with("ops/1: " + std::string(member)));
  }
  CHECK(refused(Op("affine", {{"scale", Value::List{2, 2}}})) == "opened");
}

TEST_CASE("every number that an op takes has bounds") {
  const StageDeclaration& augment = ImagePlugin().Find("image.augment");
  const auto ops = std::find_if(augment.params.begin(), augment.params.end(),
                                [](const ParamSpec& spec) { return spec.name == "ops"; });
  size_t numbers = 0;
  for (const Alternative& op : ops->type.element.at(0).alternatives) {
    CHECK(!op.help.empty());
    for (const ParamSpec& field : op.fields) {
      CAPTURE(op.tag);
      CAPTURE(field.name);
      CHECK(!field.help.empty());
      if (field.type.kind == ParamKind::kEnum) continue;
      CHECK(field.min.has_value());
      CHECK(field.max.has_value());
      ++numbers;
    }
  }
  CHECK(numbers >= 20);
}
