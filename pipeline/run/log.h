// The run's log: standard error and, once the run folder stands, log.txt in it. Any thread may
// write.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace flowtrain::run {

class Terminal;

class Log {
 public:
  explicit Log(Terminal& terminal);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // From here on also into the file (appended); what was logged before is written first. Throws
  // Error.
  void OpenFile(const std::filesystem::path& path);

  // One line a message: "12:31:02 warning  text" (in the file with the date). Line breaks in a
  // message become " | ". Each line is handed to the kernel at once; a full disk is said once and
  // ends nothing.
  void Info(const std::string& message);
  void Warn(const std::string& message);
  void Error(const std::string& message);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace flowtrain::run
