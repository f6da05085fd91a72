// "host:port" as a graph file gives it, and whether it can be listened on. Plain functions.
#pragma once

#include <string>

namespace flowtrain::metrics {

struct ListenAddress {
  std::string host;  // "127.0.0.1", "::1"; "*": every address
  int port = 0;

  // "127.0.0.1:9464", "[::1]:9464".
  std::string ToString() const;
};

// Throws Error naming the text and the forms allowed.
ListenAddress ParseListenAddress(const std::string& text);

// Binds and listens once, as a server would, and lets go: the kernel's own reason where that fails
// (Error "127.0.0.1:9464: Address already in use"). Port 0 passes.
void TryListen(const ListenAddress& address);

// Connects once and lets go.
void Knock(const ListenAddress& address);

}  // namespace flowtrain::metrics
