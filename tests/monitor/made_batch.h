// Batches made in memory, and the monitor plugin's stages. For tests.
#pragma once

#include <flowtrain/batch.h>

#include <cstring>
#include <memory>
#include <vector>

#include <flowtrain/testing/declarations.h>

namespace flowtrain::testing {

inline const CollectingRegistrar& MonitorPlugin() {
  static const CollectingRegistrar plugin = LoadPlugin(FLOWTRAIN_MONITOR_PLUGIN);
  return plugin;
}

// `rows` images of one gray value each (10, 20, ...), with masks whose left half is foreground.
struct MadeBatch {
  MadeBatch(int rows, int height, int width)
      : images(std::make_shared<std::vector<uint8_t>>(size_t(rows) * height * width * 3)),
        masks(std::make_shared<std::vector<uint8_t>>(size_t(rows) * height * width)) {
    for (size_t i = 0; i < masks->size(); ++i) {
      const size_t row = i / (size_t(height) * width);
      std::memset(images->data() + 3 * i, int(10 * (row + 1)), 3);
      (*masks)[i] = i % width < size_t(width) / 2 ? 255 : 0;
    }
    content.rows = rows;
    content.ids.resize(rows);
    content.tensors = {{"image", DType::kU8, {rows, height, width, 3}, images->data()},
                       {"mask", DType::kU8, {rows, height, width, 1}, masks->data()}};
    content.on_release = [images = images, masks = masks](std::vector<FencePtr>) {};
  }
  Batch At(uint64_t epoch, uint64_t index, uint64_t per_epoch) const {
    BatchContent c = content;
    c.epoch = epoch, c.index = index, c.batches_per_epoch = per_epoch;
    return Batch::Create(std::move(c));
  }
  std::shared_ptr<std::vector<uint8_t>> images, masks;
  BatchContent content;
};

}  // namespace flowtrain::testing
