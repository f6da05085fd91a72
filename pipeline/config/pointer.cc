#include "pipeline/config/pointer.h"

namespace flowtrain::config {

std::string Join(const std::string& pointer, const std::string& step) {
  std::string joined = pointer + "/";
  for (const char c : step) {
    if (c == '~') {
      joined += "~0";
    } else if (c == '/') {
      joined += "~1";
    } else {
      joined += c;
    }
  }
  return joined;
}

std::string Join(const std::string& pointer, size_t index) {
  return pointer + "/" + std::to_string(index);
}

bool Split(const std::string& pointer, std::vector<std::string>& steps) {
  steps.clear();
  if (pointer.size() < 2 || pointer[0] != '/') return false;
  for (size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (pointer[i] == '~') {
      const char code = i + 1 < pointer.size() ? pointer[i + 1] : ' ';
      if (code != '0' && code != '1') return false;
      steps.back() += code == '0' ? '~' : '/';
      ++i;
    } else {
      steps.back() += pointer[i];
    }
  }
  return true;
}

}  // namespace flowtrain::config
