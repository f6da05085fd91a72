// A source of as many samples as the thing that it finds says.
#include <flowtrain/stage.h>

#include "thing.h"

namespace {

class Seeker final : public flowtrain::Source {
 public:
  struct Params {
    std::string thing;
  };
  static void Declare(flowtrain::Declaration<Params>& d) {
    d.Type("seeker.count", "Counts as far as a thing says.");
    d.Yields("n", flowtrain::Label());
    d.Param("thing", &Params::thing, "Which thing.").Required();
  }
  explicit Seeker(const Params& params) : name_(params.thing) {}
  void Open(flowtrain::OpenContext& context) override { thing_ = &context.Find<Thing>(name_); }
  uint64_t Size() const override { return static_cast<uint64_t>(thing_->Number()); }
  void Read(uint64_t, flowtrain::Sample&, flowtrain::ReadContext&) const override {}

 private:
  const std::string name_;
  const Thing* thing_ = nullptr;
};

}  // namespace

FLOWTRAIN_PLUGIN("seeker", "1.0", r) { r.Add<Seeker>(); }
