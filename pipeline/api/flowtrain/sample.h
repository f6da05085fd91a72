// One example on its way from a source to its row of a batch. One owner at a time: the I/O thread
// that reads it, then the worker that runs it through the transforms. Never shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <flowtrain/export.h>
#include <flowtrain/image.h>

namespace flowtrain {

// Encoded bytes (a file's content). Move only.
struct Buffer {
  std::unique_ptr<uint8_t[]> data;
  size_t size = 0;
  std::string path;  // where it comes from, for messages; empty: the sample's
  static Buffer Allocate(size_t size) { return {std::make_unique_for_overwrite<uint8_t[]>(size), size, {}}; }
};

// Where pixels made by a transform go: the row of the batch where the maker is the last one, scratch
// otherwise. Implemented by the engine and by the stage test runner.
class FLOWTRAIN_API ImageAllocator {
 public:
  virtual ~ImageAllocator();
  virtual Image Allocate(std::string_view name, int height, int width, int channels) = 0;
};

class FLOWTRAIN_API Sample {
 public:
  struct Id {
    uint64_t epoch = 0;
    uint64_t position = 0;  // in the epoch's global order
    uint64_t index = 0;     // in the source
    uint32_t attempt = 0;   // > 0: a replacement for a bad sample
  };

  Id id;
  std::string path;  // for messages only; never a metric's label

  // Encoded buffers, by name ("image", "mask").
  void set_encoded(std::string_view name, Buffer buffer);
  bool has_encoded(std::string_view name) const;
  const Buffer& encoded(std::string_view name) const;  // throws Error where there is none
  void drop_encoded(std::string_view name);
  size_t encoded_bytes() const;

  // Images, by name. MakeImage gives memory for a new image of that name; an earlier image of the
  // name stays readable until then, so a resize reads the old view and writes the new one:
  //   const Image from = s.image("image");  Image& to = s.MakeImage("image", 352, 352, 3);
  bool has_image(std::string_view name) const;
  Image& image(std::string_view name);  // throws Error where there is none
  Image& MakeImage(std::string_view name, int height, int width, int channels);

  // Labels, by name.
  void set_label(std::string_view name, int64_t value);
  bool has_label(std::string_view name) const;
  int64_t label(std::string_view name) const;

  // For the engine and the test runner.
  void set_allocator(ImageAllocator* allocator) { allocator_ = allocator; }

 private:
  template <class T>
  struct Named {
    std::string name;
    T value;
  };
  std::vector<Named<Buffer>> encoded_;
  std::vector<Named<Image>> images_;
  std::vector<Named<int64_t>> labels_;
  ImageAllocator* allocator_ = nullptr;
};

}  // namespace flowtrain
