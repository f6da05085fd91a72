#include <flowtrain/command.h>

namespace flowtrain {

Command::~Command() = default;

}  // namespace flowtrain
