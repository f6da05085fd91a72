#include "stages/image/decode.h"

#include <algorithm>
#include <utility>

#include "stages/image/encoded_format.h"
#include "stages/image/jpeg_decode.h"
#include "stages/image/mask_rule.h"
#include "stages/image/png_decode.h"
#include "stages/image/pnm_decode.h"
#include "stages/image/window.h"

namespace flowtrain::image {
namespace {

// Blocks of Context::Scratch: pixels before they are turned, what a PNG was packed as.
enum ScratchBlock : int { kUnturned, kPacked };

EncodedPicture Encoded(const Sample& sample, std::string_view name) {
  const Buffer& buffer = sample.encoded(name);
  return {{buffer.data.get(), buffer.size}, buffer.path.empty() ? sample.path : buffer.path};
}

[[noreturn]] void RefuseFormat(const EncodedPicture& picture, std::string_view name) {
  const std::string what = picture.path + ": the " + std::string(name) + " is ";
  if (picture.bytes.empty()) throw BadSample(reason::kEmpty, what + "empty");
  throw BadSample(reason::kUnsupported, what + FormatName(picture.bytes) +
                                            "; JPEG, PNG and binary PPM and PGM are supported");
}

// Where decoded pixels go: to their final place, or to scratch where they still have to be turned.
PixelMemory MemoryFor(Sample& sample, Context& context, std::string_view name, int channels,
                      bool turned) {
  if (!turned)
    return
        [&sample, name, channels](int h, int w) { return sample.MakeImage(name, h, w, channels); };
  return [&context, channels](int height, int width) {
    Image image{.height = height, .width = width, .channels = channels};
    image.stride = image.row_bytes();
    image.data = context.Scratch(image.bytes(), kUnturned).data();
    return image;
  };
}

// Makes `pixels` the sample's image, turned where that is needed. `covers` is of the turned
// picture.
void Finish(Sample& sample, std::string_view name, const Image& pixels, const Orientation& turn,
            const Region& covers) {
  if (turn.identity()) {
    sample.image(name) = pixels;
  } else {
    const int height = turn.transpose ? pixels.width : pixels.height;
    const int width = turn.transpose ? pixels.height : pixels.width;
    Turn(pixels, turn, sample.MakeImage(name, height, width, pixels.channels));
  }
  sample.image(name).covers = covers;
}

void WarnOfJpeg(const JpegReader& reader, const EncodedPicture& picture, Context& context) {
  for (const std::string& warning : reader.warnings()) context.Warn(picture.path + ": " + warning);
}

template <class Reader>
void WarnOfFilled(const Reader& reader, const EncodedPicture& picture, Context& context) {
  if (reader.filled())
    context.Warn(picture.path + ": the file ends early, the rest is filled with 0");
}

}  // namespace

void Decode::Declare(Declaration<Params>& d) {
  d.Type(
      "image.decode",
      "Decodes JPEG, PNG and binary PPM and PGM files, told apart by content; of a JPEG only what "
      "later stages want.");
  d.Param("exif", &Params::exif, "Turn the image upright by its EXIF tag; its mask turns with it.");
  d.Param(
      "scale", &Params::scale,
      "Decode a JPEG at 1/2, 1/4 or 1/8 of its size where that still covers the size wanted: "
      "faster, and close to averaging (45 dB on photographs, 36 at worst). Off, or where nothing "
      "smaller covers it, a part has exactly the pixels of a full decode.");
  d.Param("truncated", &Params::truncated,
          "A file that ends before what is wanted of it is a bad sample; or it is filled up, where "
          "at least a quarter of the rows that are wanted is there.")
      .Choices({"reject", "tolerate"});
  d.Param("max_pixels", &Params::max_pixels,
          "Larger images are bad samples: nothing is allocated for them. Nor may a side be longer "
          "than 65500 pixels.")
      .Min(1)
      .Unit("px");
  d.Makes("image", Flow::kEncoded, [](const Params&) { return Pixels(0, 0, 3); });
  d.Makes("mask", Flow::kEncoded, [](const Params&) { return Pixels(0, 0, 1); }).Optional();
}

Decode::Decode(const Params& params)
    : exif_(params.exif),
      policy_{.max_pixels = static_cast<uint64_t>(params.max_pixels),
              .tolerate_truncated = params.truncated == "tolerate",
              .scale = params.scale} {}

void Decode::Process(Sample& sample, Context& context) const {
  const Stored stored = DecodeImage(sample, context);
  if (sample.has_encoded("mask")) DecodeMask(stored, sample, context);
}

Decode::Stored Decode::DecodeImage(Sample& sample, Context& context) const {
  const EncodedPicture picture = Encoded(sample, "image");
  Stored stored;
  // What later stages want, turned back to how the pixels are stored.
  const auto ask = [&](int width, int height) {
    stored.width = width;
    stored.height = height;
    ImageInfo info{.height = height, .width = width, .channels = 3};
    if (stored.orientation.transpose) std::swap(info.height, info.width);
    const View view = context.Plan(info);
    Wanted wanted{.region = stored.orientation.Before(view.region),
                  .width = view.width,
                  .height = view.height};
    if (stored.orientation.transpose) std::swap(wanted.width, wanted.height);
    return wanted;
  };
  Image pixels;
  switch (SniffFormat(picture.bytes)) {
    case EncodedFormat::kJpeg: {
      JpegReader reader(picture, policy_);
      if (exif_) stored.orientation = reader.orientation();
      const Wanted wanted = ask(reader.width(), reader.height());
      const bool turned = !stored.orientation.identity();
      pixels = DecodeJpeg(reader, picture, policy_, wanted, 3,
                          MemoryFor(sample, context, "image", 3, turned));
      WarnOfJpeg(reader, picture, context);
      break;
    }
    case EncodedFormat::kPng: {
      PngReader reader(picture, policy_);
      const Wanted wanted = ask(reader.width(), reader.height());
      pixels = reader.ReadRgb(wanted, MemoryFor(sample, context, "image", 3, false));
      WarnOfFilled(reader, picture, context);
      break;
    }
    case EncodedFormat::kPnm: {
      const PnmReader reader(picture, policy_);
      const Wanted wanted = ask(reader.width(), reader.height());
      pixels = reader.ReadRgb(wanted, MemoryFor(sample, context, "image", 3, false));
      WarnOfFilled(reader, picture, context);
      break;
    }
    default:
      RefuseFormat(picture, "image");
  }
  stored.covers = stored.orientation.After(pixels.covers);
  Finish(sample, "image", pixels, stored.orientation, stored.covers);
  return stored;
}

void Decode::DecodeMask(const Stored& image, Sample& sample, Context& context) const {
  const EncodedPicture picture = Encoded(sample, "mask");
  // Masks are drawn on the stored pixels, so a mask is turned by its image's tag, unless it already
  // has the turned size.
  Orientation turn = image.orientation;
  const auto settle = [&](int width, int height) {
    const bool stored_size = width == image.width && height == image.height;
    const bool turned_size = turn.transpose && width == image.height && height == image.width;
    if (turned_size && !stored_size) {
      turn = {};
      context.Warn(
          "masks that already have the size their image gets from its EXIF tag are not turned");
    } else if (!stored_size) {
      context.Warn("masks of another size than their image: they are scaled to it");
    }
    return MemoryFor(sample, context, "mask", 1, !turn.identity());
  };
  Image pixels;
  int levels = 255;
  switch (SniffFormat(picture.bytes)) {
    case EncodedFormat::kJpeg: {
      JpegReader reader(picture, policy_);
      pixels = DecodeJpeg(reader, picture, policy_, {}, 1, settle(reader.width(), reader.height()));
      WarnOfJpeg(reader, picture, context);
      break;
    }
    case EncodedFormat::kPng: {
      PngReader reader(picture, policy_);
      const PixelMemory memory = settle(reader.width(), reader.height());
      const auto scratch = [&](size_t bytes) { return context.Scratch(bytes, kPacked); };
      pixels = reader.ReadLevels(scratch, memory, levels);
      WarnOfFilled(reader, picture, context);
      break;
    }
    case EncodedFormat::kPnm: {
      const PnmReader reader(picture, policy_);
      pixels = reader.ReadLevels(settle(reader.width(), reader.height()), levels);
      WarnOfFilled(reader, picture, context);
      break;
    }
    default:
      RefuseFormat(picture, "mask");
  }
  switch (Binarise(pixels, levels)) {
    case MaskRule::kThreshold:
      break;
    case MaskRule::kLabels:
      context.Warn("masks whose maximum is 1 are read as labels: above 0 is foreground");
      break;
    case MaskRule::kNone:
      context.Warn("masks with values, but none above 128: they count as empty");
      break;
  }
  // The part that its image covers, in this mask's own pixels.
  const Window window = WindowOf(turn.Before(image.covers), pixels.width, pixels.height);
  const Region covers = turn.After(RegionOf(window, pixels.width, pixels.height));
  Finish(sample, "mask", Cut(pixels, window), turn, covers);
}

}  // namespace flowtrain::image
