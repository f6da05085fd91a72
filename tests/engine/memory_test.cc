// More memory than there is: said with the figures and what to lower.
#include <doctest/doctest.h>

#include <sys/resource.h>

#include "engine/harness.h"
#include "pipeline/graph/slot_store.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

std::string Refusal(int64_t side, int batch, int slots) {
  try {
    graph::SlotStore store({{"image", DType::kU8, {side, side, 3}, 0}}, batch, slots, false);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("slots that no memory holds are refused with their number, their bytes and what to lower") {
  // 3 MiB x 65,536 a slot: far above any machine, still a number.
  CHECK(Refusal(1 << 10, 1 << 16, 1024) ==
        "1024 slots of 65536 samples take 1024 x 206158430208 bytes: can't have 211106232532992 bytes of memory: "
        "Cannot allocate memory; lower \"slots\" or \"batch\", or the size of the images");
}

TEST_CASE("slots whose bytes overflow a number are refused, not wrapped round") {
  for (const int64_t side : {int64_t{1} << 31, int64_t{1} << 26, int64_t{1} << 22}) {
    CAPTURE(side);
    CHECK(Holds(Refusal(side, 1 << 16, 1024), "1024 slots of 65536 samples take more bytes than can be counted"));
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a graph that asks for more memory than the process may have is refused by its staging stage") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  Script script;
  script.size = 100000;
  ScriptedRun run(script, {.staging = R"("batch": 65536, "slots": 1000)"});
  rlimit few = before;
  few.rlim_cur = 2ull << 30;
  REQUIRE(setrlimit(RLIMIT_AS, &few) == 0);
  std::string refusal;
  try {
    run.executor().Open();
  } catch (const graph::OpenRefused& refused) {
    refusal = refused.what();
  }
  setrlimit(RLIMIT_AS, &before);
  CHECK(Holds(refusal, "scripted.json: /stages/staging: 1000 slots of 65536 samples take 1000 x "));
  CHECK(Holds(refusal, "lower \"slots\" or \"batch\""));
}
#endif
