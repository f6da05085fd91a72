#include "stripes.h"

#include <string>
#include <utility>

#include "raw_image.h"

namespace kinds {

void Stripes::Declare(flowtrain::Declaration<Params>& d) {
  d.Type("kinds.stripes", "Made images with bright columns.");
  d.Yields("image", flowtrain::Encoded());
  d.Yields("period", flowtrain::Label());
  d.Param("count", &Params::count, "How many there are.").Range(1, 1000000);
  d.Param("size", &Params::size, "Height and width.").Range(1, 1024).Unit("px");
}

// Called concurrently and in any order: all of a sample follows from its index. A source of files would
// call context.ReadFile(path), which counts bytes, tries again, and ends early when the run does.
void Stripes::Read(uint64_t index, flowtrain::Sample& sample, flowtrain::ReadContext&) const {
  const auto [height, width] = params_.size;
  const int period = 2 + static_cast<int>(index % 4);
  flowtrain::Buffer buffer = flowtrain::Buffer::Allocate(RawImage::Bytes(height, width));
  RawImage image = RawImage::Write(buffer.data.get(), height, width);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.at(y, x) = x % period == 0 ? 255 : 0;
  sample.path = "stripes/" + std::to_string(index);
  sample.set_encoded("image", std::move(buffer));
  sample.set_label("period", period);
}

}  // namespace kinds
