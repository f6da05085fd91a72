#include "pipeline/cli/describe_stage.h"

#include "pipeline/config/allowed.h"
#include "pipeline/config/framework_params.h"
#include "pipeline/config/nearest.h"
#include "pipeline/config/stage_entries.h"

namespace flowtrain::cli {
namespace {

const char* EffectText(Effect effect) {
  switch (effect) {
    case Effect::kData:
      return "data";
    case Effect::kTraining:
      return "training";
    case Effect::kRuntime:
      return "runtime";
  }
  return "";
}

void PrintParams(const std::vector<ParamSpec>& params, const std::string& indent,
                 std::ostream& out);

void PrintNested(const TypeSpec& type, const std::string& indent, std::ostream& out) {
  if (type.kind == ParamKind::kList) PrintNested(type.element[0], indent, out);
  PrintParams(type.fields, indent, out);
  for (const Alternative& alternative : type.alternatives) {
    out << indent << type.tag_key << " = \"" << alternative.tag << "\": " << alternative.help
        << '\n';
    PrintParams(alternative.fields, indent + "  ", out);
  }
}

void PrintParams(const std::vector<ParamSpec>& params, const std::string& indent,
                 std::ostream& out) {
  for (const ParamSpec& spec : params) {
    out << indent << spec.name << ": " << config::Allowed(spec)
        << (spec.unit.empty() ? "" : ", in " + spec.unit);
    if (spec.required) {
      out << "; required";
    } else if (spec.type.kind != ParamKind::kStruct || spec.default_value.is_null()) {
      out << "; default " << spec.default_value.ToJson();  // a struct's fields say theirs
    }
    out << "; affects " << EffectText(spec.effect) << '\n' << indent << "    " << spec.help << '\n';
    PrintNested(spec.type, indent + "  ", out);
  }
}

const char* FlowName(Flow::Kind kind) {
  return kind == Flow::kEncoded ? "encoded bytes" : kind == Flow::kImage ? "an image" : "a label";
}

void PrintFlows(const StageDeclaration& declaration, std::ostream& out) {
  for (const FlowRule& rule : declaration.flows) {
    const char* where = rule.optional ? ", where there is one" : "";
    if (rule.kind == FlowRule::kYields) out << "  yields \"" << rule.name << "\"\n";
    if (rule.kind == FlowRule::kMakes)
      out << "  makes \"" << rule.name << "\" from " << FlowName(rule.from) << where << '\n';
    if (rule.kind == FlowRule::kEdits)
      out << "  edits the image \"" << rule.name << '"' << where << '\n';
  }
  for (const InputPort& port : declaration.inputs) {
    out << "  input \"" << port.name << '"' << (port.optional ? ", may be left out" : "");
    if (!port.tensors.empty()) out << ", needs " << config::Quoted(port.tensors);
    out << '\n';
  }
}

}  // namespace

void DescribeStage(const plugin::RegisteredStage& stage, std::ostream& out) {
  const StageDeclaration& declaration = stage.declaration;
  out << declaration.type << "  [" << StageKindName(declaration.kind)
      << (declaration.observer ? ", observes" : "") << "]  " << declaration.help << "\nplugin "
      << stage.plugin.name << ' ' << stage.plugin.version << "  (" << stage.plugin.path << ")\n";
  PrintFlows(declaration, out);
  out << (declaration.params.empty() ? "no parameters\n" : "parameters\n");
  PrintParams(declaration.params, "  ", out);
  const std::vector<ParamSpec> framework = config::FrameworkSpecs(declaration.kind);
  if (!framework.empty()) out << "parameters of every " << StageKindName(declaration.kind) << '\n';
  PrintParams(framework, "  ", out);
}

void DescribeStaging(std::ostream& out) {
  out << "staging  " << kStagingHelp << "\nparameters\n";
  PrintParams(binder::FieldsOf<config::StagingParams>(), "  ", out);
}

}  // namespace flowtrain::cli
