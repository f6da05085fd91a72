#include "stages/image/jpeg_decode.h"

#include <flowtrain/error.h>

#include <algorithm>
#include <vector>

namespace flowtrain::image {
namespace {

// Chroma is upsampled from neighbours, which a cut takes away: this many pixels around the wanted
// ones are decoded too (one chroma sample at 4:1:0, the coarsest sampling, and one more).
constexpr int kMargin = 8;
constexpr int kRowsAtOnce = 16;

// The smallest of 1/8, 2/8, 4/8, 8/8 at which the wanted region still has the wanted size. (The
// scales between have no SIMD code in libjpeg-turbo 2.1: they cost more than the full size.)
int EighthsFor(const JpegReader& reader, const Wanted& wanted) {
  if (wanted.width <= 0 || wanted.height <= 0) return 8;
  for (const int eighths : {1, 2, 4}) {
    if (wanted.region.width * reader.width() * eighths >= 8.0 * wanted.width &&
        wanted.region.height * reader.height() * eighths >= 8.0 * wanted.height) {
      return eighths;
    }
  }
  return 8;
}

// Ink to light. Adobe writes the complement of the ink (Adobe technical note 5116).
void CmykToRgb(const uint8_t* cmyk, int width, bool adobe, uint8_t* rgb) {
  const uint8_t flip = adobe ? 0 : 255;
  for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
    const int light = cmyk[3] ^ flip;
    for (int c = 0; c < 3; ++c)
      rgb[c] = static_cast<uint8_t>(((cmyk[c] ^ flip) * light + 127) / 255);
  }
}

void ReadRgb(JpegReader& reader, const Image& image) {
  uint8_t* rows[kRowsAtOnce];
  for (int y = 0; y < image.height; y += kRowsAtOnce) {
    const int count = std::min(kRowsAtOnce, image.height - y);
    for (int i = 0; i < count; ++i) rows[i] = image.row(y + i);
    reader.ReadRows(rows, count);
  }
}

void ReadCmyk(JpegReader& reader, const Image& image) {
  std::vector<uint8_t> line(static_cast<size_t>(image.width) * 4);
  uint8_t* const rows[] = {line.data()};
  for (int y = 0; y < image.height; ++y) {
    reader.ReadRows(rows, 1);
    CmykToRgb(line.data(), image.width, reader.adobe(), image.row(y));
  }
}

}  // namespace

Image DecodeJpeg(JpegReader& reader, const EncodedPicture& picture, const DecodePolicy& policy,
                 const Wanted& wanted, int channels, const PixelMemory& memory) {
  if (reader.cmyk() && channels == 1) {
    throw BadSample(reason::kUnsupported,
                    picture.path + ": a mask of four inks (CMYK); gray or RGB is allowed");
  }
  J_COLOR_SPACE colours = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  if (reader.cmyk()) colours = JCS_CMYK;
  const int eighths = policy.scale ? EighthsFor(reader, wanted) : 8;
  reader.SetOutput(eighths, colours);

  const double width = reader.width() * eighths / 8.0, height = reader.height() * eighths / 8.0;
  const Window window = WindowOf(wanted.region, width, height);
  CheckRows(picture, policy, reader.possible_share() * reader.output_height(), window);
  // Not below: libjpeg reads by itself what the last row's upsampling needs.
  Window around = Grown(window, kMargin, reader.output_width(), reader.output_height());
  around.height = window.y + window.height - around.y;
  const Window decoded = reader.Start(around);
  const Image image = memory(decoded.height, decoded.width);
  if (reader.cmyk()) {
    ReadCmyk(reader, image);
  } else {
    ReadRgb(reader, image);
  }
  CheckRows(picture, policy, reader.decoded_share() * reader.output_height(), window);
  Image part =
      Cut(image, {window.x - decoded.x, window.y - decoded.y, window.width, window.height});
  part.covers = RegionOf(window, width, height);
  return part;
}

}  // namespace flowtrain::image
