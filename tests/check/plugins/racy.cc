// A buffer of the stage's own, shared by all threads that run it.
#include <algorithm>
#include <vector>

#include "invert.h"

namespace {

using namespace flowtrain;

class Inverts final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) { DeclareInvert(d, "racy.invert"); }
  explicit Inverts(const Params&) : row_(1 << 16) {}
  void Process(Sample& sample, Context&) const override {
    Image& image = sample.image("image");
    for (int y = 0; y < image.height; ++y) {
      const size_t bytes = std::min(image.row_bytes(), row_.size());
      std::copy_n(image.row(y), bytes, row_.begin());
      for (size_t x = 0; x < bytes; ++x) row_[x] ^= 0xFF;
      std::copy_n(row_.begin(), bytes, image.row(y));
    }
  }

 private:
  mutable std::vector<uint8_t> row_;
};

}  // namespace

FLOWTRAIN_PLUGIN("racy", "1.0", r) { r.Add<Inverts>(); }
