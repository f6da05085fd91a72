// Standard error, shared by the log and the progress line: a message first clears the line, which
// is then drawn again below it. The program owns one; any thread may write.
#pragma once

#include <mutex>
#include <string>

namespace flowtrain::run {

class Terminal {
 public:
  explicit Terminal(int fd = 2);

  bool interactive() const { return interactive_; }
  int width() const;  // columns; 80 where they are unknown

  void Print(const std::string& line);      // a line for good
  void SetStatus(const std::string& line);  // the last line, drawn anew; empty: gone. Nothing where
                                            // not interactive.

 private:
  const int fd_;
  const bool interactive_;
  std::mutex mutex_;  // guards the descriptor and status_
  std::string status_;
};

}  // namespace flowtrain::run
