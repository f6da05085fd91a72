// Serves a run's metrics: /metrics for Prometheus, / for people, /healthz. The run owns it; it
// answers on threads of its own. It must end before the RunMetrics it serves.
#pragma once

#include <memory>
#include <string>

namespace flowtrain::metrics {

class RunMetrics;

class HttpServer {
 public:
  // `listen`: "host:port" or "[v6]:port"; ":port" and "port" mean 127.0.0.1; port 0 takes any free
  // one. `host` is a numeric address, "localhost", or "*" for all (IPv6 only where the system's
  // civetweb has it). Throws Error naming the address and the reason.
  HttpServer(const std::string& listen, const RunMetrics& metrics);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  const std::string& address() const {
    return address_;
  }  // "127.0.0.1:9464", "[::1]:9464", "*:9464"
  // Where a browser on this machine finds it.
  std::string url() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  int port_ = 0;
  std::string address_;
};

}  // namespace flowtrain::metrics
