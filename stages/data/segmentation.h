// `data.segmentation`: images and masks in folders, or the built-in set. The list is made in Open;
// Read only reads two files, on any I/O thread.
#pragma once

#include <flowtrain/stage.h>

#include <cstdint>
#include <string>
#include <vector>

#include "stages/data/layout.h"
#include "stages/data/pairs.h"

namespace flowtrain::data {

class Segmentation final : public Source {
 public:
  struct Params {
    Path root;
    std::string split = "train";
    double val_share = 0.1;
    std::vector<std::string> sets;
    bool cam_only = true;
    uint64_t limit = 0;
  };
  static void Declare(Declaration<Params>& d);

  explicit Segmentation(const Params& params) : params_(params) {}
  void Open(OpenContext& context) override;
  uint64_t Size() const override { return pairs_.size(); }
  uint64_t Fingerprint() const override;
  void Read(uint64_t index, Sample& sample, ReadContext& context) const override;

 private:
  // The pairs of sets_; `all` are the root's. Reports what has no other half.
  std::vector<Pair> Paired(const std::vector<ImageSet>& all, OpenContext& context) const;
  // `pairs` are Train's, or those of a root without halves: val's share of them, or the rest.
  std::vector<Pair> OwnShare(std::vector<Pair> pairs, OpenContext& context) const;

  const Params params_;
  std::vector<ImageSet> sets_;
  std::vector<Pair> pairs_;
};

}  // namespace flowtrain::data
