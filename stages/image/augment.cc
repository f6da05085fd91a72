#include "stages/image/augment.h"

#include <map>
#include <new>

#include "stages/image/show.h"

namespace flowtrain::image {
namespace {

// Blocks of Context::Scratch; ShowImage uses two.
enum ScratchBlock : int { kShown, kChanged = 2 };

constexpr char kScale[] = "scaling";

// An op that fails over one sample costs that sample, not the run.
template <class F>
void Guarded(const Sample& sample, const std::string& op, F work) {
  const auto bad = [&](const char* what) {
    throw BadSample("can't be augmented", sample.path + ": " + op + ": " + what);
  };
  try {
    work();
  } catch (const Error&) {  // of the framework or of the graph
    throw;
  } catch (const std::bad_alloc&) {
    bad("no memory");
  } catch (const std::exception& e) {
    bad(e.what());
  }
}

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

Augment::Augment(const Params& params) : params_(params), shown_by_(kScale) {
  // An op's stream depends on its tag and on how many of its kind stand before it, so that another
  // op added to the list leaves its draws as they were.
  std::map<std::string, int> seen;
  for (const Op& op : params_.ops) {
    const std::string tag = std::visit([]<class T>(const T&) { return T::kTag; }, op);
    streams_.push_back(Rng::HashStream(tag + "#" + std::to_string(seen[tag]++)));
    const bool moves = std::visit([]<class T>(const T&) { return T::kMoves; }, op);
    if (moves && seen[tag] == 1) shown_by_ += (shown_by_ == kScale ? " after " : ", ") + tag;
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
    std::visit(
        [&]<class T>(const T& op) {
          op.Draw(of_op, recipe);
          recipe.changed_by.resize(recipe.changes.size(), T::kTag);
        },
        params_.ops[i]);
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
  Guarded(sample, shown_by_, [&] {
    ShowImage(image, recipe.geometry, {params_.antialias, params_.fill}, context, kShown, row);
  });
  for (size_t i = 0; i < recipe.changes.size(); ++i) {
    Guarded(sample, recipe.changed_by[i],
            [&] { Apply(recipe.changes[i], row, params_.fill, context, kChanged); });
  }

  if (!sample.has_image("mask")) return;
  const Image mask = sample.image("mask");
  const Image mask_row = sample.MakeImage("mask", height, width, 1);
  Guarded(sample, shown_by_, [&] { ShowMask(mask, recipe.geometry, mask_row); });
}

}  // namespace flowtrain::image
