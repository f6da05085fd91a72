// The golden values of the specification: 8 x 8 images scored by PySODMetrics 1.6.2.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/model_metrics/images.h"

namespace flowtrain::model::metrics {
namespace {

Image Golden(const std::string& name) {
  return MakeImage(8, 8, [&](size_t y, size_t x) {
    if (name == "one") return 255;
    if (name == "ramp") return static_cast<int>(8 * y + x) * 4;
    if (name == "const") return 100;
    if (name == "square") return y >= 2 && y <= 5 && x >= 3 && x <= 6 ? 255 : 0;
    if (name == "shift") {
      if (y == 3 && x == 3) return 255;
      return y >= 1 && y <= 4 && x >= 2 && x <= 5 ? 200 : 0;
    }
    return 0;
  });
}

struct Row {
  const char* mask;
  const char* prediction;
  double mae, s, wf, adaptive_f, mean_f, max_f, adaptive_e, mean_e, max_e, iou, dice;
};

// The specification rounds to seven digits; these are the twelve of PySODMetrics.
const Row kTable[] = {
    {"zero", "zero", 0, 1, 0, 0, 0, 0, 0, 1.0119047619, 1.01587301587, 0, 0},
    {"zero", "const", 0.392156862745, 0.607843137255, 0, 0, 0, 0, 1.01587301587, 0.615079365079,
     1.01587301587, 0, 0},
    {"zero", "ramp", 0.5, 0.5, 0, 0, 0, 0, 1, 0.5078125, 1, 0, 0},
    {"one", "zero", 1, 0, 0.539357861415, 1, 0.00390625, 1, 1.01587301587, 0.00396825396825,
     1.01587301587, 0, 0},
    {"one", "one", 0, 1, 1, 1, 1, 1, 1.01587301587, 1.01587301587, 1.01587301587, 1, 1},
    {"one", "ramp", 0.5, 0.5, 0.818913121693, 0.0643564356436, 0.730612463464, 1, 0.015873015873,
     0.508060515873, 1.01587301587, 0.5, 0.666666666667},
    {"square", "zero", 0.25, 0.375, 0.273079503578, 0.302325581395, 0.00118095930233,
     0.302325581395, 0.253968253968, 0.253968253968, 0.253968253968, 0, 0},
    {"square", "const", 0.446078431373, 0.41786050261, 0.333371456064, 0, 0.119276889535,
     0.302325581395, 0.253968253968, 0.253968253968, 0.253968253968, 0, 0},
    {"square", "ramp", 0.492063492063, 0.415871894056, 0.352807558086, 0, 0.224252567054,
     0.417670682731, 0.295243301615, 0.401951155275, 0.577944888353, 0.2, 0.333333333333},
    {"square", "shift", 0.222120098039, 0.537121262094, 0.647402047588, 0.5625, 0.488788717923,
     0.5625, 0.80253968254, 0.694758373514, 0.80253968254, 0.391304347826, 0.5625},
    {"square", "square", 0, 1, 1, 1, 0.997274709302, 1, 1.01587301587, 1.0128968254, 1.01587301587,
     1, 1},
};

void CheckNear(double found, double expected) { CHECK(std::abs(found - expected) < 1e-9); }

}  // namespace

TEST_CASE("the golden pairs have the values of the table") {
  for (const Row& row : kTable) {
    CAPTURE(row.mask);
    CAPTURE(row.prediction);
    const DatasetResult r = Score(Golden(row.prediction), Golden(row.mask));
    CheckNear(r.mae, row.mae);
    CheckNear(r.s_measure, row.s);
    CheckNear(r.weighted_f, row.wf);
    CheckNear(r.adaptive_f, row.adaptive_f);
    CheckNear(r.mean_f, row.mean_f);
    CheckNear(r.max_f, row.max_f);
    CheckNear(r.adaptive_e, row.adaptive_e);
    CheckNear(r.mean_e, row.mean_e);
    CheckNear(r.max_e, row.max_e);
    CheckNear(r.iou, row.iou);
    CheckNear(r.dice, row.dice);
  }
}

}  // namespace flowtrain::model::metrics
