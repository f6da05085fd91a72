// Declarations: every kind of parameter binds from a value and reads back as one, at any depth.
#include <doctest/doctest.h>
#include <flowtrain/stage.h>

using namespace flowtrain;

namespace {

struct Range {
  double low = 0.5, high = 2;
  static void Declare(Fields<Range>& f) {
    f.Param("low", &Range::low, "From.").Min(0);
    f.Param("high", &Range::high, "To.").Above(0);
  }
};
struct Flip {
  static constexpr const char* kTagKey = "op";
  static constexpr const char* kTag = "flip";
  static constexpr const char* kHelp = "Mirrors.";
  float p = 0.1f;
  static void Declare(Fields<Flip>& f) { f.Param("p", &Flip::p, "Share mirrored.").Range(0, 1); }
};
struct Blur {
  static constexpr const char* kTag = "blur";
  static constexpr const char* kHelp = "Blurs.";
  Range sigma;
  static void Declare(Fields<Blur>& f) { f.Param("sigma", &Blur::sigma, "Deviation.").Unit("px"); }
};
using Op = std::variant<Flip, Blur>;

struct All {
  bool flag = true;
  int32_t count = 3;
  uint64_t big = 1ULL << 40;
  double rate = 2.5e-4;
  std::string text = "hello";
  std::string choice = "a";
  Path path{"runs"};
  Bytes bytes{4096};
  Duration time{1.5};
  std::optional<int> maybe;
  std::optional<Range> maybe_range;
  std::array<int, 2> size{352, 288};
  std::vector<std::string> names{"x", "y"};
  Range range;
  Op op = Blur{};
  std::vector<Op> ops{Flip{}, Blur{}};
};

class AllStage final : public Transform {
 public:
  using Params = All;
  static void Declare(Declaration<All>& d) {
    d.Type("test.all", "Has everything.");
    d.Param("flag", &All::flag, "A flag.");
    d.Param("count", &All::count, "A count.").Range(1, 10).Affects(Effect::kRuntime);
    d.Param("big", &All::big, "A big count.");
    d.Param("rate", &All::rate, "A rate.").Above(0).Affects(Effect::kTraining);
    d.Param("text", &All::text, "A text.").Required();
    d.Param("choice", &All::choice, "A choice.").Choices({"a", "b"});
    d.Param("path", &All::path, "A path.");
    d.Param("bytes", &All::bytes, "An amount.");
    d.Param("time", &All::time, "A time.");
    d.Param("maybe", &All::maybe, "Perhaps.");
    d.Param("maybe_range", &All::maybe_range, "Perhaps a range.");
    d.Param("size", &All::size, "Height and width.");
    d.Param("names", &All::names, "Names.").Sizes(1, 4).Choices({"x", "y", "z"});
    d.Param("range", &All::range, "A range.");
    d.Param("op", &All::op, "An operation.");
    d.Param("ops", &All::ops, "Operations.");
    d.Makes("image", Flow::kImage, [](const All& p) { return Pixels(p.size[0], p.size[1], 3); });
    d.Edits("mask").Optional();
  }
  explicit AllStage(const All& params) { last = params; }
  void Process(Sample&, Context&) const override {}
  static inline All last;
};

class Collect final : public Registrar {
 public:
  void Register(StageDeclaration declaration) override {
    declarations.push_back(std::move(declaration));
  }
  std::vector<StageDeclaration> declarations;
};

StageDeclaration DeclareAll() {
  Collect collect;
  collect.Add<AllStage>();
  return std::move(collect.declarations.at(0));
}

const ParamSpec& Spec(const StageDeclaration& d, const std::string& name) {
  for (const ParamSpec& spec : d.params) {
    if (spec.name == name) return spec;
  }
  throw Error("no " + name);
}

}  // namespace

TEST_CASE("a stage's kind comes from its base class, its declaration from Declare") {
  const StageDeclaration d = DeclareAll();
  CHECK(d.type == "test.all");
  CHECK(d.kind == StageKind::kTransform);
  CHECK(d.params.size() == 16);
  CHECK(d.flows.size() == 2);
  CHECK(d.flows[1].optional);
}

TEST_CASE("initialisers are the defaults, as they would stand in a graph") {
  const StageDeclaration d = DeclareAll();
  CHECK(Spec(d, "flag").default_value == Value(true));
  CHECK(Spec(d, "big").default_value == Value(int64_t{1} << 40));
  CHECK(Spec(d, "bytes").default_value == Value(4096));
  CHECK(Spec(d, "time").default_value == Value(1.5));
  CHECK(Spec(d, "maybe").default_value.is_null());
  CHECK(Spec(d, "size").default_value.ToJson() == "[352,288]");
  CHECK(Spec(d, "op").default_value.ToJson() == R"({"op":"blur","sigma":{"low":0.5,"high":2.0}})");
  CHECK(Spec(d, "ops").default_value.ToJson() ==
        R"([{"op":"flip","p":0.1},{"op":"blur","sigma":{"low":0.5,"high":2.0}}])");
}

