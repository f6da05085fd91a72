// What the plugins `provider` and `seeker` agree on.
#pragma once

struct Thing {
  static constexpr const char* kInterface = "tests.Thing/1";
  virtual ~Thing() = default;
  virtual int Number() const = 0;
};
