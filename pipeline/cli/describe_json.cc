#include "pipeline/cli/describe_json.h"

#include "pipeline/cli/describe_stage.h"
#include "pipeline/config/framework_params.h"
#include "pipeline/config/stage_entries.h"

namespace flowtrain::cli {
namespace {

using List = Value::List;

const char* KindWord(ParamKind kind) {
  static constexpr const char* kWords[] = {"bool",  "integer",  "number", "string", "enum",  "path",
                                           "bytes", "duration", "list",   "struct", "one_of", "map"};
  return kWords[static_cast<size_t>(kind)];
}

const char* FlowWord(Flow::Kind kind) {
  return kind == Flow::kEncoded ? "encoded" : kind == Flow::kImage ? "image" : "label";
}

Value Strings(const std::vector<std::string>& strings) {
  return List(strings.begin(), strings.end());
}

Value ParamsJson(const std::vector<ParamSpec>& params);

void AddType(const TypeSpec& type, Value& json) {
  json.Set("kind", KindWord(type.kind));
  json.Set("nullable", type.nullable);
  if (type.kind == ParamKind::kList) {
    Value element;
    AddType(type.element[0], element);
    json.Set("element", std::move(element));
    json.Set("min_size", static_cast<int64_t>(type.min_size));
    if (type.max_size != SIZE_MAX) json.Set("max_size", static_cast<int64_t>(type.max_size));
  }
  if (type.kind == ParamKind::kMap) {
    Value element;
    AddType(type.element[0], element);
    json.Set("element", std::move(element));
  }
  if (type.kind == ParamKind::kStruct) json.Set("fields", ParamsJson(type.fields));
  if (type.kind != ParamKind::kOneOf) return;
  json.Set("tag", type.tag_key);
  List alternatives;
  for (const Alternative& alternative : type.alternatives) {
    alternatives.push_back(Value::Object{{"tag", alternative.tag},
                                         {"help", alternative.help},
                                         {"fields", ParamsJson(alternative.fields)}});
  }
  json.Set("alternatives", std::move(alternatives));
}

Value ParamJson(const ParamSpec& spec) {
  Value json = Value::Object{{"name", spec.name}, {"help", spec.help}};
  AddType(spec.type, json);
  json.Set("affects", EffectName(spec.effect));
  json.Set("required", spec.required);
  if (!spec.required) json.Set("default", spec.default_value);
  if (!spec.unit.empty()) json.Set("unit", spec.unit);
  if (spec.min) json.Set(spec.min_exclusive ? "above" : "min", *spec.min);
  if (spec.max) json.Set("max", *spec.max);
  if (spec.by_source) json.Set("by_source", true);
  if (!spec.choices.empty()) json.Set("choices", Strings(spec.choices));
  if (!spec.provided_as.empty()) json.Set("provided_as", spec.provided_as);
  if (spec.old_names.empty()) return json;
  List old_names;
  for (const OldName& old : spec.old_names) {
    old_names.push_back(Value::Object{{"name", old.name}, {"gone_in", old.gone_in}});
  }
  json.Set("old_names", std::move(old_names));
  return json;
}

Value ParamsJson(const std::vector<ParamSpec>& params) {
  List list;
  for (const ParamSpec& spec : params) list.push_back(ParamJson(spec));
  return list;
}

Value FlowsJson(const StageDeclaration& declaration) {
  static constexpr const char* kDoes[] = {"yields", "makes", "edits"};
  List flows;
  for (const FlowRule& rule : declaration.flows) {
    Value flow = Value::Object{{"does", kDoes[rule.kind]}, {"name", rule.name}};
    if (rule.kind != FlowRule::kYields) flow.Set("from", FlowWord(rule.from));
    flow.Set("optional", rule.optional);
    flows.push_back(std::move(flow));
  }
  return flows;
}

Value InputsJson(const StageDeclaration& declaration) {
  List inputs;
  for (const InputPort& port : declaration.inputs) {
    inputs.push_back(Value::Object{
        {"name", port.name}, {"tensors", Strings(port.tensors)}, {"optional", port.optional}});
  }
  return inputs;
}

}  // namespace

Value StageJson(const plugin::RegisteredStage& stage) {
  const StageDeclaration& declaration = stage.declaration;
  return Value::Object{
      {"type", declaration.type},
      {"help", declaration.help},
      {"kind", StageKindName(declaration.kind)},
      {"observer", declaration.observer},
      {"takes_sources", declaration.takes_sources},
      {"plugin", Value::Object{{"name", stage.plugin.name},
                               {"version", stage.plugin.version},
                               {"path", stage.plugin.path}}},
      {"flows", FlowsJson(declaration)},
      {"inputs", InputsJson(declaration)},
      {"parameters", ParamsJson(declaration.params)},
      {"framework_parameters", ParamsJson(config::FrameworkSpecs(declaration.kind))}};
}

Value StagingJson() {
  return Value::Object{
      {"type", "staging"},
      {"help", config::kStagingHelp},
      {"kind", "staging"},
      {"parameters", Value(List{})},
      {"framework_parameters", ParamsJson(binder::FieldsOf<config::StagingParams>())}};
}

}  // namespace flowtrain::cli
