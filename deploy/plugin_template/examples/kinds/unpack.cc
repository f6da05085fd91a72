#include "unpack.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "raw_image.h"

namespace kinds {

void Unpack::Declare(flowtrain::Declaration<Params>& d) {
  d.Type("kinds.unpack", "Makes an image of the bytes of kinds.stripes.");
  // How large it is differs from sample to sample, so a stage after it has to make one size of all.
  d.Makes("image", flowtrain::Flow::kEncoded,
          [](const Params&) { return flowtrain::Pixels(0, 0, 1); });
}

void Unpack::Process(flowtrain::Sample& sample, flowtrain::Context& context) const {
  const flowtrain::Buffer& encoded = sample.encoded("image");
  const RawImage raw = RawImage::Read(encoded.data.get(), encoded.size);
  if (raw.height == 0)  // the sample is at fault, not the run: it is replaced and counted
    throw flowtrain::BadSample("no raw image", sample.path + ": is no raw image");

  const flowtrain::View view = context.Plan({raw.height, raw.width, 1});
  const auto first = [](double from, int size) {
    return std::clamp(static_cast<int>(from * size), 0, size - 1);
  };
  const auto end = [](double to, int begin, int size) {
    return std::clamp(static_cast<int>(std::ceil(to * size)), begin + 1, size);
  };
  const int top = first(view.region.y, raw.height), left = first(view.region.x, raw.width);
  const int bottom = end(view.region.y + view.region.height, top, raw.height);
  const int right = end(view.region.x + view.region.width, left, raw.width);

  flowtrain::Image& image = sample.MakeImage("image", bottom - top, right - left, 1);
  for (int y = 0; y < image.height; ++y)
    std::memcpy(image.row(y), &raw.at(top + y, left), static_cast<size_t>(image.width));
  // Whole pixels may be more than was asked for: say which part this is.
  image.covers = {static_cast<double>(left) / raw.width, static_cast<double>(top) / raw.height,
                  static_cast<double>(image.width) / raw.width,
                  static_cast<double>(image.height) / raw.height};
  sample.drop_encoded("image");
}

}  // namespace kinds
