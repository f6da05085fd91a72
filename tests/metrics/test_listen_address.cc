#include <doctest/doctest.h>
#include <flowtrain/error.h>

#include "pipeline/metrics/listen_address.h"

using namespace flowtrain::metrics;

TEST_CASE("an address is a numeric host and a port, and 127.0.0.1 unless said otherwise") {
  CHECK(ParseListenAddress("127.0.0.1:9464").ToString() == "127.0.0.1:9464");
  CHECK(ParseListenAddress("9464").ToString() == "127.0.0.1:9464");
  CHECK(ParseListenAddress(":9464").ToString() == "127.0.0.1:9464");
  CHECK(ParseListenAddress("localhost:0").ToString() == "127.0.0.1:0");
  CHECK(ParseListenAddress("[::1]:9464").ToString() == "[::1]:9464");
  CHECK(ParseListenAddress("*:9464").host == "*");
}

TEST_CASE("an address of another form is refused by name, with what is allowed") {
  for (const char* bad :
       {"", "host", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:-1", "127.0.0.1:80x", "::1:9464",
        "[::1]", "[127.0.0.1]:80", "example.org:80", "1.2.3:80"}) {
    CAPTURE(bad);
    try {
      ParseListenAddress(bad);
      FAIL("accepted");
    } catch (const flowtrain::Error& e) {
      CHECK(std::string(e.what()).find("\"" + std::string(bad) + "\"") != std::string::npos);
      CHECK(std::string(e.what()).find("HOST:PORT") != std::string::npos);
    }
  }
}
