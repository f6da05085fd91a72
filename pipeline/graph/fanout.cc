#include "pipeline/graph/fanout.h"

#include <algorithm>

namespace flowtrain::graph {

void Fanout::Push(const Batch& batch) {
  for (BatchQueue* queue : queues_) {
    Batch copy = batch;
    queue->Push(copy);
  }
}

bool Fanout::wanted() const {
  return std::any_of(queues_.begin(), queues_.end(),
                     [](const BatchQueue* queue) { return !queue->lossy() && !queue->left(); });
}

}  // namespace flowtrain::graph
