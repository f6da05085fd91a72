// Parameters at the ends of their ranges, in any number, make a picture; beyond, they are refused.
#include <doctest/doctest.h>

#include <list>
#include <stdexcept>

#include "image/augmenting.h"
#include "pipeline/config/check_params.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

// What validation says of one op's member; empty: it takes it.
std::string FaultOf(const char* op, const char* member, const Value& value) {
  const StageDeclaration& augment = ImagePlugin().Find("image.augment");
  config::Faults faults("graph.json");
  config::CheckParams(augment.params, Params(8, 8, {Op(op, {{member, value}})}), "/stages/augment",
                      {}, faults);
  try {
    faults.ThrowIfAny();
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

Value Pair(double least, double largest) { return Value::List{least, largest}; }

// A worker whose memory for pixel changes is refused.
class NoScratch final : public Context, public ImageAllocator {
 public:
  explicit NoScratch(int refused) : refused_(refused) {}
  Rng& rng() override { return rng_; }
  std::span<uint8_t> Scratch(size_t bytes, int which) override {
    if (which == refused_) throw std::length_error("vector::_M_default_append");
    return blocks_.emplace_back(bytes);
  }
  View Plan(const ImageInfo&) override { return {}; }
  void Warn(const std::string&) override {}
  Image Allocate(std::string_view, int height, int width, int channels) override {
    Image image{.height = height, .width = width, .channels = channels};
    image.stride = image.row_bytes();
    image.data = blocks_.emplace_back(image.bytes()).data();
    return image;
  }

 private:
  const int refused_;
  std::list<std::vector<uint8_t>> blocks_;
  Rng rng_{1, 2, 3, 4};
};

std::string FailureOf(const Value::List& ops, int refused_block) {
  TestOpenContext open;
  const auto augment =
      Make<Transform>(ImagePlugin().Find("image.augment"), Params(8, 8, ops), open);
  NoScratch worker(refused_block);
  Sample sample;
  sample.path = "a/picture.jpg";
  sample.set_allocator(&worker);
  sample.MakeImage("image", 16, 16, 3);
  try {
    augment->Process(sample, worker);
  } catch (const BadSample& bad) {
    return bad.reason() + " | " + bad.what();
  }
  return "made";
}

}  // namespace

TEST_CASE("a part of nothing, or a shape of infinity, is refused with the range that is allowed") {
  struct Senseless {
    const char *op, *member;
    Value value;
    const char* range;
  };
  for (const Senseless& s : std::vector<Senseless>{
           {"random_resized_crop", "scale", Pair(1e-300, 1), "from 0.0001 to 1"},
           {"random_resized_crop", "scale", Pair(5e-324, 5e-324), "from 0.0001 to 1"},
           {"random_resized_crop", "ratio", Pair(1, 1e300), "from 0.01 to 100"},
           {"random_resized_crop", "ratio", Pair(1e-300, 1), "from 0.01 to 100"},
           {"center_crop", "share", 1e-300, "from 0.01 to 1"},
           {"center_crop", "share", 0, "from 0.01 to 1"},
           {"cutout", "scale", Pair(1e-300, 0.1), "from 0.0001 to 1"},
           {"cutout", "ratio", Pair(1, 1e300), "from 0.01 to 100"},
           {"affine", "scale", Pair(1e-300, 1), "from 0.1 to 10"},
           {"affine", "scale", Pair(1, 1e300), "from 0.1 to 10"},
           {"affine", "shear", 89.9, "from 0 to 60"},
           {"affine", "translate", Pair(0, 1e300), "from 0 to 1"},
           {"blur", "sigma", Pair(0.01, 1e300), "from 0.01 to 50"}}) {
    const std::string fault = FaultOf(s.op, s.member, s.value);
    CAPTURE(s.op);
    CAPTURE(fault);
    CHECK(fault.find(std::string("/stages/augment/ops/0/") + s.member) != std::string::npos);
    CHECK(fault.find("is out of range") != std::string::npos);
    CHECK(fault.find(s.range) != std::string::npos);
  }
  CHECK(FaultOf("random_resized_crop", "scale", Pair(1e-4, 1)).empty());
  CHECK(FaultOf("center_crop", "share", 0.01).empty());
}

TEST_CASE("hundreds of ops in a row, each at the end of its range, make a picture") {
  const Raster image = Noise(9, 40, 3, 4), mask = BinaryNoise(9, 40);
  const std::vector<Value> ends = {
      Op("center_crop", {{"share", 0.01}}),
      Op("random_resized_crop", {{"scale", Pair(1e-4, 1e-4)}, {"ratio", Pair(100, 100)}}),
      Op("affine", {{"scale", Pair(10, 10)}}),
      Op("affine", {{"scale", Pair(0.1, 0.1)}, {"translate", Pair(1, 1)}}),
      Op("affine", {{"degrees", 180}, {"shear", 60}}),
      Op("affine", {{"degrees", 1e-300}}),
      Op("affine", {{"scale", Pair(0.1, 10)}, {"degrees", 180}, {"shear", 60}})};
  for (size_t first = 0; first < ends.size(); ++first) {
    for (size_t second = 0; second < ends.size(); ++second) {
      Value::List ops;
      for (int i = 0; i < 150; ++i) {
        ops.push_back(ends[first]);
        ops.push_back(ends[second]);
      }
      CAPTURE(first);
      CAPTURE(second);
      const Augmented out = Augment(Params(12, 10, ops), image, mask, first);
      CHECK(out.image.height == 12);
      CHECK(out.mask.width == 10);
      for (const uint8_t value : out.mask.values) REQUIRE((value == 0 || value == 255));
    }
  }
}

TEST_CASE("what has been moved off the picture is fill, however far") {
  Value::List ops(60, Op("affine", {{"translate", Pair(1, 1)}, {"scale", Pair(0.1, 0.1)}}));
  int empty = 0;
  for (uint64_t position = 0; position < 10; ++position) {
    Value params = Params(32, 32, ops);
    params.Set("fill", Value::List{10, 20, 30});
    const Augmented out = Augment(params, Raster(16, 16, 3, 200), Raster(16, 16, 1, 255), position);
    int shown = 0;
    for (size_t i = 0; i < out.mask.values.size(); ++i) {
      shown += out.mask.values[i] != 0;
      if (out.mask.values[i] == 0) CHECK(out.image.values[3 * i + 1] <= 200);
    }
    CHECK(shown <= 1);
    empty += shown == 0 && out.image.at(0, 0, 0) == 10;
  }
  CHECK(empty > 5);
}

TEST_CASE("an op that fails over a sample makes it a bad sample that names the op") {
  const Value turn = Op("affine", {{"degrees", 30}}), crop = Op("center_crop", {}),
              blur = Op("blur", {{"p", 1}}), jitter = Op("jitter", {{"brightness", 0.5}});
  CHECK(FailureOf({crop, turn, blur}, 99) == "made");
  CHECK(FailureOf({crop, turn, blur}, 0) ==
        "can't be augmented | a/picture.jpg: scaling after center_crop, affine: "
        "vector::_M_default_append");
  CHECK(FailureOf({jitter, turn, turn, blur}, 2).find("a/picture.jpg: ") != std::string::npos);
  CHECK(FailureOf({crop, turn, blur}, 2) ==
        "can't be augmented | a/picture.jpg: blur: vector::_M_default_append");
}
