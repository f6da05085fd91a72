// kinds.stripes: a source of made images with bright columns. Each sample holds the raw bytes of one as
// its encoded "image", and the distance of its stripes as the label "period".
#pragma once

#include <flowtrain/stage.h>

#include <array>

namespace kinds {

class Stripes final : public flowtrain::Source {
 public:
  struct Params {
    int count = 64;
    std::array<int, 2> size{32, 32};
  };
  static void Declare(flowtrain::Declaration<Params>& d);
  explicit Stripes(const Params& params) : params_(params) {}

  // No Fingerprint: what stands at an index follows from the parameters, which a resumed run keeps.
  uint64_t Size() const override { return static_cast<uint64_t>(params_.count); }
  void Read(uint64_t index, flowtrain::Sample& sample,
            flowtrain::ReadContext& context) const override;

 private:
  const Params params_;
};

}  // namespace kinds
