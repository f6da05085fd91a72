#include "stages/data/classes/set.h"

#include <string>
#include <vector>

#include "stages/data/builtin/encode.h"
#include "stages/data/builtin/made_set.h"

namespace flowtrain::data::classes {

namespace fs = std::filesystem;

fs::path EnsureSet(OpenContext& context, const SetSize& size) {
  const uint64_t each = size.train + size.val;
  const auto path_of = [&](uint64_t i) {
    const std::string name = ClassName(static_cast<uint32_t>(i / each));
    return fs::path(i % each < size.train ? "train" : "val") / name /
           (name + "_" + std::to_string(i % each) + ".JPEG");
  };
  const auto make = [&](uint64_t i) -> std::vector<builtin::MadeFile> {
    const Picture picture = Draw(static_cast<uint32_t>(i / each), i % each);
    return {{path_of(i),
             builtin::EncodeJpeg(picture.rgb, picture.width, picture.height, kJpegQuality)}};
  };
  return builtin::EnsureMade({.root = kRoot,
                     .folder = "classes-v1",
                     .examples = size.classes * each,
                     .paths = [&](uint64_t i) -> std::vector<fs::path> { return {path_of(i)}; },
                     .make = make},
                    context);
}

}  // namespace flowtrain::data::classes
