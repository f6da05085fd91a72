#include "stages/data/builtin/encode.h"

#include <cstdio>

#include <flowtrain/error.h>
#include <jpeglib.h>  // needs <cstdio> before it
#include <spng.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>

namespace flowtrain::data::builtin {
namespace {

// libjpeg's default is to call exit().
void ThrowJpegError(j_common_ptr info) {
  char message[JMSG_LENGTH_MAX];
  info->err->format_message(info, message);
  throw Error(std::string("libjpeg: ") + message);
}

}  // namespace

std::vector<uint8_t> EncodeJpeg(std::span<const uint8_t> rgb, int width, int height, int quality) {
  jpeg_error_mgr errors;
  jpeg_compress_struct jpeg{};
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = ThrowJpegError;
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_create_compress(&jpeg);
  const std::unique_ptr<jpeg_compress_struct, decltype(&jpeg_destroy_compress)> destroy(
      &jpeg, jpeg_destroy_compress);
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = width;
  jpeg.image_height = height;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    // libjpeg's interface lacks a const; it only reads.
    JSAMPROW row =
        const_cast<JSAMPROW>(rgb.data() + static_cast<size_t>(jpeg.next_scanline) * width * 3);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  const std::unique_ptr<unsigned char, decltype(&std::free)> owned(bytes, std::free);
  return {bytes, bytes + size};
}

std::vector<uint8_t> EncodePng(std::span<const uint8_t> pixels, int width, int height,
                               int channels) {
  const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> png(spng_ctx_new(SPNG_CTX_ENCODER),
                                                                spng_ctx_free);
  const auto check = [](int error) {
    if (error != 0) throw Error(std::string("libspng: ") + spng_strerror(error));
  };
  if (!png) throw Error("libspng: out of memory");
  check(spng_set_option(png.get(), SPNG_ENCODE_TO_BUFFER, 1));
  spng_ihdr header{};
  header.width = width;
  header.height = height;
  header.bit_depth = 8;
  header.color_type = channels == 1 ? SPNG_COLOR_TYPE_GRAYSCALE : SPNG_COLOR_TYPE_TRUECOLOR;
  check(spng_set_ihdr(png.get(), &header));
  check(spng_encode_image(png.get(), pixels.data(), pixels.size(), SPNG_FMT_PNG,
                          SPNG_ENCODE_FINALIZE));
  size_t size = 0;
  int error = 0;
  const std::unique_ptr<void, decltype(&std::free)> bytes(
      spng_get_png_buffer(png.get(), &size, &error), std::free);
  check(error);
  const uint8_t* first = static_cast<const uint8_t*>(bytes.get());
  return {first, first + size};
}

}  // namespace flowtrain::data::builtin
