// A source with a parameter of every kind; opening it says what was bound, as the reason of a refusal.
#include <flowtrain/stage.h>

#include <array>
#include <map>
#include <optional>
#include <variant>
#include <vector>

namespace {

using namespace flowtrain;

struct Square {
  static constexpr const char* kTagKey = "shape";
  static constexpr const char* kTag = "square";
  static constexpr const char* kHelp = "A square.";
  int side = 1;
  static void Declare(Fields<Square>& f) { f.Param("side", &Square::side, "Its side.").Range(1, 9); }
};
struct Disc {
  static constexpr const char* kTag = "disc";
  static constexpr const char* kHelp = "A disc.";
  double radius = 1;
  static void Declare(Fields<Disc>& f) { f.Param("radius", &Disc::radius, "Its radius.").Above(0); }
};

struct Inner {
  Bytes most{64};
  std::vector<int> steps{1};
  static void Declare(Fields<Inner>& f) {
    f.Param("most", &Inner::most, "How much.");
    f.Param("steps", &Inner::steps, "Which.").Range(0, 50);
  }
};
struct Outer {
  Inner inner;
  bool on = false;
  static void Declare(Fields<Outer>& f) {
    f.Param("inner", &Outer::inner, "A struct in a struct.");
    f.Param("on", &Outer::on, "Whether.");
  }
};

class Report final : public Source {
 public:
  struct Params {
    bool flag = false;
    int integer = 1;
    double number = 0.5;
    std::string text = "none";
    std::string choice = "slow";
    Path path{"here"};
    Bytes bytes{1024};
    Duration duration{1};
    std::optional<int> maybe;
    std::optional<Duration> maybe_time{Duration{3}};
    std::array<int, 2> size{1, 2};
    std::vector<std::string> names;
    std::map<std::string, double> weights;
    Outer outer;
    std::variant<Square, Disc> shape;
    std::vector<std::variant<Square, Disc>> shapes;
  };
  static void Declare(Declaration<Params>& d) {
    using P = Params;
    d.Type("every_kind.report", "Has a parameter of every kind.");
    d.Yields("n", Label());
    d.Param("flag", &P::flag, "A boolean.");
    d.Param("integer", &P::integer, "An integer.").Range(-9, 9);
    d.Param("number", &P::number, "A number.").Range(0, 1);
    d.Param("text", &P::text, "A string.");
    d.Param("choice", &P::choice, "One of two.").Choices({"slow", "fast"});
    d.Param("path", &P::path, "A path.");
    d.Param("bytes", &P::bytes, "An amount of memory.");
    d.Param("duration", &P::duration, "A time.");
    d.Param("maybe", &P::maybe, "An integer, or none.");
    d.Param("maybe_time", &P::maybe_time, "A time, or none.");
    d.Param("size", &P::size, "Height and width.").Min(1);
    d.Param("names", &P::names, "Several strings.").Sizes(0, 3);
    d.Param("weights", &P::weights, "Numbers by name.").Above(0);
    d.Param("outer", &P::outer, "A struct in a struct.");
    d.Param("shape", &P::shape, "One of two structs.");
    d.Param("shapes", &P::shapes, "Several of them.");
  }
  explicit Report(const Params& params) : p_(params) {}

  // Refuses with all that was bound, as one line.
  void Open(OpenContext& context) override {
    const auto shape = [](const std::variant<Square, Disc>& s) {
      const auto* square = std::get_if<Square>(&s);
      return square != nullptr ? "square " + std::to_string(square->side)
                               : "disc " + std::to_string(std::get<Disc>(s).radius).substr(0, 4);
    };
    std::string text = p_.flag ? "yes" : "no";
    const auto add = [&text](const std::string& part) { text += "|" + part; };
    add(std::to_string(p_.integer));
    add(std::to_string(p_.number).substr(0, 4));
    add(p_.text);
    add(p_.choice);
    add(p_.path.text);
    add(std::to_string(p_.bytes.value));
    add(std::to_string(p_.duration.seconds).substr(0, 5));
    add(p_.maybe ? std::to_string(*p_.maybe) : "-");
    add(p_.maybe_time ? std::to_string(p_.maybe_time->seconds).substr(0, 5) : "-");
    add(std::to_string(p_.size[0]) + "x" + std::to_string(p_.size[1]));
    for (const std::string& name : p_.names) add(name);
    for (const auto& [name, weight] : p_.weights) add(name + std::to_string(weight).substr(0, 3));
    add(std::to_string(p_.outer.inner.most.value));
    for (const int step : p_.outer.inner.steps) add(std::to_string(step));
    add(p_.outer.on ? "on" : "off");
    add(shape(p_.shape));
    for (const auto& s : p_.shapes) add(shape(s));
    context.Refuse("flag", text);
  }
  uint64_t Size() const override { return 1; }
  void Read(uint64_t, Sample&, ReadContext&) const override {}

 private:
  const Params p_;
};

}  // namespace

FLOWTRAIN_PLUGIN("every_kind", "1.0", r) { r.Add<Report>(); }
