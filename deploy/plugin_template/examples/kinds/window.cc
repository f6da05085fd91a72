#include "window.h"

#include <algorithm>

namespace kinds {

void Window::Declare(flowtrain::Declaration<Params>& d) {
  d.Type("kinds.window", "Cuts a window at a random place and scales it to one size.");
  d.Makes("image", flowtrain::Flow::kImage,
          [](const Params& p) { return flowtrain::Pixels(p.size[0], p.size[1], 1); });
  d.Param("size", &Params::size, "Height and width of what comes out.").Range(1, 1024).Unit("px");
  d.Param("share", &Params::share, "The window's height and width, as a share of the image's.")
      .Range(0.01, 1);
}

flowtrain::Region Window::Draw(flowtrain::Rng& rng) const {
  const double x = rng.Uniform(0, 1 - params_.share);
  const double y = rng.Uniform(0, 1 - params_.share);
  return {x, y, params_.share, params_.share};
}

bool Window::Plan(const flowtrain::ImageInfo&, flowtrain::Rng& rng, flowtrain::View& view) const {
  view.region = Draw(rng);
  view.height = params_.size[0];
  view.width = params_.size[1];
  return true;
}

void Window::Process(flowtrain::Sample& sample, flowtrain::Context& context) const {
  const flowtrain::Region window = Draw(context.rng());
  const flowtrain::Image from = sample.image("image");
  if (from.channels != 1 || from.depth != 8)
    throw flowtrain::BadSample("not gray", sample.path + ": kinds.window takes gray images of 8 bits");
  flowtrain::Image& to = sample.MakeImage("image", params_.size[0], params_.size[1], 1);
  // `covers` says which part came: all of it where nobody asked, or just about the window.
  const auto nearest = [](int i, int count, double begin, double length, double covered_from,
                          double covered, int size) {
    const double at = begin + length * (i + 0.5) / count;
    return std::clamp(static_cast<int>((at - covered_from) / covered * size), 0, size - 1);
  };
  for (int y = 0; y < to.height; ++y) {
    const uint8_t* row = from.row(nearest(y, to.height, window.y, window.height, from.covers.y,
                                          from.covers.height, from.height));
    for (int x = 0; x < to.width; ++x) {
      to.row(y)[x] = row[nearest(x, to.width, window.x, window.width, from.covers.x,
                                 from.covers.width, from.width)];
    }
  }
}

}  // namespace kinds
