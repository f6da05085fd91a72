#include "pipeline/cli/describe_stage.h"

#include <algorithm>
#include <cmath>

#include "pipeline/cli/text_table.h"
#include "pipeline/config/allowed.h"
#include "pipeline/config/framework_params.h"
#include "pipeline/config/nearest.h"
#include "pipeline/config/stage_entries.h"

namespace flowtrain::cli {
namespace {

// One line of the table and what is told beside it.
struct Row {
  std::string name;        // indented by how deep it stands
  std::string preset;      // its default
  std::string help, note;  // note: what it takes, what it affects
};

const char* FlowName(Flow::Kind kind) {
  return kind == Flow::kEncoded ? "encoded bytes" : kind == Flow::kImage ? "an image" : "a label";
}

// As one would write it: 64 MiB, not 67108864.
std::string DefaultText(const ParamSpec& spec) {
  const Value& value = spec.default_value;
  if (spec.type.kind == ParamKind::kDuration && value.is_number())
    return "\"" +
           config::Found(value.AsNumber() == std::floor(value.AsNumber())
                             ? Value(static_cast<int64_t>(value.AsNumber()))
                             : value) +
           " s\"";
  if (value.is_list()) {  // so that it can be wrapped
    std::string text;
    for (const Value& element : value.AsList())
      text += (text.empty() ? "" : ", ") + element.ToJson();
    return "[" + text + "]";
  }
  if (spec.type.kind != ParamKind::kBytes || !value.is_integer()) return value.ToJson();
  return "\"" + BytesText(value.AsInteger()) + "\"";
}

void AddRows(const std::vector<ParamSpec>& params, size_t depth, std::vector<Row>& rows);

void AddNested(const TypeSpec& type, size_t depth, std::vector<Row>& rows) {
  if (!type.element.empty()) AddNested(type.element[0], depth, rows);
  AddRows(type.fields, depth, rows);
  for (const Alternative& alternative : type.alternatives) {
    rows.push_back({std::string(2 * depth, ' ') + type.tag_key + " = \"" + alternative.tag + "\"",
                    "", alternative.help, ""});
    AddRows(alternative.fields, depth + 1, rows);
  }
}

void AddRows(const std::vector<ParamSpec>& params, size_t depth, std::vector<Row>& rows) {
  constexpr size_t kWidestDefault = 16;
  for (const ParamSpec& spec : params) {
    Row row{std::string(2 * depth, ' ') + spec.name, "", spec.help, config::Allowed(spec)};
    if (!spec.unit.empty()) row.note += ", in " + spec.unit;
    if (spec.required) {
      row.preset = "required";
    } else if (spec.type.kind != ParamKind::kStruct || spec.default_value.is_null()) {
      row.preset = DefaultText(spec);  // a struct's fields say theirs
      if (row.preset.size() > kWidestDefault) {
        row.note += "; default " + row.preset;
        row.preset.clear();
      }
    }
    row.note += std::string("; affects ") + EffectName(spec.effect);
    for (const OldName& old : spec.old_names) {
      row.note += "; was named \"" + old.name + "\", which " +
                  (old.gone_in.empty() ? "still works" : "goes in " + old.gone_in);
    }
    rows.push_back(std::move(row));
    AddNested(spec.type, depth + 1, rows);
  }
}

void PrintParams(const std::string& title, const std::vector<ParamSpec>& params, size_t width,
                 std::ostream& out) {
  constexpr size_t kWidestName = 26;
  std::vector<Row> rows;
  AddRows(params, 1, rows);
  size_t name_width = 0, preset_width = 0;
  for (const Row& row : rows) {
    if (row.name.size() <= kWidestName) name_width = std::max(name_width, row.name.size());
    preset_width = std::max(preset_width, row.preset.size());
  }
  const size_t indent = name_width + 2 + preset_width + 2;
  out << '\n' << title << '\n';
  for (const Row& row : rows) {
    std::string head = row.name;
    if (!row.preset.empty()) {
      head.resize(std::max(head.size(), name_width) + 2, ' ');
      head += row.preset;
    }
    // A sentence of its own: its help may end without a full stop.
    out << Paragraph(head, indent, row.help, width);
    if (!row.note.empty()) out << Paragraph("", indent, row.note, width);
  }
}

}  // namespace

const char* EffectName(Effect effect) {
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

std::vector<std::string> FlowLines(const StageDeclaration& declaration) {
  std::vector<std::string> lines;
  for (const FlowRule& rule : declaration.flows) {
    const std::string where = rule.optional ? ", where there is one" : "";
    const std::string name = "\"" + rule.name + "\"";
    if (rule.kind == FlowRule::kYields)
      lines.push_back("yields " + name + (rule.optional ? ", if its parameters ask for it" : ""));
    if (rule.kind == FlowRule::kMakes)
      lines.push_back("makes " + name + " from " + FlowName(rule.from) + where);
    if (rule.kind == FlowRule::kEdits) lines.push_back("edits the image " + name + where);
  }
  if (declaration.takes_sources)
    lines.push_back("yields what the sources that lead into it yield alike");
  for (const InputPort& port : declaration.inputs) {
    lines.push_back("input \"" + port.name + "\"" + (port.optional ? ", may be left out" : "") +
                    (port.tensors.empty() ? "" : ", needs " + config::Quoted(port.tensors)));
  }
  return lines;
}

void DescribeStage(const plugin::RegisteredStage& stage, size_t width, std::ostream& out) {
  const StageDeclaration& declaration = stage.declaration;
  const std::string kind = StageKindName(declaration.kind);
  out << declaration.type << '\n' << Paragraph("", 2, declaration.help, width) << '\n';
  out << "  kind    " << kind << (declaration.observer ? ", observes" : "") << "\n  plugin  "
      << stage.plugin.name << ' ' << stage.plugin.version << "  (" << stage.plugin.path << ")\n";
  const char* head = "  flow";
  for (const std::string& line : FlowLines(declaration)) {
    out << Paragraph(head, 10, line, width);
    head = "";
  }
  if (declaration.params.empty()) {
    out << "\nNo parameters of its own\n";
  } else {
    PrintParams("Parameters", declaration.params, width, out);
  }
  const std::vector<ParamSpec> framework = config::FrameworkSpecs(declaration.kind);
  if (!framework.empty()) PrintParams("Parameters of every " + kind, framework, width, out);
}

void DescribeStaging(size_t width, std::ostream& out) {
  out << "staging\n" << Paragraph("", 2, config::kStagingHelp, width);
  PrintParams("Parameters", binder::FieldsOf<config::StagingParams>(), width, out);
}

}  // namespace flowtrain::cli
