#include "pipeline/metrics/listen_address.h"

#include <arpa/inet.h>
#include <flowtrain/error.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace flowtrain::metrics {
namespace {

[[noreturn]] void Refuse(const std::string& text, const std::string& why) {
  throw Error("address \"" + text + "\": " + why +
              "; allowed: HOST:PORT or [IPV6]:PORT, with a numeric address, localhost or *, and a "
              "port of 0 to 65535 "
              "(0: any free one)");
}

socklen_t Fill(const ListenAddress& address, sockaddr_storage& out) {
  std::memset(&out, 0, sizeof out);
  auto* v4 = reinterpret_cast<sockaddr_in*>(&out);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&out);
  const auto port = htons(static_cast<uint16_t>(address.port));
  if (inet_pton(AF_INET6, address.host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = port;
    return sizeof *v6;
  }
  const char* host = address.host == "*" ? "0.0.0.0" : address.host.c_str();
  if (inet_pton(AF_INET, host, &v4->sin_addr) != 1) return 0;
  v4->sin_family = AF_INET;
  v4->sin_port = port;
  return sizeof *v4;
}

}  // namespace

std::string ListenAddress::ToString() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

ListenAddress ParseListenAddress(const std::string& text) {
  const size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (host.find(':') == std::string::npos) Refuse(text, "\"" + host + "\" is no IPv6 address");
  } else if (host.find(':') != std::string::npos) {
    Refuse(text, "an IPv6 address stands in brackets");
  }
  ListenAddress out{host.empty() || host == "localhost" ? "127.0.0.1" : host, 0};
  const char* end = port.data() + port.size();
  const auto parsed = std::from_chars(port.data(), end, out.port);
  if (port.empty() || parsed.ec != std::errc() || parsed.ptr != end || out.port < 0 ||
      out.port > 65535)
    Refuse(text, "\"" + port + "\" is no port");
  sockaddr_storage unused;
  if (Fill(out, unused) == 0) Refuse(text, "\"" + host + "\" is no numeric address");
  return out;
}

void TryListen(const ListenAddress& address) {
  sockaddr_storage storage;
  const socklen_t size = Fill(address, storage);
  const int fd = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // As the server does: passes over connections that linger after an earlier run, while a socket
  // that listens still refuses (on Linux SO_REUSEADDR never shares a listening port).
  const int on = 1;
  const bool ok = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                  bind(fd, reinterpret_cast<sockaddr*>(&storage), size) == 0 && listen(fd, 1) == 0;
  const int reason = errno;
  if (fd >= 0) close(fd);
  if (!ok) throw Error(address.ToString() + ": " + std::strerror(reason));
}

void Knock(const ListenAddress& address) {
  sockaddr_storage storage;
  // On Linux, connecting to 0.0.0.0 reaches this machine.
  const socklen_t size = Fill(address, storage);
  const int fd = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;
  // In progress or refused: either way nobody waits for an answer.
  [[maybe_unused]] const int connected = connect(fd, reinterpret_cast<sockaddr*>(&storage), size);
  close(fd);
}

}  // namespace flowtrain::metrics
