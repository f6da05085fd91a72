#include "pipeline/run/log.h"

#include <flowtrain/error.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <mutex>
#include <string>
#include <vector>

#include "pipeline/config/control_characters.h"
#include "pipeline/run/line_file.h"
#include "pipeline/run/terminal.h"

namespace flowtrain::run {
namespace {

class TerminalSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit TerminalSink(Terminal& terminal) : terminal_(terminal) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    terminal_.Print(std::string(line.data(), line.size()));
  }
  void flush_() override {}

  Terminal& terminal_;
};

// log.txt, and before it stands the lines for it.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(Terminal& terminal) : terminal_(terminal) {}

  void OpenFile(const std::filesystem::path& path) {
    auto file = std::make_unique<LineFile>(path);
    std::lock_guard lock(mutex_);
    for (const std::string& line : earlier_) file->Append(line);
    earlier_.clear();
    file_ = std::move(file);
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    const std::string line(text.data(), text.size());
    if (!file_) {
      earlier_.push_back(line);
      return;
    }
    try {
      file_->Append(line);
    } catch (const flowtrain::Error& e) {
      if (!failed_) terminal_.Print(std::string(e.what()) + " (the run goes on; said once)");
      failed_ = true;
    }
  }
  void flush_() override {}

  // base_sink's mutex_ guards what follows.
  Terminal& terminal_;
  std::unique_ptr<LineFile> file_;
  std::vector<std::string> earlier_;
  bool failed_ = false;
};

// A file's name may hold what steers a terminal.
std::string OneLine(const std::string& message) {
  std::string out;
  for (size_t i = 0; i < message.size(); ++i) {
    const size_t control = config::ControlBytes(message, i);
    if (message[i] == '\n') {
      out += " | ";
    } else if (message[i] == '\t' || control == 0) {
      out += message[i];
    } else if (message[i] != '\r') {
      out += '?';
      i += control - 1;
    }
  }
  return out;
}

}  // namespace

struct Log::Parts {
  std::shared_ptr<FileSink> file;  // spdlog's sinks are shared
  std::unique_ptr<spdlog::logger> logger;

  void Write(spdlog::level::level_enum level, const std::string& message) {
    logger->log(level, spdlog::string_view_t(OneLine(message)));
  }
};

Log::Log(Terminal& terminal) : parts_(std::make_unique<Parts>()) {
  auto console = std::make_shared<TerminalSink>(terminal);
  parts_->file = std::make_shared<FileSink>(terminal);
  // Lines end where they are written, so without an end of line here.
  using Pattern = spdlog::pattern_formatter;
  console->set_formatter(
      std::make_unique<Pattern>("%H:%M:%S %-8l %v", spdlog::pattern_time_type::local, ""));
  parts_->file->set_formatter(
      std::make_unique<Pattern>("%Y-%m-%d %H:%M:%S %-8l %v", spdlog::pattern_time_type::local, ""));
  parts_->logger =
      std::make_unique<spdlog::logger>("run", spdlog::sinks_init_list{console, parts_->file});
}

Log::~Log() = default;

void Log::OpenFile(const std::filesystem::path& path) { parts_->file->OpenFile(path); }
void Log::Info(const std::string& message) { parts_->Write(spdlog::level::info, message); }
void Log::Warn(const std::string& message) { parts_->Write(spdlog::level::warn, message); }
void Log::Error(const std::string& message) { parts_->Write(spdlog::level::err, message); }

}  // namespace flowtrain::run