TEST_CASE("kinds, bounds, units, choices and effects are what was declared") {
  const StageDeclaration d = DeclareAll();
  const std::pair<const char*, ParamKind> kinds[] = {
      {"flag", ParamKind::kBool},    {"count", ParamKind::kInteger}, {"rate", ParamKind::kNumber},
      {"text", ParamKind::kString},  {"choice", ParamKind::kEnum},   {"path", ParamKind::kPath},
      {"bytes", ParamKind::kBytes},  {"time", ParamKind::kDuration}, {"names", ParamKind::kList},
      {"range", ParamKind::kStruct}, {"op", ParamKind::kOneOf}};
  for (const auto& [name, kind] : kinds) CHECK_MESSAGE(Spec(d, name).type.kind == kind, name);
  CHECK(Spec(d, "count").max == 10);
  CHECK(Spec(d, "count").effect == Effect::kRuntime);
  CHECK(Spec(d, "rate").min_exclusive);
  CHECK(Spec(d, "text").required);
  CHECK(Spec(d, "maybe").type.nullable);
  CHECK(Spec(d, "maybe_range").type.nullable);
  CHECK(Spec(d, "names").type.element[0].kind == ParamKind::kEnum);
  CHECK(Spec(d, "names").type.max_size == 4);
  CHECK(Spec(d, "size").type.min_size == 2);
  CHECK(Spec(d, "size").type.max_size == 2);
  REQUIRE(Spec(d, "op").type.alternatives.size() == 2);
  CHECK(Spec(d, "op").type.alternatives[0].tag == "flip");
  CHECK(Spec(d, "op").type.alternatives[1].fields[0].unit == "px");
  CHECK(Spec(d, "ops").type.element[0].kind == ParamKind::kOneOf);
}

TEST_CASE("what is bound reads back the same") {
  const StageDeclaration d = DeclareAll();
  const Value flip{Value::Object{{"op", "flip"}, {"p", 0.75}}};
  const Value range{Value::Object{{"low", 0.25}, {"high", 3.0}}};
  const Value written{Value::Object{{"flag", false},
                                    {"count", 7},
                                    {"big", 5},
                                    {"rate", 0.125},
                                    {"text", "t"},
                                    {"choice", "b"},
                                    {"path", "/data"},
                                    {"bytes", 1LL << 33},
                                    {"time", 60.0},
                                    {"maybe", 4},
                                    {"maybe_range", range},
                                    {"size", Value::List{64, 32}},
                                    {"names", Value::List{"z"}},
                                    {"range", range},
                                    {"op", flip},
                                    {"ops", Value::List{flip, flip}}}};
  d.create(written);
  for (const ParamSpec& spec : d.params)
    CHECK_MESSAGE(spec.read(&AllStage::last) == written.At(spec.name), spec.name);
  CHECK(AllStage::last.bytes.value == 1ULL << 33);
  CHECK(std::get<Flip>(AllStage::last.op).p == 0.75f);
}

TEST_CASE("what is left out keeps its default; null empties an optional") {
  const StageDeclaration d = DeclareAll();
  d.create(Value(Value::Object{{"maybe", Value()}, {"text", "t"}}));
  CHECK_FALSE(AllStage::last.maybe);
  CHECK(AllStage::last.size == std::array{352, 288});
  CHECK(AllStage::last.ops.size() == 2);
}

TEST_CASE("a rule's flow follows the parameters") {
  const StageDeclaration d = DeclareAll();
  const Flow flow = d.flows[0].made(Value(Value::Object{{"size", Value::List{64, 32}}}));
  CHECK(flow.height == 64);
  CHECK(flow.width == 32);
  CHECK(flow.known());
  CHECK_FALSE(Pixels(0, 0, 3).known());
  CHECK(Label().known());
}

TEST_CASE("a batch transform that names no input has one, \"in\"") {
  struct Nothing {};
  Declaration<Nothing> d;
  d.Type("test.batch", "");
  const StageDeclaration done = std::move(d).Finish(StageKind::kBatchTransform, nullptr);
  REQUIRE(done.inputs.size() == 1);
  CHECK(done.inputs[0].name == "in");
}

TEST_CASE("a deferred stage is created only when asked for") {
  struct Nothing {};
  static int created = 0;
  Collect collect;
  collect.AddDeferred<Nothing>(
      StageKind::kConsumer, [](Declaration<Nothing>& d) { d.Type("test.late", ""); },
      [](const Nothing&) -> std::unique_ptr<Stage> {
        ++created;
        return nullptr;
      });
  CHECK(created == 0);
  collect.declarations.at(0).create(Value());
  CHECK(created == 1);
}

TEST_CASE("a map is an object by names that the graph chooses, and reads back as it was bound") {
  struct Shares {
    std::map<std::string, double> weights{{"all", 1}};
  };
  Declaration<Shares> d;
  d.Type("test.shares", "");
  d.TakesSources();
  d.Param("weights", &Shares::weights, "").BySource().Min(0);
  const StageDeclaration done = std::move(d).Finish(StageKind::kSource, nullptr);
  CHECK(done.takes_sources);
  const ParamSpec& spec = done.params.at(0);
  CHECK(spec.type.kind == ParamKind::kMap);
  CHECK(spec.type.element.at(0).kind == ParamKind::kNumber);
  CHECK(spec.by_source);
  CHECK(spec.default_value.ToJson() == R"({"all":1.0})");
  Shares shares;
  spec.bind(&shares, Value(Value::Object{{"b", 2.0}, {"a", 0.5}}));
  CHECK(shares.weights == std::map<std::string, double>{{"a", 0.5}, {"b", 2}});
  CHECK(spec.read(&shares).ToJson() == R"({"a":0.5,"b":2.0})");
}
