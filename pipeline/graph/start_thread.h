// Starts a thread of the run, with a name for debuggers and an error that says what was too little.
#pragma once

#include <pthread.h>

#include <flowtrain/error.h>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace flowtrain::graph {

inline constexpr char kThreadLimits[] = "the limits are ulimit -u, ulimit -v and the cgroup's pids.max";

// `name`: at most 15 characters. Throws Error.
template <class Body>
std::thread StartThread(const char* name, Body body) {
  try {
    return std::thread([name, body = std::move(body)]() mutable {
      pthread_setname_np(pthread_self(), name);
      body();
    });
  } catch (const std::system_error& error) {
    throw Error("can't start a thread (" + std::string(name) + "): " + error.code().message() +
                "; " + kThreadLimits);
  }
}

}  // namespace flowtrain::graph
