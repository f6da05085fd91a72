// Provides a thing that is there from the start, one made when it is asked for, and two at fault. Has
// no stage.
#include <flowtrain/stage.h>

#include "thing.h"

namespace {

class Numbered final : public Thing {
 public:
  explicit Numbered(int number) : number_(number) {}
  int Number() const override { return number_; }

 private:
  const int number_;
};

int g_made = 0;

}  // namespace

FLOWTRAIN_PLUGIN("provider", "1.0", r) {
  r.Provide<Thing>("provider.seven", std::make_shared<Numbered>(7));
  r.Provide<Thing>("provider.made", [] { return std::make_shared<Numbered>(100 + ++g_made); });
  r.Provide<Thing>("provider.none", [] { return std::shared_ptr<Thing>(); });
  r.Provide<Thing>("provider.throws", []() -> std::shared_ptr<Thing> {
    throw flowtrain::Error("no licence found");
  });
}
