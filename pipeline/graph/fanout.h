// The readers of a batch stage's output: each batch goes to every one of them. Owned by the stage's
// collector or runner; used by one thread at a time.
#pragma once

#include <vector>

#include "pipeline/graph/batch_queue.h"

namespace flowtrain::graph {

class Fanout {
 public:
  void Add(BatchQueue* queue) { queues_.push_back(queue); }
  const std::vector<BatchQueue*>& queues() const { return queues_; }
  // Hands a handle to each reader that is there. The caller's own one is never the last to be
  // dropped. Observers beside another reader get it only while one slot (or resident) at least is held by
  // none of them: however many they are, and however long they look, training goes on.
  void Push(const Batch& batch);
  // False once everybody who decides when the run ends has left: what comes is for nobody. Lossy
  // queues don't count: a stage with only an observer has a queue that isn't.
  bool wanted() const;

 private:
  bool RoomForObservers() const;

  std::vector<BatchQueue*> queues_;
};

}  // namespace flowtrain::graph
