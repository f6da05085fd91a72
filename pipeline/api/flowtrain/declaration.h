// A stage's one declaration: its type, ports, what it makes of what flows, and every parameter.
// Made once, when its plugin registers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <flowtrain/binder.h>
#include <flowtrain/export.h>
#include <flowtrain/parameter.h>

namespace flowtrain {

class Stage;

enum class StageKind : uint8_t { kSource, kTransform, kBatchTransform, kConsumer };
FLOWTRAIN_API const char* StageKindName(StageKind kind);

// What stands under a name in a sample. 0: unknown size.
struct Flow {
  enum Kind : uint8_t { kEncoded, kImage, kLabel } kind = kEncoded;
  int height = 0, width = 0, channels = 0;
  bool known() const { return kind != kImage || (height > 0 && width > 0 && channels > 0); }
};
inline Flow Encoded() { return {Flow::kEncoded}; }
inline Flow Label() { return {Flow::kLabel}; }
inline Flow Pixels(int height, int width, int channels) { return {Flow::kImage, height, width, channels}; }

// One thing a sample stage yields, makes or edits.
struct FlowRule {
  enum Kind : uint8_t { kYields, kMakes, kEdits } kind = kYields;
  std::string name;
  Flow::Kind from = Flow::kEncoded;  // kMakes: what has to stand under the name before
  bool optional = false;             // kYields: only where `given`; else: only where the name is there
  std::function<Flow(const Value& params)> made;  // kYields, kMakes: what stands there afterwards
  std::function<bool(const Value& params)> given{};  // kYields: null is always
};

// An input of a batch stage.
struct InputPort {
  std::string name;
  std::vector<std::string> tensors;  // that a batch must have
  bool optional = false;             // may have no edge
};

struct StageDeclaration {
  std::string type;  // <plugin>.<stage>
  std::string help;
  StageKind kind = StageKind::kTransform;
  std::vector<ParamSpec> params;
  std::vector<FlowRule> flows;
  std::vector<InputPort> inputs;  // batch stages; a BatchTransform has one, "in"
  bool observer = false;          // a consumer that does not keep the run alive and may miss batches
  bool edits_batch = false;       // a BatchTransform that writes into its input
  bool takes_sources = false;     // a Source that other sources lead into: OpenContext::sources
  std::string rng_key;            // of a Transform's random stream; empty: StreamKey's default
  std::function<int(const Value& params)> residents;  // BatchTransform: outputs alive at once
  // `params`: every parameter with its default filled in, as validated.
  std::function<std::unique_ptr<Stage>(const Value& params)> create;

  // Names the random stream of a Transform; the `ordinal`-th of its type in its chain, from 0.
  std::string StreamKey(size_t ordinal) const {
    return rng_key.empty() ? type + "#" + std::to_string(ordinal) : rng_key;
  }
};

class ParamRef {
 public:
  explicit ParamRef(ParamSpec& spec) : spec_(&spec) {}
  ParamRef& Range(double min, double max) { spec_->min = min; spec_->max = max; return *this; }
  ParamRef& Min(double min) { spec_->min = min; return *this; }
  ParamRef& Above(double min) { spec_->min = min; spec_->min_exclusive = true; return *this; }
  ParamRef& Unit(std::string unit) { spec_->unit = std::move(unit); return *this; }
  ParamRef& Affects(Effect effect) { spec_->effect = effect; return *this; }
  // Of a consumer, which lives through phases: EnterPhase takes a new value. A struct's fields all do.
  ParamRef& PerPhase() { spec_->per_phase = true; return *this; }
  // Of a map: its names are those of the sources that lead into the stage, each once.
  ParamRef& BySource() { spec_->by_source = true; return *this; }
  ParamRef& Required() { spec_->required = true; return *this; }
  // The parameter was called `name` before; `gone_in`: the version in which that stops working ("0.3").
  ParamRef& WasNamed(std::string name, std::string gone_in = {}) {
    spec_->old_names.push_back({std::move(name), std::move(gone_in)});
    return *this;
  }
  // Makes a string an enum; of a list of strings, each element.
  ParamRef& Choices(std::vector<std::string> choices) {
    TypeSpec& type = spec_->type.kind == ParamKind::kList ? spec_->type.element[0] : spec_->type;
    type.kind = ParamKind::kEnum;
    spec_->choices = std::move(choices);
    return *this;
  }
  // Of a string: names what a plugin provides as `interface`, <plugin>.<thing>, or one of `own`, which
  // need no plugin.
  ParamRef& Provided(std::string interface, std::vector<std::string> own) {
    spec_->provided_as = std::move(interface);
    spec_->choices = std::move(own);
    return *this;
  }
  ParamRef& Sizes(size_t min, size_t max) { spec_->type.min_size = min; spec_->type.max_size = max; return *this; }

