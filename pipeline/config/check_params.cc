#include "pipeline/config/check_params.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pipeline/config/allowed.h"
#include "pipeline/config/nearest.h"
#include "pipeline/config/pointer.h"
#include "pipeline/config/pytorch_names.h"
#include "pipeline/config/units.h"

namespace flowtrain::config {
namespace {

// One value on its way through the checks: of parameter `spec`, or an element of its list.
struct Checked {
  const ParamSpec& spec;
  const TypeSpec& type;
  std::string pointer;
  Faults& faults;
  const ProvidedCheck& why_not_provided;

  Checked Inner(const TypeSpec& of, std::string at) const {
    return {spec, of, std::move(at), faults, why_not_provided};
  }
};

std::nullopt_t WrongKind(const Checked& c, const Value& value) {
  c.faults.Add(c.pointer, "expected " + Allowed(c.spec, c.type) + ", found " + Found(value));
  return std::nullopt;
}

// Without this it would be a folder named "~" in the current one.
std::optional<Value> CheckPath(const Checked& c, const Value& value) {
  if (!value.is_string()) return WrongKind(c, value);
  const std::string& path = value.AsString();
  if (path != "~" && !path.starts_with("~/")) return value;
  c.faults.Add(c.pointer, "\"~\" is the home folder to a shell only, found " + Found(value) +
                              "; write \"${HOME}" + path.substr(1) + "\"");
  return std::nullopt;
}

// `number` is `value` in the unit of the bounds.
std::optional<Value> InRange(const Checked& c, const Value& value, double number, Value result) {
  const bool below =
      c.spec.min && (c.spec.min_exclusive ? number <= *c.spec.min : number < *c.spec.min);
  const bool above = c.spec.max && number > *c.spec.max;
  if (!below && !above) return result;
  c.faults.Add(c.pointer, Found(value) + " is out of range: expected " + Allowed(c.spec, c.type));
  return std::nullopt;
}

// 1e6 is an integer to the one who writes it; beyond 2^53 doubles have gaps.
bool IsWhole(const Value& value) {
  if (value.is_integer()) return true;
  const double number = value.AsNumber();
  return number == std::floor(number) && std::abs(number) <= 0x1p53;
}
Value Whole(const Value& value) {
  return value.is_integer() ? value : Value(static_cast<int64_t>(value.AsNumber()));
}

std::optional<Value> CheckNumber(const Checked& c, const Value& value) {
  if (!value.is_number()) return WrongKind(c, value);
  const double number = value.AsNumber();
  if (c.type.kind == ParamKind::kNumber) return InRange(c, value, number, number);
  if (number < c.type.least || number > c.type.most) return WrongKind(c, value);
  if (!IsWhole(value)) return WrongKind(c, value);
  return InRange(c, value, number, Whole(value));
}

std::optional<Value> CheckAmount(const Checked& c, const Value& value) {
  const bool bytes = c.type.kind == ParamKind::kBytes;
  Value amount;
  if (value.is_string() && bytes) {
    if (const auto parsed = ParseBytes(value.AsString())) amount = *parsed;
  } else if (value.is_string()) {
    if (const auto parsed = ParseDuration(value.AsString())) amount = *parsed;
  } else if (value.is_number() && (!bytes || IsWhole(value))) {
    amount = bytes ? Whole(value) : Value(value.AsNumber());
  }
  if (amount.is_null() || amount.AsNumber() < 0) return WrongKind(c, value);
  return InRange(c, value, amount.AsNumber(), amount);
}

std::optional<Value> CheckEnum(const Checked& c, const Value& value) {
  if (!value.is_string()) return WrongKind(c, value);
  const auto& choices = c.spec.choices;
  if (std::find(choices.begin(), choices.end(), value.AsString()) != choices.end()) return value;
  c.faults.Add(c.pointer,
               "\"" + value.AsString() + "\" is no choice" + Hint(value.AsString(), choices));
  return std::nullopt;
}

std::optional<Value> CheckString(const Checked& c, const Value& value) {
  if (!value.is_string()) return WrongKind(c, value);
  const std::string& text = value.AsString();
  const auto& own = c.spec.choices;
  if (c.spec.provided_as.empty() || std::find(own.begin(), own.end(), text) != own.end()) return value;
  if (text.find('.') == std::string::npos) {
    c.faults.Add(c.pointer, "\"" + text + "\" is no choice" + Hint(text, own) + kOrProvided);
    return std::nullopt;
  }
  const std::string why = c.why_not_provided ? c.why_not_provided(c.spec.provided_as, text) : "";
  if (why.empty()) return value;
  c.faults.Add(c.pointer, why + "; allowed: " + Allowed(c.spec, c.type));
  return std::nullopt;
}

std::optional<Value> CheckValue(const Checked& c, const Value& value, const Value* defaults);

std::optional<Value> CheckList(const Checked& c, const Value& value) {
  if (!value.is_list()) return WrongKind(c, value);
  const size_t size = value.AsList().size();
  if (size < c.type.min_size || size > c.type.max_size) {
    c.faults.Add(c.pointer, "found " + std::to_string(size) + " elements, expected " +
                                Allowed(c.spec, c.type));
    return std::nullopt;
  }
  Value::List list;
  bool good = true;
  for (size_t i = 0; i < size; ++i) {
    auto element =
        CheckValue(c.Inner(c.type.element[0], Join(c.pointer, i)), value.AsList()[i], nullptr);
    good = good && element;
    if (element) list.push_back(*std::move(element));
  }
  if (!good) return std::nullopt;
  return list;
}

std::optional<Value> CheckMap(const Checked& c, const Value& value) {
  if (!value.is_object()) return WrongKind(c, value);
  Value map{Value::Object{}};
  bool good = true;
  for (const auto& [name, member] : value.AsObject()) {
    auto element = CheckValue(c.Inner(c.type.element[0], Join(c.pointer, name)), member, nullptr);
    good = good && element;
    if (element) map.Set(name, *std::move(element));
  }
  if (!good) return std::nullopt;
  return map;
}

std::optional<Value> CheckOneOf(const Checked& c, const Value& value, const Value* defaults) {
  if (!value.is_object()) return WrongKind(c, value);
  const Value* tag = value.Find(c.type.tag_key);
  std::vector<std::string> tags;
  for (const Alternative& alternative : c.type.alternatives) tags.push_back(alternative.tag);
  if (tag == nullptr) {
    c.faults.Add(c.pointer, "\"" + c.type.tag_key + "\" is missing; allowed: " + Quoted(tags));
    return std::nullopt;
  }
  for (const Alternative& alternative : c.type.alternatives) {
    if (*tag != Value(alternative.tag)) continue;
    const Value* default_tag = defaults ? defaults->Find(c.type.tag_key) : nullptr;
    const bool same = default_tag != nullptr && *default_tag == *tag;
    const Value fields = CheckParams(alternative.fields, value, c.pointer, {c.type.tag_key},
                                     c.faults, c.why_not_provided, same ? defaults : nullptr);
    Value result{Value::Object{{c.type.tag_key, *tag}}};
    if (fields.is_object()) {
      for (const auto& [key, member] : fields.AsObject()) result.Set(key, member);
    }
    return result;
  }
  const std::string found = tag->is_string() ? tag->AsString() : "";
  const std::string pytorch = PyTorchHint(found);
  c.faults.Add(Join(c.pointer, c.type.tag_key),
               pytorch.empty() ? Found(*tag) + " is no choice" + Hint(found, tags)
                               : "no choice: " + pytorch + "; allowed: " + Quoted(tags));
  return std::nullopt;
}

std::optional<Value> CheckValue(const Checked& c, const Value& value, const Value* defaults) {
  if (value.is_null() && c.type.nullable) return value;
  switch (c.type.kind) {
    case ParamKind::kBool:
      return value.is_bool() ? std::optional(value) : WrongKind(c, value);
    case ParamKind::kString:
      return CheckString(c, value);
    case ParamKind::kPath:
      return CheckPath(c, value);
    case ParamKind::kInteger:
    case ParamKind::kNumber:
      return CheckNumber(c, value);
    case ParamKind::kBytes:
    case ParamKind::kDuration:
      return CheckAmount(c, value);
    case ParamKind::kEnum:
      return CheckEnum(c, value);
    case ParamKind::kList:
      return CheckList(c, value);
    case ParamKind::kOneOf:
      return CheckOneOf(c, value, defaults);
    case ParamKind::kMap:
      return CheckMap(c, value);
    case ParamKind::kStruct:
      if (!value.is_object()) return WrongKind(c, value);
      return CheckParams(c.type.fields, value, c.pointer, {}, c.faults, c.why_not_provided, defaults);
  }
  return std::nullopt;
}

void FindUnknown(const std::vector<ParamSpec>& specs, const Value& object,
                 const std::string& pointer, const std::vector<std::string>& beside,
                 Faults& faults) {
  std::vector<std::string> known = beside, old;
  for (const ParamSpec& spec : specs) {
    known.push_back(spec.name);
    for (const OldName& name : spec.old_names) old.push_back(name.name);
  }
  for (const auto& [key, value] : object.AsObject()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (std::find(old.begin(), old.end(), key) != old.end()) continue;
    const std::string pytorch = PyTorchHint(key);
    faults.Add(Join(pointer, key),
               pytorch.empty() ? "unknown parameter \"" + key + "\"" + Hint(key, known)
                               : "unknown parameter: " + pytorch + "; allowed: " + Quoted(known));
  }
}

// Under which of its names `spec` is given; its present one where it is not.
std::string NameUsed(const ParamSpec& spec, const Value& object, const std::string& pointer,
                     Faults& faults) {
  std::string used;
  if (object.Find(spec.name) != nullptr) used = spec.name;
  for (const OldName& old : spec.old_names) {
    if (object.Find(old.name) == nullptr) continue;
    const std::string renamed = "was renamed to \"" + spec.name + "\"";
    if (used.empty()) {
      used = old.name;
      faults.Note(Join(pointer, old.name),
                  renamed + (old.gone_in.empty() ? "; the old name still works for now"
                                                 : "; the old name goes in " + old.gone_in));
    } else {
      faults.Add(Join(pointer, old.name),
                 renamed + ", and \"" + used + "\" is given too; keep \"" + spec.name + "\" only");
    }
  }
  return used.empty() ? spec.name : used;
}

}  // namespace

Value CheckParams(const std::vector<ParamSpec>& specs, const Value& object,
                  const std::string& pointer, const std::vector<std::string>& beside,
                  Faults& faults, const ProvidedCheck& why_not_provided, const Value* defaults) {
  FindUnknown(specs, object, pointer, beside, faults);
  Value result{Value::Object{}};
  for (const ParamSpec& spec : specs) {
    const Value* outer = defaults ? defaults->Find(spec.name) : nullptr;
    const Value& fallback = outer ? *outer : spec.default_value;
    const std::string name = NameUsed(spec, object, pointer, faults);
    const Value* written = object.Find(name);
    const Checked checked{spec, spec.type, Join(pointer, name), faults, why_not_provided};
    std::optional<Value> value;
    if (written != nullptr) {
      value = CheckValue(checked, *written, &fallback);
    } else if (spec.required) {
      faults.Add(pointer, "\"" + spec.name + "\" is missing: expected " + Allowed(spec));
    } else if (spec.type.kind == ParamKind::kStruct && !spec.type.nullable) {
      // A struct that is left out may still have a field that must be given.
      value = CheckParams(spec.type.fields, Value(Value::Object{}), checked.pointer, {}, faults,
                          why_not_provided, &fallback);
    }
    result.Set(spec.name, value ? *std::move(value) : fallback);
  }
  return result;
}

}  // namespace flowtrain::config
