#include "stages/image/jpeg_reader.h"

#include <flowtrain/error.h>
#include <jerror.h>

#include <algorithm>

#include "stages/image/bounded.h"
#include "stages/image/exif.h"

namespace flowtrain::image {
namespace {

// A progressive picture has about ten scans, seldom more than 20. Hundreds of empty ones, a few
// bytes each, are an attack on time: each goes through all coefficients, in up to 0.7 ns a pixel
// (libjpeg-turbo 2.1.5, refinement of zeros), three times that where it is arithmetic. So there may
// be as many as take a second, and some whatever the size.
constexpr int kMostScans = 100;
constexpr int kLeastScans = 20, kLeastArithmeticScans = 10;
constexpr double kScanPixels = 1e9, kArithmeticScanPixels = 0.3e9;
// Of a file that is faulty all over these tell enough: each message may hold another number, and
// each is a line of the log.
constexpr size_t kMostWarnings = 8;
constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr unsigned kMarkerBytes = 0xFFFF;

const char* ReasonOf(int code) {
  switch (code) {
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
    case JERR_OUT_OF_MEMORY:
      return reason::kTooLarge;
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_ARITH_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
      return reason::kUnsupported;
    case JERR_INPUT_EOF:
      return reason::kTruncated;
    default:
      return reason::kCorrupt;
  }
}

}  // namespace

void JpegReader::OnError(j_common_ptr jpeg) {
  std::longjmp(reinterpret_cast<ErrorState*>(jpeg->err)->jump, 1);
}

void JpegReader::OnMessage(j_common_ptr jpeg, int level) {
  if (level >= 0) return;  // a trace
  JpegReader& reader = *reinterpret_cast<ErrorState*>(jpeg->err)->reader;
  ++jpeg->err->num_warnings;
  const int code = jpeg->err->msg_code;
  if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER) {
    reader.truncated_ = true;
    if (!reader.tolerate_truncated_) OnError(jpeg);
    reader.NoteEnd();
  }
  if (reader.warnings_.size() == kMostWarnings) return;
  char text[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, text);
  if (std::find(reader.warnings_.begin(), reader.warnings_.end(), text) == reader.warnings_.end()) {
    reader.warnings_.emplace_back(text);
  }
}

// The data of a scan has ended early. Where it goes on behind a restart marker, only a piece is
// missing; once the first scan is through, all of the picture has come, if coarsely.
void JpegReader::NoteEnd() {
  const bool restarts = jpeg_.unread_marker >= JPEG_RST0 && jpeg_.unread_marker < JPEG_RST0 + 8;
  if (restarts || jpeg_.input_scan_number > 1 || decoded_share_ < 1) return;
  decoded_share_ = static_cast<double>(jpeg_.input_iMCU_row) / jpeg_.total_iMCU_rows;
}

void JpegReader::OnProgress(j_common_ptr jpeg) {
  JpegReader& reader = *reinterpret_cast<ScanLimit*>(jpeg->progress)->reader;
  if (reader.jpeg_.input_scan_number <= reader.most_scans_) return;
  reader.too_many_scans_ = true;
  OnError(jpeg);
}

void JpegReader::Throw() {
  if (too_many_scans_) {
    throw BadSample(reason::kTooManyScans,
                    picture_.path + ": more than the " + std::to_string(most_scans_) +
                        " scans that a picture of " + std::to_string(width()) + " x " +
                        std::to_string(height()) + " pixels may have");
  }
  char text[JMSG_LENGTH_MAX];
  error_.base.format_message(reinterpret_cast<j_common_ptr>(&jpeg_), text);
  throw BadSample(truncated_ ? reason::kTruncated : ReasonOf(error_.base.msg_code),
                  picture_.path + ": " + text);
}

template <class F>
void JpegReader::Guarded(F call) {
  if (setjmp(error_.jump) == 0) {
    call();
  } else {
    Throw();
  }
}

JpegReader::JpegReader(const EncodedPicture& picture, const DecodePolicy& policy)
    : picture_(picture), tolerate_truncated_(policy.tolerate_truncated) {
  jpeg_.err = jpeg_std_error(&error_.base);
  error_.base.error_exit = &OnError;
  error_.base.emit_message = &OnMessage;
  error_.reader = this;
  scans_ = {.base = {.progress_monitor = &OnProgress}, .reader = this};
  try {
    Guarded([this] {
      jpeg_create_decompress(&jpeg_);
      jpeg_.progress = &scans_.base;
      jpeg_mem_src(&jpeg_, picture_.bytes.data(), picture_.bytes.size());
      jpeg_save_markers(&jpeg_, kExifMarker, kMarkerBytes);
      jpeg_read_header(&jpeg_, TRUE);
    });
    CheckPixels(picture_, jpeg_.image_width, jpeg_.image_height, policy);
    const double pixels = static_cast<double>(jpeg_.image_width) * jpeg_.image_height;
    most_scans_ = jpeg_.arith_code
                      ? Bounded(kArithmeticScanPixels / pixels, kLeastArithmeticScans, kMostScans)
                      : Bounded(kScanPixels / pixels, kLeastScans, kMostScans);
  } catch (...) {
    jpeg_destroy_decompress(&jpeg_);
    throw;
  }
}

JpegReader::~JpegReader() { jpeg_destroy_decompress(&jpeg_); }

double JpegReader::possible_share() const {
  if (jpeg_.arith_code) return 1;  // plain areas cost next to nothing
  // A Huffman code has a bit or more, and each block of the first component a code.
  const jpeg_component_info& first = jpeg_.comp_info[0];
  const double blocks = static_cast<double>(first.width_in_blocks) * first.height_in_blocks;
  return std::min(1.0, 8.0 * static_cast<double>(picture_.bytes.size()) / blocks);
}

Orientation JpegReader::orientation() const {
  for (const jpeg_marker_struct* marker = jpeg_.marker_list; marker != nullptr;
       marker = marker->next) {
    if (marker->marker != kExifMarker) continue;
    const Orientation found = ExifOrientation({marker->data, marker->data_length});
    if (!found.identity()) return found;
  }
  return {};
}

void JpegReader::SetOutput(int eighths, J_COLOR_SPACE colours) {
  jpeg_.scale_num = static_cast<unsigned>(eighths);
  jpeg_.scale_denom = 8;
  jpeg_.out_color_space = colours;
  Guarded([this] { jpeg_calc_output_dimensions(&jpeg_); });
}

Window JpegReader::Start(const Window& window) {
  JDIMENSION x = static_cast<JDIMENSION>(window.x);
  JDIMENSION width = static_cast<JDIMENSION>(window.width);
  Guarded([&] {
    jpeg_start_decompress(&jpeg_);
    if (width != jpeg_.output_width) jpeg_crop_scanline(&jpeg_, &x, &width);
    if (window.y > 0) jpeg_skip_scanlines(&jpeg_, static_cast<JDIMENSION>(window.y));
  });
  return {static_cast<int>(x), window.y, static_cast<int>(width), window.height};
}

void JpegReader::ReadRows(uint8_t* const* rows, int count) {
  Guarded([&] {
    for (int done = 0; done < count;) {
      auto** next = const_cast<JSAMPARRAY>(rows + done);
      done += static_cast<int>(
          jpeg_read_scanlines(&jpeg_, next, static_cast<JDIMENSION>(count - done)));
    }
  });
}

}  // namespace flowtrain::image
