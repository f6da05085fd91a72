#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <flowtrain/error.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/metrics/http_server.h"
#include "pipeline/metrics/run_metrics.h"
#include "support/holds.h"

using namespace flowtrain::metrics;

namespace {

using flowtrain::testing::Holds;

std::string Ask(int port, const std::string& request) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string out;
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) {
    const std::string text = request + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    char buffer[4096];
    for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
      out.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  return out;
}

}  // namespace

TEST_CASE("the server answers /metrics, /healthz and /, and nothing else") {
  RunMetrics m;
  m.Stage("decode").ok.Add(7);
  HttpServer server("127.0.0.1:0", m);
  REQUIRE(server.port() > 0);
  CHECK(server.address() == "127.0.0.1:" + std::to_string(server.port()));

  const std::string metrics = Ask(server.port(), "GET /metrics");
  CHECK(Holds(metrics, "HTTP/1.1 200 OK\r\n"));
  CHECK(Holds(metrics, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  CHECK(Holds(metrics, "flowtrain_stage_items_total{outcome=\"ok\",stage=\"decode\"} 7\n"));
  CHECK(Holds(Ask(server.port(), "GET /healthz"), "\r\n\r\nok\n"));

  const std::string page = Ask(server.port(), "GET /");
  CHECK(Holds(page, "Content-Type: text/html; charset=utf-8\r\n"));
  CHECK(Holds(page, "</html>"));
  CHECK(!Holds(page, "http://"));  // nothing from elsewhere
  CHECK(!Holds(page, "https://"));

  for (const char* missing :
       {"GET /metricsx", "GET /metrics/x", "GET /../etc/passwd", "GET /favicon.ico"}) {
    CAPTURE(missing);
    CHECK(Holds(Ask(server.port(), missing), "HTTP/1.1 404 Not Found\r\n"));
  }
  CHECK(Holds(Ask(server.port(), "POST /metrics"), "HTTP/1.1 405"));
  const std::string head = Ask(server.port(), "HEAD /healthz");
  CHECK(Holds(head, "Content-Length: 3\r\n"));
  CHECK(!Holds(head, "ok\n"));
}

TEST_CASE(
    "a port in use is refused, naming the address and the reason, and the first server goes on") {
  RunMetrics m;
  HttpServer first("127.0.0.1:0", m);
  try {
    HttpServer second(first.address(), m);
    FAIL("two servers share a port");
  } catch (const flowtrain::Error& e) {
    CHECK(std::string(e.what()) == first.address() + ": Address already in use");
  }
  CHECK(Holds(Ask(first.port(), "GET /healthz"), "200 OK"));
}

TEST_CASE("a port is free again as soon as its server has ended, even after it has served") {
  RunMetrics m;
  int port = 0;
  {
    HttpServer first("127.0.0.1:0", m);
    port = first.port();
    CHECK(Holds(Ask(port, "GET /metrics"), "200 OK"));
  }
  HttpServer second("127.0.0.1:" + std::to_string(port), m);
  CHECK(second.port() == port);
}

TEST_CASE("an address of another machine is refused with the kernel's reason") {
  RunMetrics m;
  try {
    HttpServer server("192.0.2.1:9464", m);
    FAIL("accepted");
  } catch (const flowtrain::Error& e) {
    CHECK(std::string(e.what()) == "192.0.2.1:9464: Cannot assign requested address");
  }
}

TEST_CASE(
    "IPv6 is served where the machine and its civetweb have it, and refused with the reason "
    "elsewhere") {
  RunMetrics m;
  try {
    HttpServer server("[::1]:0", m);
    CHECK(server.address() == "[::1]:" + std::to_string(server.port()));
    CHECK(server.url() == "http://" + server.address() + "/");
  } catch (const flowtrain::Error& e) {
    const std::string what = e.what();
    CHECK(what.rfind("[::1]:0: ", 0) == 0);
    const bool told = Holds(what, "built without IPv6") ||
                      Holds(what, "Cannot assign requested address") ||
                      Holds(what, "Address family not supported");
    CHECK(told);
  }
}

TEST_CASE("every address is served where the graph asks for it") {
  RunMetrics m;
  HttpServer server("*:0", m);
  CHECK(server.url() == "http://127.0.0.1:" + std::to_string(server.port()) + "/");
  CHECK(Holds(Ask(server.port(), "GET /healthz"), "200 OK"));
}

TEST_CASE("the server ends at once") {
  RunMetrics m;
  auto server = std::make_unique<HttpServer>("127.0.0.1:0", m);
  Ask(server->port(), "GET /healthz");
  const auto start = std::chrono::steady_clock::now();
  server.reset();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1000));
}

TEST_CASE("scrapes go on while series are added and readings come and go") {
  RunMetrics m;
  HttpServer server("127.0.0.1:0", m);
  std::thread writer([&] {
    for (int i = 0; i < 300; ++i) {
      m.Stage("stage" + std::to_string(i % 40)).duration.Observe(1e-3);
      Reading reading = m.AddPool(
          "slots", [] { return 1.0; }, [] { return 2.0; });
    }
  });
  for (int i = 0; i < 20; ++i) CHECK(Holds(Ask(server.port(), "GET /metrics"), "process_threads"));
  writer.join();
}
