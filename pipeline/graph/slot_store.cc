#include "pipeline/graph/slot_store.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <system_error>

#include <flowtrain/error.h>

namespace flowtrain::graph {
namespace {

constexpr size_t kAlign = 4096;  // tensors begin on a page, as copies to a device like it

// None, here and below: more than a number can say.
std::optional<size_t> RowBytes(const config::RowTensor& row) {
  size_t bytes = ElementBytes(row.dtype);
  for (const int64_t side : row.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(side), &bytes)) return std::nullopt;
  }
  return bytes;
}

// On pages of its own.
std::optional<size_t> TensorBytes(const config::RowTensor& row, int batch) {
  const std::optional<size_t> one = RowBytes(row);
  size_t bytes = 0;
  if (!one || __builtin_mul_overflow(*one, static_cast<size_t>(batch), &bytes)) return std::nullopt;
  if (__builtin_add_overflow(bytes, kAlign - 1, &bytes)) return std::nullopt;
  return bytes / kAlign * kAlign;
}

[[noreturn]] void ThrowTooMuch(int slots, int batch, const std::string& bytes, const std::string& cause) {
  throw Error(std::to_string(slots) + " slots of " + std::to_string(batch) + " samples take " + bytes + ": " + cause +
              "; lower \"slots\" or \"batch\", or the size of the images");
}

std::optional<size_t> SlotBytes(const std::vector<config::RowTensor>& rows, int batch) {
  size_t bytes = 0;
  for (const auto& row : rows) {
    const std::optional<size_t> tensor = TensorBytes(row, batch);
    if (!tensor || __builtin_add_overflow(bytes, *tensor, &bytes)) return std::nullopt;
  }
  return bytes;
}

size_t CheckedSlotBytes(const std::vector<config::RowTensor>& rows, int batch, int slots) {
  const std::optional<size_t> slot = SlotBytes(rows, batch);
  size_t all = 0;
  if (!slot || __builtin_mul_overflow(*slot, static_cast<size_t>(slots), &all) || all > SIZE_MAX / 2) {
    ThrowTooMuch(slots, batch, "more bytes than can be counted", "there is no such memory");
  }
  return *slot;
}

// The slab, and who stands in its rows.
template <class Make>
auto Allocated(int slots, int batch, size_t slot_bytes, Make make) {
  const std::string bytes = std::to_string(slots) + " x " + std::to_string(slot_bytes) + " bytes";
  try {
    return make();
  } catch (const std::bad_alloc&) {
    ThrowTooMuch(slots, batch, bytes, "there is not so much memory");
  } catch (const std::system_error& error) {
    ThrowTooMuch(slots, batch, bytes, error.what());
  }
}

}  // namespace

SlotStore::SlotStore(std::vector<config::RowTensor> rows, int batch, int slots, bool pinned)
    : rows_(std::move(rows)), batch_(batch), slot_bytes_(CheckedSlotBytes(rows_, batch, slots)),
      slab_(Allocated(slots, batch, slot_bytes_, [&] { return std::make_unique<memory::Slab>(slot_bytes_ * slots, pinned); })),
      ids_(Allocated(slots, batch, slot_bytes_, [&] { return std::vector(slots, std::vector<RowId>(batch)); })) {
  size_t offset = 0;
  for (const auto& row : rows_) {
    row_bytes_.push_back(*RowBytes(row));
    offset_.push_back(offset);
    offset += *TensorBytes(row, batch);
  }
}

uint8_t* SlotStore::Row(int slot, int row, int tensor) const {
  return slab_->data() + slot_bytes_ * slot + offset_[tensor] + row_bytes_[tensor] * row;
}

Image SlotStore::ImageRow(int slot, int row, int tensor) const {
  const auto& shape = rows_[tensor].shape;
  Image image;
  image.data = Row(slot, row, tensor);
  image.height = static_cast<int>(shape[0]);
  image.width = static_cast<int>(shape[1]);
  image.channels = static_cast<int>(shape[2]);
  image.stride = image.row_bytes();
  return image;
}

void SlotStore::SetLabel(int slot, int row, int tensor, int64_t value) {
  std::memcpy(Row(slot, row, tensor), &value, sizeof value);
}

void SlotStore::ZeroRow(int slot, int row) {
  for (size_t t = 0; t < rows_.size(); ++t) std::memset(Row(slot, row, static_cast<int>(t)), 0, row_bytes_[t]);
}

BatchContent SlotStore::Content(int slot, int rows) const {
  BatchContent content;
  content.rows = rows;
  for (size_t t = 0; t < rows_.size(); ++t) {
    Tensor tensor{rows_[t].name, rows_[t].dtype, {batch_}, Row(slot, 0, static_cast<int>(t)), -1, slab_->pinned()};
    tensor.shape.insert(tensor.shape.end(), rows_[t].shape.begin(), rows_[t].shape.end());
    content.tensors.push_back(std::move(tensor));
  }
  content.ids.assign(ids_[slot].begin(), ids_[slot].begin() + rows);
  return content;
}

uint64_t SlotStore::Hash(int slot, int rows) const {
  uint64_t hash = 0;
  for (size_t t = 0; t < rows_.size(); ++t) {
    hash = XXH3_64bits_withSeed(Row(slot, 0, static_cast<int>(t)), row_bytes_[t] * rows, hash + t);
  }
  return hash;
}

void SlotStore::Poison(int slot) { std::memset(slab_->data() + slot_bytes_ * slot, 0xDB, slot_bytes_); }

}  // namespace flowtrain::graph
