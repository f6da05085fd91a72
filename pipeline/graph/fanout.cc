#include "pipeline/graph/fanout.h"

#include <algorithm>

namespace flowtrain::graph {

// A pool has as many tokens as a queue that isn't lossy takes batches.
bool Fanout::RoomForObservers() const {
  size_t pool = 0, held = 0;
  for (const BatchQueue* queue : queues_) {
    if (!queue->lossy()) pool = std::max(pool, queue->capacity());
    if (queue->lossy() && queue->occupied()) ++held;
  }
  return held + 1 < pool;
}

void Fanout::Push(const Batch& batch) {
  const bool observed = RoomForObservers();
  for (BatchQueue* queue : queues_) {
    if (queue->lossy() && !observed) continue;
    Batch copy = batch;
    queue->Push(copy);
  }
}

bool Fanout::wanted() const {
  return std::any_of(queues_.begin(), queues_.end(),
                     [](const BatchQueue* queue) { return !queue->lossy() && !queue->left(); });
}

}  // namespace flowtrain::graph
