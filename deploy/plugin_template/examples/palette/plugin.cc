// A plugin that has no stage and provides two colours.
#include <flowtrain/stage.h>

#include <memory>

#include "palette.h"

namespace {

class Plain final : public palette::Palette {
 public:
  explicit Plain(palette::Colour colour) : colour_(colour) {}
  palette::Colour Tint() const override { return colour_; }

 private:
  const palette::Colour colour_;
};

}  // namespace

FLOWTRAIN_PLUGIN("palette", "0.1", registrar) {
  registrar.Provide<palette::Palette>("palette.warm",
                                      std::make_shared<Plain>(palette::Colour{255, 160, 60}));
  // What costs something to make is better made when somebody asks.
  registrar.Provide<palette::Palette>(
      "palette.cold", [] { return std::make_shared<Plain>(palette::Colour{60, 120, 255}); });
}
