#include "stages/data/look_for.h"

#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

namespace fs = std::filesystem;

// Errors that say what a path leads to: their values are file types.
class OtherKind final : public std::error_category {
 public:
  const char* name() const noexcept override { return "other kind of file"; }
  std::string message(int type) const override {
    switch (static_cast<fs::file_type>(type)) {
      case fs::file_type::directory:
        return "a folder";
      case fs::file_type::fifo:
        return "a FIFO";
      case fs::file_type::socket:
        return "a socket";
      case fs::file_type::character:
      case fs::file_type::block:
        return "a device";
      default:
        return "something else";
    }
  }
};

const OtherKind& OtherKinds() {
  static const OtherKind kinds;
  return kinds;
}

}  // namespace

std::error_code LookFor(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  switch (type) {
    case fs::file_type::regular:
      return {};
    case fs::file_type::none:
      return error;
    case fs::file_type::not_found:
      return std::make_error_code(std::errc::no_such_file_or_directory);
    default:
      return {static_cast<int>(type), OtherKinds()};
  }
}

std::string LookFault(const fs::path& path, std::error_code error) {
  const std::string name = Clipped(path.native());
  if (error == std::errc::no_such_file_or_directory) return "there is no file " + name;
  if (error.category() == OtherKinds()) return name + " is " + error.message() + ", no file";
  return "can't look at " + name + ": " + error.message();
}

}  // namespace flowtrain::data
