// One parameter of a stage: its kind, bounds, unit, what it affects, help, and how a value reaches the
// member it is declared for. Validation, the schema, `describe` and the reference come from these.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <flowtrain/export.h>
#include <flowtrain/value.h>

namespace flowtrain {

// A path: relative ones are relative to the working folder. Strings like "builtin:x" pass as they are.
struct Path {
  std::string text;
};
// An amount of memory; in a graph "2 GiB", "512 MiB", "64 KiB" or a number of bytes.
struct Bytes {
  uint64_t value = 0;
};
// A span of time; in a graph "30 s", "5 min", "200 ms" or a number of seconds.
struct Duration {
  double seconds = 0;
};

enum class ParamKind : uint8_t { kBool, kInteger, kNumber, kString, kEnum, kPath, kBytes, kDuration, kList, kStruct, kOneOf, kMap };
FLOWTRAIN_API const char* ParamKindName(ParamKind kind);

// What a parameter changes: a resumed run must keep data and training, it may change runtime.
enum class Effect : uint8_t { kData, kTraining, kRuntime };

struct ParamSpec;

// One choice of a one_of: chosen where the tag's value is `tag`.
struct Alternative {
  std::string tag;
  std::string help;
  std::vector<ParamSpec> fields;
};

struct TypeSpec {
  ParamKind kind = ParamKind::kString;
  bool nullable = false;               // std::optional: null, or left out, means "none"
  std::vector<TypeSpec> element;       // kList, kMap: one entry, the element's type
  size_t min_size = 0, max_size = SIZE_MAX;  // kList
  double least = -9.3e18, most = 9.3e18;  // kInteger: what the member's C++ type can hold
  std::vector<ParamSpec> fields;       // kStruct
  std::string tag_key;                 // kOneOf: which member holds the tag
  std::vector<Alternative> alternatives;
};

// A name that a parameter had before: it still works, and the run says so.
struct OldName {
  std::string name;
  std::string gone_in;  // the version in which it stops working; empty: not said
};

struct ParamSpec {
  std::string name;
  std::string help;
  TypeSpec type;
  std::string unit;
  Effect effect = Effect::kData;
  bool required = false;
  bool per_phase = false;              // of a consumer: may change from one phase to the next
  bool by_source = false;              // kMap: has one entry for each source that leads into the stage, by its name
  std::optional<double> min, max;      // numbers; each element of a list or map of numbers; seconds, bytes
  bool min_exclusive = false;
  std::vector<std::string> choices;    // kEnum; a string that is provided_as: names that need no plugin
  std::string provided_as;             // kString: names what a plugin provides as this interface, <plugin>.<thing>
  std::vector<OldName> old_names;
  Value default_value;                 // as it would stand in a graph
  // Sets the member of a Params struct from a value that validation has accepted.
  std::function<void(void* params, const Value& value)> bind;
  // The member's value, as it would stand in a graph.
  std::function<Value(const void* params)> read;
};

}  // namespace flowtrain
