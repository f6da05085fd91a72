// LibTorch's errors carry a backtrace in what(); a user needs the sentence. For the calls by which
// the engine enters a stage.
#pragma once

#include <c10/util/Exception.h>
#include <flowtrain/error.h>

namespace flowtrain::train {

template <class Call>
auto WithoutBacktrace(Call&& call) -> decltype(call()) {
  try {
    return call();
  } catch (const c10::Error& error) {
    throw Error(error.what_without_backtrace());
  }
}

}  // namespace flowtrain::train
