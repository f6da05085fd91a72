// Serves every series a training run has, moving, until it is told to end. Arguments: the address,
// and a series to leave out.
#include <flowtrain/error.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "metrics/fill.h"
#include "pipeline/metrics/http_server.h"
#include "pipeline/metrics/run_metrics.h"

namespace {

volatile std::sig_atomic_t stop = 0;

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGTERM, [](int) { stop = 1; });
  try {
    flowtrain::metrics::RunMetrics metrics;
    auto readings = flowtrain::testing::Fill(metrics, 0, argc > 2 ? argv[2] : "");
    flowtrain::metrics::HttpServer server(argc > 1 ? argv[1] : "127.0.0.1:9464", metrics);
    std::printf("%s\n", server.url().c_str());
    std::fflush(stdout);
    for (int moment = 1; !stop; ++moment) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1000));
      flowtrain::testing::Fill(metrics, moment, argc > 2 ? argv[2] : "");
    }
  } catch (const flowtrain::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
