#include <flowtrain/error.h>

namespace flowtrain {

// Out of line so that each class's type information has one home, shared by all plugins.
Error::~Error() = default;
BadSample::~BadSample() = default;
Transient::~Transient() = default;
Cancelled::~Cancelled() = default;

}  // namespace flowtrain
