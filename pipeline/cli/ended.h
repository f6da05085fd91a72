// How a command that opens stages ends: what is said, and the exit code.
#pragma once

#include <exception>
#include <string>

#include "pipeline/cli/folder_host.h"

namespace flowtrain::cli {

// 128 + the signal that interrupted a command; 130 where none is known.
int InterruptedBy(int signal);

// Says what ended it, and gives its exit code; `interrupted`: of one that was told to stop.
int Told(FolderHost& host, const std::exception_ptr& cause, int interrupted);

// Names what has not returned and leaves the process: destructors would wait for threads that don't end.
[[noreturn]] void LeaveBehind(FolderHost& host, const std::string& stages, int code);

}  // namespace flowtrain::cli
