#include "pipeline/run/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "pipeline/run/terminal.h"

namespace flowtrain::run {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds kWindow(10);
constexpr Seconds kPointEvery(0.1);
constexpr Seconds kDrawEvery(0.1);  // on a terminal
constexpr Seconds kLineEvery(5);    // elsewhere

std::string Format(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string Rate(double value, const char* unit) {
  return Format(value >= 9.95 ? "%.0f" : value >= 0.995 ? "%.1f" : "%.2f", value) + unit;
}

std::string StepOf(uint64_t step, uint64_t steps) {
  std::string at = std::to_string(step);
  const std::string of = std::to_string(steps);
  if (at.size() < of.size()) at.insert(0, of.size() - at.size(), ' ');
  return "[" + at + "/" + of + "]";
}

}  // namespace

std::string FormatDuration(double seconds) {
  const auto s = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  char text[40];
  if (s >= 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
  else
    std::snprintf(text, sizeof text, "%02lld:%02lld", s / 60, s % 60);
  return text;
}

std::string FormatProgress(const ProgressLine& line, int width) {
  const ProgressReport& r = line.report;
  std::string head;
  if (r.epochs)
    head = "epoch " + std::to_string(r.epoch) + "/" + std::to_string(r.epochs);
  else if (r.epoch)
    head = "epoch " + std::to_string(r.epoch);
  if (r.phase != "train") head += (head.empty() ? "" : " ") + r.phase;
  if (r.steps) head.append(head.empty() ? "" : " ").append(StepOf(r.step, r.steps));
  std::vector<std::string> parts;
  if (!head.empty()) parts.push_back(head);
  if (line.elapsed_s >= 0)
    parts.push_back(FormatDuration(line.elapsed_s).append(line.left_s >= 0 ? "<" : ""));
  if (line.elapsed_s >= 0 && line.left_s >= 0) parts.back() += FormatDuration(line.left_s);
  if (line.steps_per_s >= 0) parts.push_back(Rate(line.steps_per_s, " it/s"));
  if (line.images_per_s >= 0) parts.push_back(Rate(line.images_per_s, " img/s"));
  if (r.has_loss) parts.push_back("loss " + Format("%.4g", r.loss));
  if (line.waited_share >= 0)
    parts.push_back("waited " + Format("%.0f%%", 100 * line.waited_share));
  if (line.gpu_utilization >= 0)
    parts.push_back("gpu " + Format("%.0f%%", 100 * line.gpu_utilization));

  std::string out;
  for (const std::string& part : parts) {
    const std::string longer = out.empty() ? part : out + "  " + part;
    // One column stays free: a full line would wrap on some terminals.
    if (static_cast<int>(longer.size()) >= width) break;
    out = longer;
  }
  return out;
}

Progress::Progress(Terminal& terminal, std::function<Clock::time_point()> now)
    : terminal_(terminal), now_(std::move(now)) {}

bool Progress::Due(Clock::time_point now) {
  if (!last_shown_) {
    last_shown_ = now;
    return terminal_.interactive();
  }
  if (now - *last_shown_ < (terminal_.interactive() ? kDrawEvery : kLineEvery)) return false;
  last_shown_ = now;
  return true;
}

void Progress::Show(const std::string& line) {
  if (terminal_.interactive())
    terminal_.SetStatus(line);
  else
    terminal_.Print(line);
}

ProgressLine Progress::Measure(const ProgressReport& report, const ProgressTotals& totals,
                               Clock::time_point now) {
  // Training counts through all epochs; other phases (validation) count their own steps.
  const bool train = report.phase == "train" && report.total_steps > 0;
  const Point point{now, train ? report.done_steps : report.step, totals.images, totals.waited_s};
  if (report.phase != phase_ || (!recent_.empty() && point.steps < recent_.back().steps))
    recent_.clear();
  phase_ = report.phase;
  if (recent_.empty() || now - recent_.back().at >= kPointEvery) recent_.push_back(point);
  while (recent_.size() > 2 && now - recent_[1].at >= kWindow) recent_.pop_front();
  if (train && !first_) first_ = point;

  ProgressLine line{report};
  line.gpu_utilization = totals.gpu_utilization;
  const Point& old = recent_.front();
  if (const double dt = Seconds(now - old.at).count(); dt > 0) {
    line.steps_per_s = static_cast<double>(point.steps - old.steps) / dt;
    // A validation's images count when it is through.
    if (point.images > old.images || train)
      line.images_per_s = static_cast<double>(point.images - old.images) / dt;
    line.waited_share = std::min(1.0, std::max(0.0, (point.waited_s - old.waited_s) / dt));
  }
  if (first_) {
    line.elapsed_s = Seconds(now - first_->at).count();
    // Over the whole run, so that validations and checkpoints are reckoned with.
    if (report.done_steps > first_->steps && report.total_steps >= report.done_steps)
      line.left_s = line.elapsed_s * static_cast<double>(report.total_steps - report.done_steps) /
                    static_cast<double>(report.done_steps - first_->steps);
  }
  return line;
}

void Progress::Report(const ProgressReport& report, const ProgressTotals& totals) {
  const Clock::time_point now = now_();
  std::lock_guard lock(mutex_);
  const ProgressLine line = Measure(report, totals, now);
  if (Due(now)) Show(FormatProgress(line, terminal_.interactive() ? terminal_.width() : 1000));
}

void Progress::Opening(const std::string& what, uint64_t done, uint64_t total) {
  std::lock_guard lock(mutex_);
  if (!Due(now_())) return;
  std::string line = what + " " + std::to_string(done);
  if (total) line.append("/").append(std::to_string(total));
  if (terminal_.interactive())
    line.resize(std::min(line.size(), static_cast<size_t>(terminal_.width() - 1)));
  Show(line);
}

void Progress::Finish() { terminal_.SetStatus(""); }

}  // namespace flowtrain::run
