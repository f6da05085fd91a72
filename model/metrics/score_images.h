// Scores many images on many threads: oneTBB's, of the arena that the caller is in (a task_arena or
// global_control around the call bounds them). One core of an AMD EPYC (Zen 4) scores 770 to 1,060
// images of 352 x 352 a second, 110 to 150 of 1024 x 768 (tests/bench/README.md).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "model/metrics/dataset_scores.h"
#include "model/metrics/image_scores.h"
#include "model/metrics/maps.h"

namespace flowtrain::model::metrics {

// Calls `score` once for each index in [0, count), on many threads at once and in no order; it may
// read the image from wherever it is. The same bits come out for any number of threads. An
// exception of `score` ends the whole; it is rethrown as std::runtime_error whose text begins
// "image INDEX: ".
DatasetScores ScoreImages(size_t count,
                          const std::function<ImageScores(size_t index, ImageScratch&)>& score);

struct ImagePair {
  ByteMap prediction;
  ByteMap mask;
};

DatasetScores ScoreImages(std::span<const ImagePair> images);

}  // namespace flowtrain::model::metrics
