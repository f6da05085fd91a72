#include "stages/image/augment.h"

#include <map>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "stages/image/pixels.h"

namespace flowtrain::image {
namespace {

// Blocks of Context::Scratch: resized pixels before they are turned, rows before they are
// recoloured.
enum ScratchBlock : int { kResized, kColours };

// Scales `from` to `to`'s size. `area` averages where it shrinks (OpenCV's INTER_AREA enlarges by
// repeating pixels, so enlarging stays linear).
void Resize(const Image& from, const Image& to, int interpolation) {
  const bool shrinks = from.width >= to.width && from.height >= to.height;
  if (interpolation == cv::INTER_AREA && !shrinks) interpolation = cv::INTER_LINEAR;
  cv::Mat target = Pixels(to);
  cv::resize(Pixels(from), target, target.size(), 0, 0, interpolation);
}

// `from` -> `to`: to the size it has before the turn, then turned.
void ResizeAndTurn(const Image& from, const Orientation& turn, int interpolation, Context& context,
                   const Image& to) {
  if (turn.identity()) return Resize(from, to, interpolation);
  Image resized = to;
  if (turn.transpose) std::swap(resized.height, resized.width);
  resized.stride = resized.row_bytes();
  resized.data = context.Scratch(resized.bytes(), kResized).data();
  Resize(from, resized, interpolation);
  Turn(resized, turn, to);
}

}  // namespace

void Augment::Declare(Declaration<Params>& d) {
  d.Type("image.augment",
         "Scales image and mask to one size and turns, mirrors and recolours them at random, in "
         "step.");
  d.Param("size", &Params::size, "Height and width of the output")
      .Required()
      .Range(1, 16384)
      .Unit("px");
  d.Param("interpolation", &Params::interpolation,
          "How the image is scaled: between its four nearest pixels (fast; aliases where it "
          "shrinks a lot), or by area. A mask takes the nearest pixel.")
      .Choices({"linear", "area"});
  d.Param("ops", &Params::ops, "What is done at random, in this order.");
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

Recipe Augment::Draw(Rng& rng) const {
  const uint64_t key = rng.NextU64();
  Recipe recipe;
  for (size_t i = 0; i < params_.ops.size(); ++i) {
    Rng of_op(key, streams_[i], 0, 0);
    std::visit([&](const auto& op) { op.Draw(of_op, recipe); }, params_.ops[i]);
  }
  return recipe;
}

bool Augment::Plan(const ImageInfo&, Rng& rng, View& view) const {
  view.height = params_.size[0];
  view.width = params_.size[1];
  if (Draw(rng).turn.transpose) std::swap(view.height, view.width);
  return true;
}

void Augment::Process(Sample& sample, Context& context) const {
  const Recipe recipe = Draw(context.rng());
  const auto [height, width] = params_.size;

  const Image image = sample.image("image");
  if (image.channels != 3 || image.depth != 8) {
    throw Error(
        sample.path + ": image.augment takes RGB images of 8 bits a channel, this one has " +
        std::to_string(image.channels) + " channels of " + std::to_string(image.depth) + " bits");
  }
  const Image row = sample.MakeImage("image", height, width, 3);
  const int interpolation = params_.interpolation == "area" ? cv::INTER_AREA : cv::INTER_LINEAR;
  ResizeAndTurn(image, recipe.turn, interpolation, context, row);
  for (const ColourChange& change : recipe.colours) Recolour(row, change, context, kColours);

  if (!sample.has_image("mask")) return;
  const Image mask = sample.image("mask");
  ResizeAndTurn(mask, recipe.turn, cv::INTER_NEAREST, context,
                sample.MakeImage("mask", height, width, 1));
}

}  // namespace flowtrain::image
