// kinds.window: cuts a window at a random place and scales it to one size. It says in Plan which window
// that will be, so that a decoder need not make the rest.
#pragma once

#include <flowtrain/stage.h>

#include <array>

namespace kinds {

class Window final : public flowtrain::Transform {
 public:
  struct Params {
    std::array<int, 2> size{16, 16};
    double share = 0.5;
  };
  static void Declare(flowtrain::Declaration<Params>& d);
  explicit Window(const Params& params) : params_(params) {}

  bool Plan(const flowtrain::ImageInfo& info, flowtrain::Rng& rng,
            flowtrain::View& view) const override;
  void Process(flowtrain::Sample& sample, flowtrain::Context& context) const override;

 private:
  // Both draw by this, from the same numbers, so that they mean the same window.
  flowtrain::Region Draw(flowtrain::Rng& rng) const;

  const Params params_;
};

}  // namespace kinds
