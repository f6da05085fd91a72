// What the plugins that provide colours and those that use them agree on. The number in kInterface is
// raised by every change of this class: a plugin built with the old header is then told so.
#pragma once

namespace palette {

struct Colour {
  int red = 0, green = 0, blue = 0;  // 0 to 255
};

class Palette {
 public:
  static constexpr const char* kInterface = "example.Palette/1";
  virtual ~Palette() = default;
  virtual Colour Tint() const = 0;
};

}  // namespace palette
