#include "model/metrics/score_images.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <stdexcept>
#include <string>

namespace flowtrain::model::metrics {

DatasetScores ScoreImages(size_t count,
                          const std::function<ImageScores(size_t index, ImageScratch&)>& score) {
  struct Worker {
    ImageScratch scratch;
    DatasetScores scores;
  };
  tbb::enumerable_thread_specific<Worker> workers;
  // Images differ in size, so each is a task of its own.
  tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 1), [&](const auto& range) {
    Worker& worker = workers.local();
    for (size_t i = range.begin(); i < range.end(); ++i) {
      try {
        worker.scores.Add(score(i, worker.scratch));
      } catch (const std::exception& e) {
        throw std::runtime_error("image " + std::to_string(i) + ": " + e.what());
      }
    }
  });
  DatasetScores all;
  for (const Worker& worker : workers) all.Add(worker.scores);
  return all;
}

DatasetScores ScoreImages(std::span<const ImagePair> images) {
  return ScoreImages(images.size(), [images](size_t i, ImageScratch& scratch) {
    return ScoreImage(images[i].prediction, images[i].mask, scratch);
  });
}

}  // namespace flowtrain::model::metrics
