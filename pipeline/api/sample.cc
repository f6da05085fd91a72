#include <flowtrain/sample.h>

#include <flowtrain/error.h>

namespace flowtrain {
namespace {

template <class Items>
auto* FindNamed(Items& items, std::string_view name) {
  for (auto& item : items) {
    if (item.name == name) return &item.value;
  }
  return static_cast<decltype(&items.front().value)>(nullptr);
}

[[noreturn]] void Missing(const char* what, std::string_view name) {
  throw Error("the sample has no " + std::string(what) + " \"" + std::string(name) + "\"");
}

template <class Items, class T>
T& SetNamed(Items& items, std::string_view name, T value) {
  if (auto* found = FindNamed(items, name)) return *found = std::move(value);
  items.push_back({std::string(name), std::move(value)});
  return items.back().value;
}

}  // namespace

void Sample::set_encoded(std::string_view name, Buffer buffer) { SetNamed(encoded_, name, std::move(buffer)); }
bool Sample::has_encoded(std::string_view name) const { return FindNamed(encoded_, name) != nullptr; }

const Buffer& Sample::encoded(std::string_view name) const {
  const Buffer* buffer = FindNamed(encoded_, name);
  if (buffer == nullptr) Missing("encoded", name);
  return *buffer;
}

void Sample::drop_encoded(std::string_view name) {
  std::erase_if(encoded_, [name](const auto& item) { return item.name == name; });
}

size_t Sample::encoded_bytes() const {
  size_t bytes = 0;
  for (const auto& item : encoded_) bytes += item.value.size;
  return bytes;
}

bool Sample::has_image(std::string_view name) const { return FindNamed(images_, name) != nullptr; }

Image& Sample::image(std::string_view name) {
  Image* image = FindNamed(images_, name);
  if (image == nullptr) Missing("image", name);
  return *image;
}

Image& Sample::MakeImage(std::string_view name, int height, int width, int channels) {
  if (allocator_ == nullptr) throw Error("this sample has no place for images");
  return SetNamed(images_, name, allocator_->Allocate(name, height, width, channels));
}

void Sample::set_label(std::string_view name, int64_t value) { SetNamed(labels_, name, value); }
bool Sample::has_label(std::string_view name) const { return FindNamed(labels_, name) != nullptr; }

int64_t Sample::label(std::string_view name) const {
  const int64_t* label = FindNamed(labels_, name);
  if (label == nullptr) Missing("label", name);
  return *label;
}

}  // namespace flowtrain
