#include "image/made_files.h"

#include <spng.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

// clang-format off: needs <cstdio> before it
#include <jpeglib.h>
// clang-format on

namespace flowtrain::testing {
namespace {

FileBytes ExifBlock(int tag, bool big) {
  FileBytes block = {'E', 'x', 'i', 'f', 0, 0};
  const auto put = [&](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
      block.push_back(uint8_t(value >> 8 * (big ? bytes - 1 - i : i)));
  };
  block.insert(block.end(), 2, big ? 'M' : 'I');
  put(42, 2);
  put(8, 4);  // the first directory
  put(2, 2);  // two entries
  put(0x0100, 2), put(4, 2), put(1, 4), put(640, 4);
  put(0x0112, 2), put(3, 2), put(1, 4), put(uint32_t(tag), 2), put(0, 2);
  put(0, 4);
  return block;
}

void Need(int code) {
  if (code != SPNG_OK) throw Error(spng_strerror(code));
}

}  // namespace

FileBytes MakeJpeg(const Raster& raster, const JpegOptions& options) {
  jpeg_compress_struct jpeg;
  jpeg_error_mgr error;
  jpeg.err = jpeg_std_error(&error);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_width = raster.width;
  jpeg.image_height = raster.height;
  jpeg.input_components = raster.channels;
  jpeg.in_color_space = raster.channels == 1   ? JCS_GRAYSCALE
                        : raster.channels == 3 ? JCS_RGB
                                               : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  if (options.ycck) jpeg_set_colorspace(&jpeg, JCS_YCCK);
  jpeg.restart_in_rows = options.restart_rows;
  jpeg.arith_code = options.arithmetic;
  jpeg_set_quality(&jpeg, options.quality, TRUE);
  if (raster.channels == 3) {
    jpeg.comp_info[0].h_samp_factor = options.h_sampling;
    jpeg.comp_info[0].v_samp_factor = options.v_sampling;
  }
  if (raster.channels == 4) jpeg.write_Adobe_marker = options.adobe;
  if (options.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  if (options.exif != 0) {
    const FileBytes block = ExifBlock(options.exif, options.big_endian_exif);
    jpeg_write_marker(&jpeg, JPEG_APP0 + 1, block.data(), unsigned(block.size()));
  }
  for (int y = 0; y < raster.height; ++y) {
    auto* row =
        const_cast<JSAMPROW>(raster.values.data() + size_t(y) * raster.width * raster.channels);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  FileBytes bytes(memory, memory + size);
  std::free(memory);
  return bytes;
}

FileBytes MakePng(const Raster& raster, const PngOptions& options) {
  const int type = options.color_type >= 0 ? options.color_type : raster.channels == 1 ? 0 : 2;
  std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> png(spng_ctx_new(SPNG_CTX_ENCODER),
                                                     &spng_ctx_free);
  spng_set_option(png.get(), SPNG_ENCODE_TO_BUFFER, 1);
  if (options.filter >= 0)
    Need(spng_set_option(png.get(), SPNG_FILTER_CHOICE, SPNG_FILTER_CHOICE_NONE << options.filter));
  spng_ihdr header{};
  header.width = raster.width;
  header.height = raster.height;
  header.bit_depth = options.depth;
  header.color_type = type;
  header.interlace_method = options.interlaced;
  Need(spng_set_ihdr(png.get(), &header));
  if (type == SPNG_COLOR_TYPE_INDEXED) {
    spng_plte palette{};
    palette.n_entries = uint32_t(options.palette.size() / 3);
    for (uint32_t i = 0; i < palette.n_entries; ++i) {
      palette.entries[i] = {options.palette[3 * i], options.palette[3 * i + 1],
                            options.palette[3 * i + 2], 0};
    }
    Need(spng_set_plte(png.get(), &palette));
  }
  FileBytes packed;
  if (options.depth == 16) {
    packed.resize(options.wide.size() * 2);
    std::memcpy(packed.data(), options.wide.data(), packed.size());
  } else if (options.depth < 8) {
    const size_t row_bytes = (size_t(raster.width) * options.depth + 7) / 8;
    packed.assign(row_bytes * raster.height, 0);
    for (int y = 0; y < raster.height; ++y) {
      for (int x = 0; x < raster.width; ++x) {
        const int bit = x * options.depth;
        packed[row_bytes * y + bit / 8] |= raster.at(y, x) << (8 - options.depth - bit % 8);
      }
    }
  } else {
    packed = raster.values;
  }
  Need(spng_encode_image(png.get(), packed.data(), packed.size(), SPNG_FMT_PNG,
                         SPNG_ENCODE_FINALIZE));
  size_t size = 0;
  int code = 0;
  void* memory = spng_get_png_buffer(png.get(), &size, &code);
  Need(code);
  FileBytes bytes(static_cast<uint8_t*>(memory), static_cast<uint8_t*>(memory) + size);
  std::free(memory);
  return bytes;
}

FileBytes HugePngHeader(uint32_t width, uint32_t height) {
  FileBytes bytes = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
  for (const uint32_t side : {width, height}) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(uint8_t(side >> shift));
  }
  bytes.insert(bytes.end(), {8, 2, 0, 0, 0});
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 12; i < bytes.size(); ++i) {
    crc ^= bytes[i];
    for (int k = 0; k < 8; ++k) crc = crc & 1 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
  }
  crc = ~crc;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(uint8_t(crc >> shift));
  return bytes;
}

Sample MakeSample(const FileBytes& image, const FileBytes& mask, const std::string& path) {
  Sample sample;
  sample.path = path;
  const auto add = [&](const char* name, const FileBytes& bytes) {
    Buffer buffer = Buffer::Allocate(bytes.size());
    std::copy(bytes.begin(), bytes.end(), buffer.data.get());
    sample.set_encoded(name, std::move(buffer));
  };
  add("image", image);
  if (!mask.empty()) add("mask", mask);
  return sample;
}

const CollectingRegistrar& ImagePlugin() {
  static const CollectingRegistrar plugin = LoadPlugin(FLOWTRAIN_IMAGE_PLUGIN);
  return plugin;
}

}  // namespace flowtrain::testing
