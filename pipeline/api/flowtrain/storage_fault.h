// For sources that call the system themselves: which faults of storage another try may not meet. The
// engine tries those again (Transient, flowtrain/error.h).
#pragma once

#include <string>

#include <flowtrain/export.h>

namespace flowtrain {

// error: errno of the call. Throws Transient where the server is away, descriptors ran out or the link
// hiccuped, else Error; `what` ("can't read a.tar") stands before the system's words.
[[noreturn]] FLOWTRAIN_API void ThrowStorageFault(const std::string& what, int error);

}  // namespace flowtrain
