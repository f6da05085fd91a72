#include "stages/data/common_folder.h"

#include <algorithm>

namespace flowtrain::data {

void CommonFolder::Add(std::string_view path) {
  if (any_ && path.starts_with(folder_)) return;
  const std::string_view common(
      path.begin(),
      any_ ? std::mismatch(path.begin(), path.end(), folder_.begin(), folder_.end()).first
           : path.end());
  const size_t slash = common.rfind('/');
  folder_ = common.substr(0, slash == common.npos ? 0 : slash + 1);
  any_ = true;
}

}  // namespace flowtrain::data
