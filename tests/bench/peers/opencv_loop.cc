// A loader without a framework: threads that take the next file, decode with libjpeg-turbo (only
// the rows and columns that are wanted) and libspng, scale and mirror with OpenCV, and write rows
// of batches that one thread takes in order.
//   opencv_loop classification|segmentation linear|area BATCHES <LIST
// LIST has an image a line, and in segmentation its mask behind a tab; it is read round and round.
#include <fcntl.h>
#include <spng.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// clang-format off: needs <cstdio> before it
#include <jpeglib.h>
// clang-format on

namespace {

using Bytes = std::vector<uint8_t>;

constexpr int kThreads = 2, kBatchesInMemory = 4;

struct Task {
  bool segmentation = false;
  int side = 224, batch = 64, scaling = cv::INTER_LINEAR;
};

void ReadFile(const std::string& path, Bytes& bytes) {
  const int file = open(path.c_str(), O_RDONLY);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) throw std::runtime_error(path);
  bytes.resize(static_cast<size_t>(status.st_size));
  const ssize_t got = read(file, bytes.data(), bytes.size());
  close(file);
  if (got != status.st_size) throw std::runtime_error(path);
}

[[noreturn]] void Throw(j_common_ptr jpeg) {
  char why[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, why);
  throw std::runtime_error(why);
}

// What one thread does; its memory is kept from file to file.
class Worker {
 public:
  Worker(const Task& task, unsigned seed) : task_(task), random_(seed) {
    jpeg_.err = jpeg_std_error(&errors_);
    errors_.error_exit = Throw;
    jpeg_create_decompress(&jpeg_);
  }
  ~Worker() { jpeg_destroy_decompress(&jpeg_); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Run(const std::string& line, uint8_t* image_row, uint8_t* mask_row) {
    const cv::Size size(task_.side, task_.side);
    const size_t tab = line.find('\t');
    const bool mirrored = random_() & 1;
    const cv::Mat image = Jpeg(line.substr(0, tab));
    cv::Mat row(size, CV_8UC3, image_row);
    // INTER_AREA takes the nearest pixel where a picture grows.
    const bool grows = image.cols < task_.side || image.rows < task_.side;
    cv::resize(image, mirrored ? scaled_ : row, size, 0, 0,
               grows ? cv::INTER_LINEAR : task_.scaling);
    if (mirrored) cv::flip(scaled_, row, 1);
    if (!task_.segmentation) return;
    cv::Mat mask(size, CV_8UC1, mask_row);
    cv::resize(Png(line.substr(tab + 1)), mirrored ? scaled_mask_ : mask, size, 0, 0,
               cv::INTER_NEAREST);
    if (mirrored) cv::flip(scaled_mask_, mask, 1);
  }

 private:
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random_);
  }
  // torchvision's RandomResizedCrop.
  cv::Rect RandomPart(int width, int height) {
    for (int tried = 0; tried < 10; ++tried) {
      const double area = width * double(height) * Uniform(0.08, 1);
      const double ratio = std::exp(Uniform(std::log(3 / 4.), std::log(4 / 3.)));
      const int w = int(std::lround(std::sqrt(area * ratio)));
      const int h = int(std::lround(std::sqrt(area / ratio)));
      if (w > 0 && h > 0 && w <= width && h <= height)
        return {int(random_() % (width - w + 1)), int(random_() % (height - h + 1)), w, h};
    }
    const int side = std::min(width, height);
    return {(width - side) / 2, (height - side) / 2, side, side};
  }
  cv::Mat Jpeg(const std::string& path) {
    ReadFile(path, file_);
    jpeg_mem_src(&jpeg_, file_.data(), file_.size());
    jpeg_read_header(&jpeg_, TRUE);
    jpeg_.out_color_space = JCS_RGB;
    jpeg_start_decompress(&jpeg_);
    const int width = int(jpeg_.output_width), height = int(jpeg_.output_height);
    const cv::Rect part =
        task_.segmentation ? cv::Rect(0, 0, width, height) : RandomPart(width, height);
    JDIMENSION x = part.x, columns = part.width;
    if (part.width != width) jpeg_crop_scanline(&jpeg_, &x, &columns);
    const size_t stride = size_t(columns) * 3;
    pixels_.resize(stride * part.height);
    if (part.y > 0) jpeg_skip_scanlines(&jpeg_, part.y);
    for (int y = 0; y < part.height;) {
      JSAMPROW line = pixels_.data() + stride * y;
      y += int(jpeg_read_scanlines(&jpeg_, &line, 1));
    }
    jpeg_abort_decompress(&jpeg_);
    return cv::Mat(part.height, int(columns), CV_8UC3, pixels_.data())
        .colRange(part.x - int(x), part.x - int(x) + part.width);
  }
  cv::Mat Png(const std::string& path) {
    ReadFile(path, file_);
    spng_ctx* png = spng_ctx_new(0);
    spng_set_png_buffer(png, file_.data(), file_.size());
    spng_ihdr header{};
    size_t size = 0;
    int fault = spng_get_ihdr(png, &header);
    if (!fault) fault = spng_decoded_image_size(png, SPNG_FMT_G8, &size);
    mask_.resize(size);
    if (!fault) fault = spng_decode_image(png, mask_.data(), size, SPNG_FMT_G8, 0);
    spng_ctx_free(png);
    if (fault) throw std::runtime_error(path + ": " + spng_strerror(fault));
    return {int(header.height), int(header.width), CV_8UC1, mask_.data()};
  }

  const Task& task_;
  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  Bytes file_, pixels_, mask_;
  cv::Mat scaled_, scaled_mask_;
  std::mt19937 random_;
};

void Load(const Task& task, const std::vector<std::string>& lines, long batches) {
  const size_t image_bytes = size_t(3) * task.side * task.side;
  const size_t mask_bytes = task.segmentation ? image_bytes / 3 : 0;
  std::vector<Bytes> images(kBatchesInMemory, Bytes(task.batch * image_bytes));
  std::vector<Bytes> masks(kBatchesInMemory, Bytes(task.batch * mask_bytes));
  std::vector<std::atomic<int>> rows(batches);
  std::atomic<long> next{0};
  std::mutex mutex;
  long taken = 0;  // under `mutex`
  std::condition_variable changed;
  const auto work = [&](unsigned seed) {
    Worker worker(task, seed);
    for (long i = next++; i < batches * task.batch; i = next++) {
      const long batch = i / task.batch, row = i % task.batch, slot = batch % kBatchesInMemory;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return batch < taken + kBatchesInMemory; });
      }
      worker.Run(lines[i % lines.size()], images[slot].data() + row * image_bytes,
                 masks[slot].data() + row * mask_bytes);
      if (++rows[batch] < task.batch) continue;
      const std::lock_guard lock(mutex);
      changed.notify_all();
    }
  };
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t + 1);
  for (long batch = 0; batch < batches; ++batch) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return rows[batch] == task.batch; });
    ++taken;
    changed.notify_all();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: opencv_loop classification|segmentation linear|area BATCHES <LIST\n";
    return 2;
  }
  cv::setNumThreads(1);
  Task task;
  task.segmentation = std::string(argv[1]) == "segmentation";
  if (task.segmentation) task.side = 352, task.batch = 16;
  if (std::string(argv[2]) == "area") task.scaling = cv::INTER_AREA;
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
  if (!lines.empty()) Load(task, lines, std::atol(argv[3]));
  return lines.empty();
}
