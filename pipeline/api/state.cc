#include <flowtrain/state.h>

#include <flowtrain/error.h>

namespace flowtrain {

const Value& State::Get(const std::string& key) const {
  if (const Value* value = values_.Find(key)) return *value;
  throw Error("the checkpoint " + folder_.string() + " has no \"" + key + "\"");
}

}  // namespace flowtrain
