// image.augment: image and mask to one size, cut out, turned, mirrored and recoloured at random, in
// step. Drawn once a sample; written straight into the batch's row. Const after Open; Process runs
// on all compute workers at once.
#pragma once

#include <flowtrain/stage.h>

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "stages/image/ops/affine.h"
#include "stages/image/ops/blur.h"
#include "stages/image/ops/center_crop.h"
#include "stages/image/ops/cutout.h"
#include "stages/image/ops/flip.h"
#include "stages/image/ops/gray.h"
#include "stages/image/ops/jitter.h"
#include "stages/image/ops/random_resized_crop.h"
#include "stages/image/ops/rot90.h"

namespace flowtrain::image {

class Augment final : public Transform {
 public:
  using Op =
      std::variant<Flip, Rot90, RandomResizedCrop, CenterCrop, Affine, Jitter, Gray, Blur, Cutout>;
  struct Params {
    std::array<int, 2> size{0, 0};
    bool antialias = true;
    Colour fill{0, 0, 0};
    std::vector<Op> ops;
  };
  static void Declare(Declaration<Params>& d);
  explicit Augment(const Params& params);

  void Open(OpenContext& context) override;
  bool Plan(const ImageInfo& info, Rng& rng, View& view) const override;
  void Process(Sample& sample, Context& context) const override;

 private:
  // Of a picture so much wider than high.
  Recipe Draw(Rng& rng, float aspect) const;

  const Params params_;
  std::vector<uint64_t> streams_;  // of each op
  std::string shown_by_;           // for messages: scaling, and the ops that are made with it
};

}  // namespace flowtrain::image
