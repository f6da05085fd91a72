// What stands under each name along a chain, and so what a staged batch carries. Main thread.
#pragma once

#include <vector>

#include "pipeline/config/topology.h"

namespace flowtrain::config {

struct InferredRows {
  std::vector<RowTensor> rows;
  bool sure = true;  // false: a fault upstream leaves open what the batch carries
};

// Walks the declarations' rules from the source to staging. At staging every image must have a
// known size, and nothing may be encoded.
InferredRows InferRows(const ChainPath& chain, const std::vector<StageEntry>& entries,
                       Faults& faults);

// Whether each input gets the tensors it needs. `rows`: one per chain. Batch transforms pass names
// on.
void CheckTensors(const std::vector<ChainPath>& chains, const std::vector<InferredRows>& rows,
                  const std::vector<StageEntry>& entries, const std::vector<Link>& links,
                  Faults& faults);

}  // namespace flowtrain::config
