// libjpeg(-turbo)'s decompressor with errors as exceptions. libjpeg reports an error by a function
// that must not return: here it jumps back into the member function that was called, which then
// throws; so no exception passes through C code, and no object with a destructor lives between the
// two. One picture, one thread.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

// clang-format off: needs <cstddef> and <cstdio> before it
#include <jpeglib.h>
// clang-format on

#include "stages/image/picture.h"
#include "stages/image/window.h"

namespace flowtrain::image {

class JpegReader {
 public:
  // Reads the header. Throws BadSample: every message has the picture's path.
  JpegReader(const EncodedPicture& picture, const DecodePolicy& policy);
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  // Which share of the picture's rows, from the top, so small a file can hold at most.
  double possible_share() const;
  // ... and which came of those read so far: 1 but in a truncated file that is filled up.
  double decoded_share() const { return decoded_share_; }

  int width() const { return static_cast<int>(jpeg_.image_width); }
  int height() const { return static_cast<int>(jpeg_.image_height); }
  Orientation orientation() const;
  bool cmyk() const {
    return jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK;
  }
  bool adobe() const { return jpeg_.saw_Adobe_marker; }

  // Fixes the output: `eighths` / 8 of the stored size. Its size is in the two values afterwards.
  void SetOutput(int eighths, J_COLOR_SPACE colours);
  int output_width() const { return static_cast<int>(jpeg_.output_width); }
  int output_height() const { return static_cast<int>(jpeg_.output_height); }

  // Begins decoding at `window` (of the output). libjpeg decodes whole blocks across, so the window
  // that comes may be wider: it is returned.
  Window Start(const Window& window);
  // The next rows, each into its pointer.
  void ReadRows(uint8_t* const* rows, int count);

  // The first faults that libjpeg worked around, in its words; each once.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  // libjpeg hands these back by pointer, so the standard part comes first.
  struct ErrorState {
    jpeg_error_mgr base;
    jmp_buf jump;
    JpegReader* reader;
  };
  struct ScanLimit {
    jpeg_progress_mgr base;
    JpegReader* reader;
  };
  static void OnError(j_common_ptr jpeg);
  static void OnMessage(j_common_ptr jpeg, int level);
  static void OnProgress(j_common_ptr jpeg);
  template <class F>
  void Guarded(F call);
  void NoteEnd();
  [[noreturn]] void Throw();

  const EncodedPicture picture_;
  const bool tolerate_truncated_;
  ErrorState error_;
  ScanLimit scans_;
  jpeg_decompress_struct jpeg_{};
  int most_scans_ = 0;
  bool too_many_scans_ = false;
  bool truncated_ = false;
  double decoded_share_ = 1;
  std::vector<std::string> warnings_;
};

}  // namespace flowtrain::image
