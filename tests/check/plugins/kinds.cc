// A stage with a parameter of every kind, nested, nullable and bounded in every way.
#include <array>
#include <optional>
#include <variant>

#include "invert.h"

namespace {

using namespace flowtrain;

struct Box {
  static constexpr const char* kTagKey = "shape";
  static constexpr const char* kTag = "box";
  static constexpr const char* kHelp = "A box.";
  int side = 1;
  static void Declare(Fields<Box>& f) {
    f.Param("side", &Box::side, "Its side.").Required().Range(1, 9);
  }
};
struct Disc {
  static constexpr const char* kTag = "disc";
  static constexpr const char* kHelp = "A disc.";
  double radius = 1;
  std::optional<Box> around;
  static void Declare(Fields<Disc>& f) {
    f.Param("radius", &Disc::radius, "Its radius.").Above(0).WasNamed("r", "0.3");
    f.Param("around", &Disc::around, "A box around it.");
  }
};
using Shape = std::variant<Box, Disc>;

struct Inner {
  int needed = 0;
  uint8_t small = 0;
  static void Declare(Fields<Inner>& f) {
    f.Param("needed", &Inner::needed, "Must be given.").Required().WasNamed("wanted");
    f.Param("small", &Inner::small, "A byte.");
  }
};
struct Outer {
  Inner inner;
  std::vector<Inner> more;
  static void Declare(Fields<Outer>& f) {
    f.Param("inner", &Outer::inner, "One.");
    f.Param("more", &Outer::more, "Several.").Sizes(0, 2);
  }
};

class All final : public Transform {
 public:
  struct Params {
    bool flag = false;
    int integer = 1;
    int64_t wide = 1;
    uint64_t natural = 1;
    std::optional<int> maybe;
    double number = 1;
    double above = 1;
    std::string text;
    std::string choice = "a";
    std::optional<std::string> maybe_choice;
    Path path;
    Bytes bytes{1024};
    Bytes least_bytes{1024};
    Duration duration{1};
    Duration some_time{1};
    std::optional<Duration> maybe_time;
    std::vector<double> numbers;
    std::array<int, 2> pair{1, 1};
    std::vector<std::string> choices{"a"};
    std::vector<std::string> many{"first-of-many",  "second-of-many", "third-of-many",
                                  "fourth-of-many", "fifth-of-many",  "sixth-of-many"};
    std::vector<Bytes> amounts;
    Outer outer;
    std::optional<Inner> maybe_inner;
    Shape shape;
    std::vector<Shape> shapes;
    std::optional<std::vector<std::array<int, 2>>> pairs;
  };
  static void Declare(Declaration<Params>& d) {
    using P = Params;
    d.Type("kinds.all", "Has a parameter of every kind.");
    d.Edits("image");
    d.Param("flag", &P::flag, "A boolean.");
    d.Param("integer", &P::integer, "An integer.").Range(-3, 100);
    d.Param("wide", &P::wide, "An integer of 64 bits.");
    d.Param("natural", &P::natural, "One without a sign.");
    d.Param("maybe", &P::maybe, "An integer, or none.").Min(2);
    d.Param("number", &P::number, "A number.").Range(-0.5, 1.5);
    d.Param("above", &P::above, "A number above another.").Above(-2);
    d.Param("text", &P::text, "A string.");
    d.Param("choice", &P::choice, "One of two.").Choices({"a", "b"});
    d.Param("maybe_choice", &P::maybe_choice, "One of two, or none.").Choices({"a", "b"});
    d.Param("path", &P::path, "A path.").Required();
    d.Param("bytes", &P::bytes, "An amount of memory.");
    d.Param("least_bytes", &P::least_bytes, "Not nothing.").Min(1);
    d.Param("duration", &P::duration, "A time.");
    d.Param("some_time", &P::some_time, "Some time.").Above(0);
    d.Param("maybe_time", &P::maybe_time, "A time, or none.");
    d.Param("numbers", &P::numbers, "Numbers.").Range(0, 1);
    d.Param("pair", &P::pair, "Two integers.").Min(1);
    d.Param("choices", &P::choices, "Several of two.").Choices({"a", "b"}).Sizes(1, 3);
    d.Param("many", &P::many, "With a default that is longer than a line of the table.");
    d.Param("amounts", &P::amounts, "Amounts of memory.");
    d.Param("outer", &P::outer, "A struct in a struct.");
    d.Param("maybe_inner", &P::maybe_inner, "A struct, or none.");
    d.Param("shape", &P::shape, "One of two structs.");
    d.Param("shapes", &P::shapes, "Several of them.");
    d.Param("pairs", &P::pairs, "Lists in a list, or none.");
  }
  explicit All(const Params&) {}
  void Process(Sample&, Context&) const override {}
};

}  // namespace

FLOWTRAIN_PLUGIN("kinds", "0.1", r) { r.Add<All>(); }
