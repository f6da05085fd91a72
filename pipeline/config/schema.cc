#include "pipeline/config/schema.h"

#include <string>
#include <utility>

#include "pipeline/config/checkpoint_tag.h"
#include "pipeline/config/framework_params.h"
#include "pipeline/config/graph_name.h"
#include "pipeline/config/phases.h"
#include "pipeline/config/schema_types.h"
#include "pipeline/config/stage_entries.h"

namespace flowtrain::config {
namespace {

using Object = Value::Object;
using List = Value::List;

constexpr const char* kDescription =
    "A graph file as it is written, once its // comments are taken out (they are allowed, but are "
    "no "
    "JSON). This describes the top level, the stages that were found and their parameters. What "
    "only "
    "`flowtrain validate` knows is left out: whether the edges fit (connections, circles, what "
    "flows "
    "through them, shapes), what profiles, phases and --set put over the file, the values of "
    "${VARIABLES} "
    "(a string with one passes wherever a string may stand), the range of an amount written with a "
    "unit, keys that stand twice, whole numbers beyond 2^53 written with an exponent or a point. "
    "What "
    "a stage finds when it starts, such as a folder that is not there, is left out too.";

Value StageSchema(const std::string& type, const std::string& help,
                  const std::vector<ParamSpec>& specs) {
  Value schema = Object{{"title", type}, {"description", help}};
  const Value object = ObjectSchema(specs, {{"type", Object{{"const", type}}}});
  for (const auto& [key, member] : object.AsObject()) schema.Set(key, member);
  return schema;
}

// Any stage: which one is said by its type.
Value AnyStage(const Object& stages) {
  List types, cases;
  for (const auto& [type, schema] : stages) {
    types.emplace_back(type);
    cases.push_back(Where("type", type, Object{{"$ref", "#/$defs/" + type}}));
  }
  Value type = OrReference(Object{{"enum", std::move(types)}});
  type.Set("description", "The stage's type, <plugin>.<stage>, or staging.");
  return Object{{"type", "object"},
                {"properties", Object{{"type", std::move(type)}}},
                {"required", List{"type"}},
                {"allOf", std::move(cases)}};
}

Value Edges() {
  return Object{{"description", "Chains such as \"files -> decode -> staging -> trainer.train\"."},
                {"type", "array"},
                {"items", OrReference(Object{{"$ref", "#/$defs/text"}, {"pattern", "->"}})}};
}

Value Profiles() {
  const Value text = Object{{"type", "string"}};
  return Object{
      {"description",
       "Named sets of overrides; one with when_unset applies by itself while that variable is "
       "unset."},
      {"type", "object"},
      {"propertyNames", Object{{"not", Object{{"const", "none"}}}}},
      {"additionalProperties",
       Object{{"type", "object"},
              {"properties",
               Object{{"when_unset", text}, {"why", text}, {"set", Object{{"type", "object"}}}}},
              {"additionalProperties", false}}}};
}

// What a phase sets is put over the file like --set: only where it may point is said here.
Value Phases() {
  const Value pointers = Object{{"pattern", "^/stages/[^/]+/(?!type(/|$))."}};
  const Value phase = Object{
      {"type", "object"},
      {"properties", Object{{"name", OrReference(Object{{"type", "string"}, {"pattern", TagPattern(kLongestPhaseName)}})},
                            {"epochs", Object{{"type", "integer"}, {"minimum", 1}, {"maximum", kMostEpochs}}},
                            {"set", Object{{"type", "object"}, {"propertyNames", pointers}}}}},
      {"required", List{"name", "epochs"}},
      {"additionalProperties", false}};
  return Object{{"description", "What the run goes through, one after the other."},
                {"type", "array"},
                {"minItems", 1},
                {"items", phase}};
}

Value Stages() {
  return Object{{"description", "The stages by name."},
                {"type", "object"},
                {"minProperties", 1},
                {"propertyNames", Object{{"pattern", "^[A-Za-z0-9_-]+$"}}},
                {"additionalProperties", Object{{"$ref", "#/$defs/stage"}}}};
}

}  // namespace

Value GraphSchema(const std::vector<const StageDeclaration*>& stages) {
  Object found;
  for (const StageDeclaration* stage : stages) {
    std::vector<ParamSpec> specs = stage->params;
    const std::vector<ParamSpec> framework = FrameworkSpecs(stage->kind);
    specs.insert(specs.end(), framework.begin(), framework.end());
    found.emplace_back(stage->type, StageSchema(stage->type, stage->help, specs));
  }
  found.emplace_back("staging",
                     StageSchema("staging", kStagingHelp, binder::FieldsOf<StagingParams>()));

  Value schema = Object{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"title", "flowtrain graph"},
                        {"description", kDescription}};
  const Value top =
      ObjectSchema(binder::FieldsOf<Top>(), {{"stages", Stages()}, {"edges", Edges()}});
  for (const auto& [key, member] : top.AsObject()) schema.Set(key, member);
  Value* properties = schema.Find("properties");
  properties->Find("name")->Set(
      "anyOf", List{Object{{"pattern", "^([A-Za-z0-9_-][A-Za-z0-9_.-]*)?$"}, {"maxLength", kLongestGraphName}}, ReferenceSchema()});
  properties->Set("profiles", Profiles());
  properties->Set("phases", Phases());

  Value reference = Object{{"$ref", "#/$defs/text"}, {"pattern", "\\$\\{"}};
  Object definitions{
      {"text", TextSchema()}, {"reference", std::move(reference)}, {"stage", AnyStage(found)}};
  for (auto& definition : found) definitions.push_back(std::move(definition));
  schema.Set("$defs", std::move(definitions));
  return schema;
}

}  // namespace flowtrain::config
