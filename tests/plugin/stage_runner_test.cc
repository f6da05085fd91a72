// The stage test runner draws what the engine draws.
#include <doctest/doctest.h>
#include <flowtrain/rng.h>
#include <flowtrain/testing/declarations.h>
#include <flowtrain/testing/stage_runner.h>

namespace flowtrain {
namespace {

// Appends what it draws to the label.
class Draw final : public Transform {
 public:
  struct Params {};
  static void Declare(Declaration<Params>& d) { d.Type("made.draw", "Draws."); }
  explicit Draw(const Params&) {}
  void Process(Sample&, Context& context) const override { drawn.push_back(context.rng().NextU64()); }
  inline static std::vector<uint64_t> drawn;
};

class Other final : public Transform {
 public:
  struct Params {};
  static void Declare(Declaration<Params>& d) { d.Type("made.other", "Draws nothing."); }
  explicit Other(const Params&) {}
  void Process(Sample&, Context&) const override {}
};

}  // namespace

TEST_CASE("a type's second stage in a chain draws from the stream that the engine gives it") {
  testing::StageRunner runner(7);
  const StageDeclaration draw = testing::DeclarationOf<Draw>(), other = testing::DeclarationOf<Other>();
  runner.Add(draw).Add(other).Add(draw);
  Sample sample;
  sample.id.epoch = 3;
  sample.id.position = 11;
  Draw::drawn.clear();
  runner.Process(sample);
  REQUIRE(Draw::drawn.size() == 2);
  for (size_t ordinal : {0, 1}) {
    Rng rng(7, Rng::HashStream("made.draw#" + std::to_string(ordinal)), 3, 11);
    CHECK(Draw::drawn[ordinal] == rng.NextU64());
  }
}

}  // namespace flowtrain
