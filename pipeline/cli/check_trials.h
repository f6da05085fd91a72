// The trials of `flowtrain check` on one transform. Runs in the checked child, which it may bring
// down.
#pragma once

#include <flowtrain/context.h>
#include <flowtrain/declaration.h>

#include "pipeline/cli/check_samples.h"
#include "pipeline/cli/child_process.h"

namespace flowtrain::cli {

// What is said, by kind: "trial" (what is tried from now on), "fault" (what failed), "skip" (why
// nothing was tried), "done" (what was tried, in figures). `find` finds what other plugins provide.
void TryTransform(const StageDeclaration& declaration, const Value& params,
                  const ProvidedLookup& find, const EncodedFiles& files, const Say& say);

}  // namespace flowtrain::cli
