// Sample: named encoded buffers, images and labels, and what a missing one says.
#include <doctest/doctest.h>
#include <flowtrain/error.h>
#include <flowtrain/sample.h>

#include <map>
#include <vector>

using flowtrain::Buffer;
using flowtrain::Error;
using flowtrain::Image;
using flowtrain::Sample;

namespace {

class Heap final : public flowtrain::ImageAllocator {
 public:
  Image Allocate(std::string_view, int height, int width, int channels) override {
    blocks_.emplace_back(static_cast<size_t>(height) * width * channels);
    return {blocks_.back().data(),
            height,
            width,
            channels,
            8,
            static_cast<size_t>(width) * channels,
            {}};
  }

 private:
  std::vector<std::vector<uint8_t>> blocks_;
};

}  // namespace

TEST_CASE("encoded buffers are named, counted and dropped") {
  Sample sample;
  sample.set_encoded("image", Buffer::Allocate(10));
  sample.set_encoded("mask", Buffer::Allocate(5));
  CHECK(sample.encoded_bytes() == 15);
  sample.set_encoded("mask", Buffer::Allocate(7));
  CHECK(sample.encoded_bytes() == 17);
  sample.drop_encoded("image");
  CHECK_FALSE(sample.has_encoded("image"));
  CHECK(sample.encoded("mask").size == 7);
  CHECK_THROWS_WITH_AS(sample.encoded("image"), "the sample has no encoded \"image\"", Error);
}

TEST_CASE("an earlier image of the name stays readable while its successor is made") {
  Heap heap;
  Sample sample;
  sample.set_allocator(&heap);
  sample.MakeImage("image", 4, 6, 3).data[0] = 17;
  const Image from = sample.image("image");
  Image& to = sample.MakeImage("image", 2, 2, 3);
  CHECK(from.data[0] == 17);
  CHECK(to.data != from.data);
  CHECK(sample.image("image").height == 2);
  CHECK(from.row(1) - from.data == 18);
  CHECK_FALSE(sample.has_image("mask"));
  CHECK_THROWS_WITH_AS(sample.image("mask"), "the sample has no image \"mask\"", Error);
}

TEST_CASE("a sample without an allocator makes no image") {
  Sample sample;
  CHECK_THROWS_AS(sample.MakeImage("image", 1, 1, 1), Error);
}

TEST_CASE("labels are named") {
  Sample sample;
  sample.set_label("class", 3);
  sample.set_label("class", -4);
  CHECK(sample.label("class") == -4);
  CHECK_FALSE(sample.has_label("other"));
  CHECK_THROWS_WITH_AS(sample.label("other"), "the sample has no label \"other\"", Error);
}
