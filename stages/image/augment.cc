#include "stages/image/augment.h"

#include <map>

#include "stages/image/show.h"

namespace flowtrain::image {
namespace {

// Blocks of Context::Scratch; ShowImage uses two.
enum ScratchBlock : int { kShown, kChanged = 2 };

}  // namespace

void Augment::Declare(Declaration<Params>& d) {
  d.Type("image.augment",
         "Scales image and mask to one size and cuts out, turns, mirrors and recolours them at "
         "random, in step.");
  d.Param("size", &Params::size, "Height and width of the output")
      .Required()
      .Range(1, 16384)
      .Unit("px");
  d.Param("antialias", &Params::antialias,
          "Where the image shrinks, each output pixel is made from all pixels under it, as Pillow "
          "and torchvision do; otherwise from the four nearest ones, as OpenCV and albumentations "
          "do. A mask takes the nearest pixel.");
  d.Param("ops", &Params::ops,
          "What is done at random. Crops, mirrors and turns are put together in this order and "
          "made in one pass, then the others follow in this order.");
  d.Param("fill", &Params::fill, "Red, green and blue of what is empty after affine or cutout")
      .Range(0, 255);
  const auto made = [](int channels) {
    return
        [channels](const Params& p) { return flowtrain::Pixels(p.size[0], p.size[1], channels); };
  };
  d.Makes("image", Flow::kImage, made(3));
  d.Makes("mask", Flow::kImage, made(1)).Optional();
}

Augment::Augment(const Params& params) : params_(params) {
  // An op's stream depends on its tag and on how many of its kind stand before it, so that another
  // op added to the list leaves its draws as they were.
  std::map<std::string, int> seen;
  for (const Op& op : params_.ops) {
    const std::string tag = std::visit([]<class T>(const T&) { return T::kTag; }, op);
    streams_.push_back(Rng::HashStream(tag + "#" + std::to_string(seen[tag]++)));
  }
}

void Augment::Open(OpenContext& context) {
  for (size_t i = 0; i < params_.ops.size(); ++i) {
    const std::string why = std::visit([](const auto& op) { return op.Fault(); }, params_.ops[i]);
    if (!why.empty()) context.Refuse("ops/" + std::to_string(i), why);
  }
}

Recipe Augment::Draw(Rng& rng, float aspect) const {
  const uint64_t key = rng.NextU64();
  Recipe recipe(aspect, static_cast<double>(params_.size[1]) / params_.size[0]);
  for (size_t i = 0; i < params_.ops.size(); ++i) {
    Rng of_op(key, streams_[i], 0, 0);
    std::visit([&](const auto& op) { op.Draw(of_op, recipe); }, params_.ops[i]);
  }
  return recipe;
}

bool Augment::Plan(const ImageInfo& info, Rng& rng, View& view) const {
  const float aspect = static_cast<float>(static_cast<double>(info.width) / info.height);
  view = ViewOf(Draw(rng, aspect).geometry, params_.size[0], params_.size[1]);
  // What a stage after this one wants is a part of what is made here, not of the picture.
  return false;
}

void Augment::Process(Sample& sample, Context& context) const {
  const Image image = sample.image("image");
  if (image.channels != 3 || image.depth != 8) {
    throw Error(
        sample.path + ": image.augment takes RGB images of 8 bits a channel, this one has " +
        std::to_string(image.channels) + " channels of " + std::to_string(image.depth) + " bits");
  }
  const auto [height, width] = params_.size;
  const Recipe recipe = Draw(context.rng(), AspectOf(image));
  const Image row = sample.MakeImage("image", height, width, 3);
  ShowImage(image, recipe.geometry, {params_.antialias, params_.fill}, context, kShown, row);
  for (const PixelChange& change : recipe.changes)
    Apply(change, row, params_.fill, context, kChanged);

  if (!sample.has_image("mask")) return;
  const Image mask = sample.image("mask");
  ShowMask(mask, recipe.geometry, sample.MakeImage("mask", height, width, 1));
}

}  // namespace flowtrain::image
