#include <flowtrain/error.h>
#include <flowtrain/storage_fault.h>

#include <cerrno>
#include <system_error>

namespace flowtrain {
namespace {

bool MayPass(int error) {
  switch (error) {
    case EIO: case EAGAIN: case EINTR: case ESTALE: case ETIMEDOUT: case ENETDOWN: case ENETUNREACH: case EHOSTDOWN:
    case EHOSTUNREACH: case ECONNRESET: case EMFILE: case ENFILE: case ENOMEM: case EREMOTEIO:
      return true;
    default: return false;
  }
}

}  // namespace

void ThrowStorageFault(const std::string& what, int error) {
  const std::string message = what + ": " + std::generic_category().message(error);
  if (MayPass(error)) throw Transient(message);
  throw Error(message);
}

}  // namespace flowtrain
