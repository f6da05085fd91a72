#include "pipeline/cli/ended.h"

#include <unistd.h>

#include <csignal>

#include <flowtrain/error.h>

#include "pipeline/cli/exit_codes.h"
#include "pipeline/graph/outcome.h"

namespace flowtrain::cli {

int InterruptedBy(int signal) { return 128 + (signal == 0 ? SIGINT : signal); }

int Told(FolderHost& host, const std::exception_ptr& cause, int interrupted) {
  host.FinishProgress();
  try {
    std::rethrow_exception(cause);
  } catch (const Cancelled&) {
    return interrupted;
  } catch (const graph::OpenRefused& refused) {
    host.Error(refused.what());
    return kBadGraph;
  } catch (const std::exception& error) {
    host.Error(error.what());
    return kFailed;
  }
}

void LeaveBehind(FolderHost& host, const std::string& stages, int code) {
  host.Error("did not return and is left behind: " + stages);
  _exit(code);
}

}  // namespace flowtrain::cli