 private:
  ParamSpec* spec_;
};

// Declares the fields of a parameter struct P.
template <class P>
class Fields {
 public:
  explicit Fields(std::vector<ParamSpec>& params) : params_(params) {}
  template <class T>
  ParamRef Param(std::string name, T P::*member, std::string help) {
    ParamSpec spec;
    spec.name = std::move(name);
    spec.help = std::move(help);
    spec.type = binder::Binder<T>::Spec();
    spec.default_value = binder::Binder<T>::Read(P{}.*member);
    spec.bind = [member](void* params, const Value& value) {
      binder::Binder<T>::Bind(static_cast<P*>(params)->*member, value);
    };
    spec.read = [member](const void* params) { return binder::Binder<T>::Read(static_cast<const P*>(params)->*member); };
    params_.push_back(std::move(spec));
    return ParamRef(params_.back());
  }

 private:
  std::vector<ParamSpec>& params_;
};

class RuleRef {
 public:
  explicit RuleRef(FlowRule& rule) : rule_(&rule) {}
  RuleRef& Optional() { rule_->optional = true; return *this; }

 private:
  FlowRule* rule_;
};

class PortRef {
 public:
  explicit PortRef(InputPort& port) : port_(&port) {}
  PortRef& Optional() { port_->optional = true; return *this; }

 private:
  InputPort* port_;
};

template <class P>
class Declaration : public Fields<P> {
 public:
  Declaration() : Declaration(std::make_shared<std::vector<ParamSpec>>()) {}

  void Type(std::string type, std::string help) {
    d_.type = std::move(type);
    d_.help = std::move(help);
  }
  // A source gives `flow` under `name`.
  RuleRef Yields(std::string name, Flow flow) {
    return Rule(FlowRule::kYields, std::move(name), {}, [flow](const P&) { return flow; });
  }
  // The same, but only where `given` holds of the parameters.
  RuleRef Yields(std::string name, Flow flow, std::function<bool(const P&)> given) {
    RuleRef rule = Yields(std::move(name), flow);
    d_.flows.back().given = [specs = specs_, given = std::move(given)](const Value& v) { return given(Bound(*specs, v)); };
    return rule.Optional();
  }
  // A transform turns what stands under `name` (of kind `from`) into `made(params)`.
  RuleRef Makes(std::string name, Flow::Kind from, std::function<Flow(const P&)> made) {
    return Rule(FlowRule::kMakes, std::move(name), from, std::move(made));
  }
  // A transform changes the pixels under `name` in place. What it doesn't name, it passes on.
  RuleRef Edits(std::string name) { return Rule(FlowRule::kEdits, std::move(name), Flow::kImage, nullptr); }
  // An input of a batch stage, and the tensors each of its batches must have.
  PortRef Input(std::string name, std::vector<std::string> tensors = {}) {
    d_.inputs.push_back({std::move(name), std::move(tensors), false});
    return PortRef(d_.inputs.back());
  }
  void Observer() { d_.observer = true; }
  void EditsBatch() { d_.edits_batch = true; }
  // A source that draws from other ones. It yields what they all yield alike, and what it says itself.
  void TakesSources() { d_.takes_sources = true; }
  void RngKey(std::string key) { d_.rng_key = std::move(key); }
  void Residents(int P::*count) {
    d_.residents = [specs = specs_, count](const Value& v) { return Bound(*specs, v).*count; };
  }

  // The finished declaration; `create` makes the stage from bound parameters.
  StageDeclaration Finish(StageKind kind, std::function<std::unique_ptr<Stage>(const P&)> create) && {
    d_.kind = kind;
    d_.params = *specs_;
    d_.create = [specs = specs_, create = std::move(create)](const Value& v) { return create(Bound(*specs, v)); };
    if (kind == StageKind::kBatchTransform && d_.inputs.empty()) d_.inputs.push_back({"in", {}, false});
    return std::move(d_);
  }

 private:
  using Specs = std::vector<ParamSpec>;
  explicit Declaration(std::shared_ptr<Specs> specs) : Fields<P>(*specs), specs_(std::move(specs)) {}
  static P Bound(const Specs& specs, const Value& value) {
    P params{};
    for (const ParamSpec& spec : specs) {
      if (const Value* member = value.Find(spec.name)) spec.bind(&params, *member);
    }
    return params;
  }
  RuleRef Rule(FlowRule::Kind kind, std::string name, Flow::Kind from, std::function<Flow(const P&)> made) {
    FlowRule rule{kind, std::move(name), from, false, nullptr, nullptr};
    if (made) {
      rule.made = [specs = specs_, made = std::move(made)](const Value& v) { return made(Bound(*specs, v)); };
    }
    d_.flows.push_back(std::move(rule));
    return RuleRef(d_.flows.back());
  }

  std::shared_ptr<Specs> specs_;
  StageDeclaration d_;
};

namespace binder {

template <class T>
std::vector<ParamSpec> FieldsOf() {
  std::vector<ParamSpec> specs;
  Fields<T> fields(specs);
  T::Declare(fields);
  return specs;
}

}  // namespace binder
}  // namespace flowtrain
