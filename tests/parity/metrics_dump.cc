// Reads pairs of images from standard input and prints their scores, one JSON object a line, then
// the whole set's. A pair is height and width (int32, this machine's order), then the prediction's
// and the mask's bytes.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "model/metrics/dataset_scores.h"
#include "model/metrics/image_scores.h"

namespace {

using namespace flowtrain::model::metrics;  // NOLINT: a program of one file

bool Read(void* to, size_t bytes) { return std::fread(to, 1, bytes, stdin) == bytes; }

void Print(const char* name, double value) { std::printf("\"%s\": %.17g, ", name, value); }

void Print(const char* name, const Curve& curve) {
  std::printf("\"%s\": [", name);
  for (size_t i = 0; i < curve.size(); ++i) std::printf("%s%.17g", i == 0 ? "" : ", ", curve[i]);
  std::printf("], ");
}

void Print(const DatasetResult& r) {
  std::printf("{");
  Print("mae", r.mae);
  Print("s", r.s_measure);
  Print("wf", r.weighted_f);
  Print("adaptive_f", r.adaptive_f);
  Print("mean_f", r.mean_f);
  Print("max_f", r.max_f);
  Print("adaptive_e", r.adaptive_e);
  Print("mean_e", r.mean_e);
  Print("max_e", r.max_e);
  Print("iou", r.iou);
  Print("dice", r.dice);
  Print("pooled_iou", r.pooled_iou);
  Print("pooled_dice", r.pooled_dice);
  Print("f_curve", r.f);
  Print("e_curve", r.e);
  std::printf("\"images\": %lld}\n", static_cast<long long>(r.images));
}

}  // namespace

int main() {
  DatasetScores all;
  ImageScratch scratch;
  int32_t size[2];
  while (Read(size, sizeof size)) {
    const auto height = static_cast<size_t>(size[0]);
    const auto width = static_cast<size_t>(size[1]);
    std::vector<uint8_t> prediction(height * width);
    std::vector<uint8_t> mask(height * width);
    if (!Read(prediction.data(), prediction.size()) || !Read(mask.data(), mask.size())) return 1;
    const ImageScores scores =
        ScoreImage({prediction, height, width}, {mask, height, width}, scratch);
    DatasetScores one;
    one.Add(scores);
    Print(one.Result());
    all.Add(scores);
  }
  Print(all.Result());
  return 0;
}
