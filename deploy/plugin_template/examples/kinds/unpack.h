// kinds.unpack: the bytes of kinds.stripes -> a gray image. As any decoder should, it asks first what the
// stages after it want, and makes no more than that.
#pragma once

#include <flowtrain/stage.h>

namespace kinds {

class Unpack final : public flowtrain::Transform {
 public:
  struct Params {};
  static void Declare(flowtrain::Declaration<Params>& d);
  explicit Unpack(const Params&) {}

  void Process(flowtrain::Sample& sample, flowtrain::Context& context) const override;
};

}  // namespace kinds
