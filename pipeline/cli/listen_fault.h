// Whether the address that serves metrics is one, for those that check and those that run.
#pragma once

#include <exception>
#include <string>

#include "pipeline/metrics/listen_address.h"

namespace flowtrain::cli {

// Empty: it is, or none is asked for.
inline std::string ListenFault(const std::string& listen) {
  if (listen.empty()) return "";
  try {
    metrics::ParseListenAddress(listen);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace flowtrain::cli
