// A plugin as it should be.
#include <flowtrain/stage.h>

namespace {

class Count final : public flowtrain::Source {
 public:
  struct Params {
    int size = 3;
  };
  static void Declare(flowtrain::Declaration<Params>& d) {
    d.Type("good.count", "Counts.");
    d.Yields("n", flowtrain::Label());
    d.Param("size", &Params::size, "How far.").Range(1, 10);
  }
  explicit Count(const Params& params) : size_(params.size) {}
  uint64_t Size() const override { return static_cast<uint64_t>(size_); }
  void Read(uint64_t index, flowtrain::Sample& sample, flowtrain::ReadContext&) const override {
    sample.set_label("n", static_cast<int64_t>(index));
  }

 private:
  const int size_;
};

}  // namespace

FLOWTRAIN_PLUGIN("good", "1.5", r) { r.Add<Count>(); }
