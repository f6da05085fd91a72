#include "stages/monitor/png_writer.h"

#include <flowtrain/error.h>
#include <spng.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace flowtrain::monitor {
namespace {

// Level 1 without row filters: people look at it once, and photographs hardly shrink further.
constexpr int kCompression = 1;

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

void WritePng(const std::filesystem::path& path, int height, int width,
              std::span<const uint8_t> rgb) {
  const std::filesystem::path part = path.string() + ".part";
  // A file that is cut short helps nobody, least of all on a full disk.
  struct Remove {
    const std::filesystem::path& path;
    ~Remove() {
      std::error_code gone_already;
      std::filesystem::remove(path, gone_already);
    }
  } const remove{part};
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(part.c_str(), "wb"));
  const auto fail = [&](const std::string& why) {
    throw Error(path.string() + ": cannot be written: " + why);
  };
  if (!file) fail(std::strerror(errno));

  const std::unique_ptr<spng_ctx, FreeContext> png(spng_ctx_new(SPNG_CTX_ENCODER));
  if (!png) fail("no memory for an encoder");
  spng_ihdr header{};
  header.width = static_cast<uint32_t>(width);
  header.height = static_cast<uint32_t>(height);
  header.bit_depth = 8;
  header.color_type = SPNG_COLOR_TYPE_TRUECOLOR;
  int code = spng_set_png_file(png.get(), file.get());
  if (code == SPNG_OK) code = spng_set_ihdr(png.get(), &header);
  if (code == SPNG_OK) code = spng_set_option(png.get(), SPNG_IMG_COMPRESSION_LEVEL, kCompression);
  if (code == SPNG_OK)
    code = spng_set_option(png.get(), SPNG_FILTER_CHOICE, SPNG_DISABLE_FILTERING);
  if (code == SPNG_OK)
    code = spng_encode_image(png.get(), rgb.data(), rgb.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
  if (code != SPNG_OK) fail(spng_strerror(code));
  if (std::fclose(file.release()) != 0) fail(std::strerror(errno));

  std::error_code renamed;
  std::filesystem::rename(part, path, renamed);
  if (renamed) fail(renamed.message());
}

}  // namespace flowtrain::monitor
