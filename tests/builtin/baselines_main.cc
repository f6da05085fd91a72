// Prints what masks made without training score on the validation half of `builtin:camouflage`
// (mean IoU), so that a trained network's score means something. Exit 1 when one of them scores
// above 0.30, or when the direction of the grain, which is the cue, scores below 0.50.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "stages/data/camouflage/generate.h"
#include "tests/builtin/features.h"
#include "tests/builtin/oracle.h"

namespace {

using namespace flowtrain::builtin_test;
using namespace flowtrain::data::camouflage;

constexpr double kMostAllowed = 0.30, kLeastCue = 0.50;

struct Picture {
  cv::Mat rgb, mask;
};

std::vector<Picture> Validation() {
  std::vector<Picture> pictures;
  for (uint64_t i = 0; i < kValCount; ++i) {
    Example example = Generate(kValSeed + i);
    pictures.push_back({cv::Mat(kSize, kSize, CV_8UC3, example.rgb.data()).clone(),
                        cv::Mat(kSize, kSize, CV_8UC1, example.mask.data()).clone()});
  }
  return pictures;
}

// The mean over the pictures of `score`.
double Mean(const std::vector<Picture>& pictures,
            const std::function<double(const Picture&)>& score) {
  double sum = 0;
  for (const Picture& picture : pictures) sum += score(picture);
  return sum / static_cast<double>(pictures.size());
}

// One mask for all pictures; the best of the family.
double BestConstant(const std::vector<Picture>& pictures, const std::vector<cv::Mat>& masks) {
  double best = 0;
  for (const cv::Mat& mask : masks) {
    best = std::max(best, Mean(pictures, [&](const Picture& p) { return Iou(mask, p.mask); }));
  }
  return best;
}

// Boxes, or the ellipses in them, of many sizes, in the middle of the frame.
std::vector<cv::Mat> Centred(bool ellipse) {
  std::vector<cv::Mat> masks;
  for (int height = 16; height <= kSize; height += 16) {
    for (int width = 16; width <= kSize; width += 16) {
      cv::Mat mask = cv::Mat::zeros(kSize, kSize, CV_8UC1);
      const cv::Point middle(kSize / 2, kSize / 2);
      if (ellipse) {
        cv::ellipse(mask, middle, {width / 2, height / 2}, 0, 0, 360, 255, cv::FILLED);
      } else {
        mask(cv::Rect(middle.x - width / 2, middle.y - height / 2, width, height)) = 255;
      }
      masks.push_back(mask);
    }
  }
  return masks;
}

// The mean of the training masks, cut at many heights.
std::vector<cv::Mat> MeanMasks() {
  cv::Mat mean = cv::Mat::zeros(kSize, kSize, CV_32F);
  for (uint64_t seed = 0; seed < kTrainCount; ++seed) {
    std::vector<uint8_t> mask = GenerateMask(seed);
    cv::accumulate(cv::Mat(kSize, kSize, CV_8UC1, mask.data()), mean);
  }
  double most = 0;
  cv::minMaxLoc(mean, nullptr, &most);
  std::vector<cv::Mat> masks;
  for (int i = 1; i < 20; ++i) masks.push_back(mean > most * i / 20);
  return masks;
}

class Table {
 public:
  void Baseline(const std::string& name, double iou) {
    Row(name, iou, iou <= kMostAllowed, "above 0.30");
  }
  void Cue(const std::string& name, double iou) { Row(name, iou, iou >= kLeastCue, "below 0.50"); }
  bool passed() const { return passed_; }

 private:
  void Row(const std::string& name, double iou, bool good, const char* fault) {
    std::printf("%-36s %.3f%s%s\n", name.c_str(), iou, good ? "" : "  ", good ? "" : fault);
    passed_ = passed_ && good;
  }
  bool passed_ = true;
};

}  // namespace

int main() {
  cv::setNumThreads(1);
  const std::vector<Picture> pictures = Validation();
  Table table;
  std::printf("mean IoU over %zu validation pictures\n\none mask for all\n", pictures.size());
  table.Baseline("  all foreground",
                 BestConstant(pictures, {cv::Mat(kSize, kSize, CV_8UC1, cv::Scalar(255))}));
  table.Baseline("  best centred box", BestConstant(pictures, Centred(false)));
  table.Baseline("  best centred ellipse", BestConstant(pictures, Centred(true)));
  table.Baseline("  mean training mask, best cut", BestConstant(pictures, MeanMasks()));

  std::printf("\nthe best threshold of each picture, chosen with its mask at hand\n");
  std::map<std::string, std::map<double, double>> scores;
  std::vector<std::string> order;
  for (const Picture& picture : pictures) {
    for (const Feature& feature : PlainFeatures(picture.rgb)) {
      if (!scores.contains(feature.name)) order.push_back(feature.name);
      for (const double sigma : {0.0, 2.0, 4.0, 8.0, 16.0}) {
        scores[feature.name][sigma] += BestThresholdIou(Blurred(feature.map, sigma), picture.mask);
      }
    }
  }
  for (const std::string& name : order) {
    for (const auto& [sigma, sum] : scores[name]) {
      const std::string blur =
          sigma == 0 ? "" : ", blurred by " + std::to_string(static_cast<int>(sigma)) + " px";
      table.Baseline("  " + name + blur, sum / static_cast<double>(pictures.size()));
    }
  }

  std::printf("\nk-means on colours, the best clusters of each picture\n");
  for (int k = 2; k <= 4; ++k) {
    table.Baseline("  " + std::to_string(k) + " clusters", Mean(pictures, [k](const Picture& p) {
                     return BestClustersIou(p.rgb, p.mask, k);
                   }));
  }

  std::printf("\nthe cue itself: the direction of the grain, best threshold of each picture\n");
  std::map<std::string, double> cues;
  for (const Picture& picture : pictures) {
    for (const Feature& feature : DirectionFeatures(picture.rgb)) {
      cues[feature.name] += BestThresholdIou(feature.map, picture.mask);
    }
  }
  for (const auto& [name, sum] : cues) {
    table.Cue("  " + name, sum / static_cast<double>(pictures.size()));
  }
  std::printf("\n%s\n", table.passed() ? "nothing but the direction of the grain shows the object"
                                       : "the set is not what it should be");
  return table.passed() ? 0 : 1;
}
