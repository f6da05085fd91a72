#include <doctest/doctest.h>

#include "pipeline/run/summary.h"

using flowtrain::run::FormatSummary;

TEST_CASE("values stand in one column, then the commands to try next") {
  CHECK(FormatSummary({{"best IoU", "0.83 (epoch 12)"}, {"wall", "2 min 31 s"}},
                      {"flowtrain stages", "flowtrain run x.json"}) ==
        "best IoU  0.83 (epoch 12)\n"
        "wall      2 min 31 s\n"
        "\n"
        "try next:\n"
        "  flowtrain stages\n"
        "  flowtrain run x.json\n");
  CHECK(FormatSummary({}, {}) == "");
}
