#include <flowtrain/testing/made_stage.h>

#include <algorithm>
#include <fstream>

namespace flowtrain::testing {

Value WithDefaults(const StageDeclaration& declaration, const Value& params) {
  Value filled{Value::Object{}};
  for (const ParamSpec& spec : declaration.params) {
    const Value* given = params.Find(spec.name);
    if (given == nullptr && spec.required)
      throw Error(declaration.type + " needs the parameter \"" + spec.name + "\"");
    filled.Set(spec.name, given != nullptr ? *given : spec.default_value);
  }
  if (params.is_object()) {
    for (const auto& [name, value] : params.AsObject()) {
      const bool known =
          std::any_of(declaration.params.begin(), declaration.params.end(),
                      [&name = name](const ParamSpec& spec) { return spec.name == name; });
      if (!known) throw Error(declaration.type + " has no parameter \"" + name + "\"");
    }
  }
  return filled;
}

void TestOpenContext::Progress(const std::string&, uint64_t, uint64_t) {
  if (++progress_calls == cancel_at_progress) throw Cancelled();
}

std::filesystem::path TestOpenContext::cache_dir() const {
  if (cache.empty()) throw Error("this test gave no cache folder");
  std::filesystem::create_directories(cache);
  return cache;
}

const InputInfo& TestOpenContext::input(std::string_view name) const {
  const auto found = inputs.find(name);
  if (found == inputs.end()) throw Error("no input \"" + std::string(name) + "\"");
  return found->second;
}

void* TestOpenContext::FindProvided(const std::string& interface, const std::string& name) {
  std::string known;
  for (const Provision& provision : provisions) {
    if (provision.interface == interface && provision.name == name) {
      found_.push_back(provision.make());
      return found_.back().get();
    }
    known += (known.empty() ? "" : ", ") + provision.name + " (" + provision.interface + ")";
  }
  if (find_elsewhere) return find_elsewhere(interface, name);
  throw Error("nothing provides \"" + name + "\" as " + interface + "; this test provides " +
              (known.empty() ? "nothing" : known));
}

Buffer TestReadContext::ReadFile(const std::filesystem::path& path) {
  Buffer buffer = ReadWhole(path, [] { return false; });
  files.push_back(path);
  return buffer;
}

Buffer TestReadContext::ReadPart(const FilePart& part) {
  return ReadPiece(part, [] { return false; });
}

std::unique_ptr<Stage> MakeStage(const StageDeclaration& declaration, const Value& params,
                                 OpenContext& context) {
  std::unique_ptr<Stage> stage = declaration.create(WithDefaults(declaration, params));
  stage->Open(context);
  return stage;
}

}  // namespace flowtrain::testing
