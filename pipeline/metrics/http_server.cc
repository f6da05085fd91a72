#include "pipeline/metrics/http_server.h"

#include <civetweb.h>
#include <flowtrain/error.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "pipeline/metrics/listen_address.h"
#include "pipeline/metrics/live_page.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::metrics {
namespace {

struct Answer {
  const char* status;
  const char* type;
  std::string body;
  const char* more = "";  // further headers
};

constexpr const char* kText = "text/plain; charset=utf-8";

Answer Respond(const RunMetrics& metrics, const std::string& method, const std::string& path) {
  if (method != "GET" && method != "HEAD")
    return {"405 Method Not Allowed", kText, "only GET and HEAD\n", "Allow: GET, HEAD\r\n"};
  if (path == "/metrics")
    return {"200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics.Text()};
  if (path == "/healthz") return {"200 OK", kText, "ok\n"};
  // The page is one file: nothing may be loaded from elsewhere.
  if (path == "/")
    return {"200 OK", "text/html; charset=utf-8", kLivePage,
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; script-src "
            "'unsafe-inline'; "
            "connect-src 'self'\r\n"};
  return {"404 Not Found", kText, "not here: there are /, /metrics and /healthz\n"};
}

int OnRequest(mg_connection* connection) {
  const mg_request_info* request = mg_get_request_info(connection);
  const auto& metrics = *static_cast<const RunMetrics*>(request->user_data);
  Answer answer;
  try {
    answer =
        Respond(metrics, request->request_method, request->local_uri ? request->local_uri : "");
  } catch (const std::exception& e) {
    answer = {"500 Internal Server Error", kText, std::string(e.what()) + "\n"};
  }
  mg_printf(connection,
            "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
            "X-Content-Type-Options: nosniff\r\nConnection: close\r\n%s\r\n",
            answer.status, answer.type, answer.body.size(), answer.more);
  if (std::strcmp(request->request_method, "HEAD") != 0)
    mg_write(connection, answer.body.data(), answer.body.size());
  return 1;
}

}  // namespace

struct HttpServer::Parts {
  Parts() { mg_init_library(0); }
  ~Parts() {
    if (context) Stop();
    mg_exit_library();
  }

  // civetweb 1.15 looks at its stop flag only every 2 s, or when somebody connects: so somebody
  // does.
  void Stop() {
    std::atomic<bool> stopped = false;
    std::thread visitor;
    try {
      visitor = std::thread([&] {
        while (!stopped) {
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          Knock(address);
        }
      });
    } catch (const std::system_error&) {  // no thread to be had: then it takes its 2 s
    }
    mg_stop(context);
    stopped = true;
    if (visitor.joinable()) visitor.join();
  }

  mg_context* context = nullptr;
  ListenAddress address;
};

HttpServer::HttpServer(const std::string& listen, const RunMetrics& metrics)
    : parts_(std::make_unique<Parts>()) {
  ListenAddress& address = parts_->address = ParseListenAddress(listen);
  TryListen(address);
  // Debian's civetweb 1.15 is built without.
  const bool v6 = mg_check_feature(MG_FEATURES_IPV6) != 0;
  if (!v6 && address.host.find(':') != std::string::npos)
    throw Error(address.ToString() +
                ": the civetweb library of this system was built without IPv6");

  // civetweb's own form: "9464" is every IPv4 address, "+9464" every IPv6 address too.
  std::string ports = address.ToString();
  if (address.host == "*") ports = (v6 ? "+" : "") + std::to_string(address.port);
  // A few threads are plenty for a scraper and a browser; its default is 50.
  const char* options[] = {"listening_ports",    ports.c_str(), "num_threads", "8",
                           "request_timeout_ms", "2000",        nullptr};
  mg_callbacks callbacks{};
  callbacks.begin_request = OnRequest;
  // A non-zero return keeps civetweb from printing.
  callbacks.log_message = [](const mg_connection*, const char*) { return 1; };
  callbacks.log_access = [](const mg_connection*, const char*) { return 1; };
  parts_->context = mg_start(&callbacks, const_cast<RunMetrics*>(&metrics), options);
  mg_server_port port{};
  if (!parts_->context || mg_get_server_ports(parts_->context, 1, &port) < 1)
    throw Error(address.ToString() + ": the web server could not start there");
  port_ = address.port = port.port;
  address_ = address.ToString();
}

HttpServer::~HttpServer() = default;

std::string HttpServer::url() const {
  const std::string address = address_[0] == '*' ? "127.0.0.1:" + std::to_string(port_) : address_;
  return "http://" + address + "/";
}

}  // namespace flowtrain::metrics
