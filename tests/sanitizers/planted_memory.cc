// Faults on purpose, for AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer: each
// argument is one, and the program must not end well.
#include <flowtrain/testing/declarations.h>
#include <flowtrain/testing/stage_runner.h>

#include <cstring>
#include <iostream>
#include <limits>

namespace {

struct NoParams {};

// Asks for an odd number of bytes of scratch and uses one more.
class Overrun final : public flowtrain::Transform {
 public:
  using Params = NoParams;
  static void Declare(flowtrain::Declaration<Params>& d) { d.Type("planted.overrun", "Uses a byte too many."); }
  explicit Overrun(const Params&) {}
  void Process(flowtrain::Sample&, flowtrain::Context& context) const override {
    constexpr size_t kBytes = 21;
    uint8_t* scratch = context.Scratch(kBytes).data();
    std::memset(scratch, 0, kBytes);
    scratch[kBytes] = 1;
  }
};

}  // namespace

int main(int, char** argv) {
  const std::string fault = argv[1];
  if (fault == "overrun") {
    flowtrain::Sample sample;
    flowtrain::testing::StageRunner().Add(flowtrain::testing::DeclarationOf<Overrun>()).Process(sample);
  } else if (fault == "leak") {
    auto* volatile lost = new int[100];
    lost = nullptr;
    std::cout << (lost == nullptr);
  } else {
    volatile int most = std::numeric_limits<int>::max();
    most = most + 1;
  }
}
