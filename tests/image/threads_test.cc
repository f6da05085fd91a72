// OpenCV runs on its own threads where it is let: loaders of others hang on that, or crowd the
// workers.
#include <doctest/doctest.h>

#include <filesystem>

#include "image/decoding.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

std::ptrdiff_t Threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

}  // namespace

TEST_CASE("a stage that works on large images starts no thread of OpenCV's") {
  Sample sample = MakeSample(MakePng(Gradient(1500, 1500)), MakePng(Gradient(1500, 1500, 1)));
  const auto before = Threads();
  StageRunner decode;
  decode.Add(ImagePlugin().Find("image.decode"));
  decode.Process(sample);
  CHECK(Threads() == before);
  Value params;
  params.Set("size", Value::List{1200, 1200});
  params.Set("ops", Value::List{});
  StageRunner both;
  both.Add(ImagePlugin().Find("image.decode")).Add(ImagePlugin().Find("image.augment"), params);
  Sample again = MakeSample(MakePng(Gradient(1500, 1500)), MakePng(Gradient(1500, 1500, 1)));
  both.Process(again);
  CHECK(Threads() == before);
}
