#include "pipeline/config/substitute.h"

#include <algorithm>
#include <cctype>

#include "pipeline/config/pointer.h"

namespace flowtrain::config {
namespace {

struct Reference {
  std::string name;
  std::optional<std::string> otherwise;  // after ":-"
};

Reference ParseReference(const std::string& inside) {
  const size_t mark = inside.find(":-");
  if (mark == std::string::npos) return {inside, std::nullopt};
  return {inside.substr(0, mark), inside.substr(mark + 2)};
}

bool IsVariableName(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::string SubstituteText(const std::string& text, const std::string& pointer,
                           const Environment& environment, Faults& faults) {
  std::string out;
  size_t from = 0;
  for (size_t open; (open = text.find("${", from)) != std::string::npos;) {
    out += text.substr(from, open - from);
    const size_t close = text.find('}', open);
    if (close == std::string::npos) {
      faults.Add(pointer, "\"${\" without \"}\" in \"" + text + "\"");
      return text;
    }
    from = close + 1;
    const Reference reference = ParseReference(text.substr(open + 2, close - open - 2));
    if (!IsVariableName(reference.name)) {
      faults.Add(pointer, "\"" + reference.name +
                              "\" is no variable's name; allowed are ${NAME} and ${NAME:-default}");
    } else if (const auto value = environment(reference.name)) {
      out += *value;
    } else if (reference.otherwise) {
      out += *reference.otherwise;
    } else {
      faults.Add(pointer, "the environment variable " + reference.name +
                              " is unset or empty; set it, or write ${" + reference.name +
                              ":-default}");
    }
  }
  return out + text.substr(from);
}

}  // namespace

Value Substitute(const Value& value, const std::string& pointer, const Environment& environment,
                 Faults& faults) {
  if (value.is_string()) return SubstituteText(value.AsString(), pointer, environment, faults);
  if (value.is_list()) {
    Value::List list;
    for (const Value& element : value.AsList())
      list.push_back(Substitute(element, Join(pointer, list.size()), environment, faults));
    return list;
  }
  if (value.is_object()) {
    Value::Object object;
    for (const auto& [key, member] : value.AsObject())
      object.emplace_back(key, Substitute(member, Join(pointer, key), environment, faults));
    return object;
  }
  return value;
}

bool RefersTo(const Value& value, const std::string& variable) {
  if (value.is_string()) {
    const std::string& text = value.AsString();
    return text.find("${" + variable + "}") != std::string::npos ||
           text.find("${" + variable + ":-") != std::string::npos;
  }
  if (value.is_list()) {
    return std::any_of(value.AsList().begin(), value.AsList().end(),
                       [&](const Value& v) { return RefersTo(v, variable); });
  }
  if (!value.is_object()) return false;
  return std::any_of(value.AsObject().begin(), value.AsObject().end(),
                     [&](const auto& m) { return RefersTo(m.second, variable); });
}

}  // namespace flowtrain::config
