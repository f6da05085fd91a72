// The memory of a chain's slots: where each row of each tensor lies, who stands in the rows, and the
// batch that a full slot becomes. Rows of one slot are written by several workers, each its own row.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <flowtrain/batch.h>
#include <flowtrain/image.h>

#include "pipeline/config/validated_graph.h"
#include "pipeline/memory/slab.h"

namespace flowtrain::graph {

class SlotStore {
 public:
  // Throws Error, with the bytes and the parameters to lower, where there is not so much memory.
  SlotStore(std::vector<config::RowTensor> rows, int batch, int slots, bool pinned);

  // The row's place for an image: an index in `rows` and the view.
  Image ImageRow(int slot, int row, int tensor) const;
  void SetLabel(int slot, int row, int tensor, int64_t value);
  void ZeroRow(int slot, int row);
  RowId& id(int slot, int row) { return ids_[slot][row]; }

  // A slot's content as a batch of `rows` rows, without epoch, index and on_release.
  BatchContent Content(int slot, int rows) const;
  // Of the filled rows of every tensor, in order (XXH3, 64 bits).
  uint64_t Hash(int slot, int rows) const;
  // Overwrites a slot with a pattern that no image has: what a reader sees who comes too late.
  void Poison(int slot);

  const std::vector<config::RowTensor>& rows() const { return rows_; }
  size_t bytes() const { return slab_->bytes(); }
  bool pinned() const { return slab_->pinned(); }

 private:
  uint8_t* Row(int slot, int row, int tensor) const;

  const std::vector<config::RowTensor> rows_;
  const int batch_;
  std::vector<size_t> row_bytes_;  // by tensor
  std::vector<size_t> offset_;     // of a tensor in its slot
  size_t slot_bytes_ = 0;
  std::unique_ptr<memory::Slab> slab_;
  std::vector<std::vector<RowId>> ids_;
};

}  // namespace flowtrain::graph
