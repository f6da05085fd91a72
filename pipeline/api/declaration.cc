#include <flowtrain/declaration.h>

namespace flowtrain {

const char* StageKindName(StageKind kind) {
  switch (kind) {
    case StageKind::kSource: return "source";
    case StageKind::kTransform: return "transform";
    case StageKind::kBatchTransform: return "batch transform";
    case StageKind::kConsumer: return "consumer";
  }
  return "?";
}

const char* ParamKindName(ParamKind kind) {
  switch (kind) {
    case ParamKind::kBool: return "boolean";
    case ParamKind::kInteger: return "integer";
    case ParamKind::kNumber: return "number";
    case ParamKind::kString: return "string";
    case ParamKind::kEnum: return "choice";
    case ParamKind::kPath: return "path";
    case ParamKind::kBytes: return "size in bytes";
    case ParamKind::kDuration: return "duration";
    case ParamKind::kList: return "list";
    case ParamKind::kStruct: return "object";
    case ParamKind::kOneOf: return "object (one of several)";
    case ParamKind::kMap: return "object (by name)";
  }
  return "?";
}

}  // namespace flowtrain
