#include "pipeline/config/faults.h"

#include <algorithm>
#include <cstdio>

#include "pipeline/config/control_characters.h"

namespace flowtrain::config {
namespace {

// A graph may hold any character in its strings; a terminal gets none that steers it.
std::string Visible(const std::string& text) {
  std::string visible;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t control = ControlBytes(text, i);
    if (control == 0) {
      visible += text[i];
      continue;
    }
    i += control - 1;  // of Latin-1, the last byte is the character's number
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(text[i]));
    visible += escaped;
  }
  return visible;
}

// A value that a message quotes may be megabytes: what stands between two quotes, or before the first
// one, is cut.
std::string Short(const std::string& text) {
  constexpr size_t kLongest = 1000, kKept = 200;
  std::string out;
  for (size_t from = 0; from <= text.size();) {
    const size_t quote = std::min(text.find('"', from), text.size());
    size_t kept = quote - from;
    if (kept > kLongest) {
      kept = kKept;
      while (kept > 0 && (text[from + kept] & 0xC0) == 0x80) --kept;  // no half of a character
    }
    out.append(text, from, kept);
    if (kept < quote - from) out += "…";
    if (quote < text.size()) out += '"';
    from = quote + 1;
  }
  return out;
}

// A message may quote many values: the whole of it is cut too.
std::string Clipped(std::string text) {
  constexpr size_t kLongest = 2000;
  if (text.size() <= kLongest) return text;
  size_t kept = kLongest;
  while (kept > 0 && (text[kept] & 0xC0) == 0x80) --kept;
  return text.substr(0, kept) + "…";
}

std::string Joined(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    if (!text.empty()) text += '\n';
    text += fault.ToString();
  }
  return text;
}

}  // namespace

std::string Fault::ToString() const {
  return Clipped(
      Visible(file + ": " + (pointer.empty() ? "" : Short(pointer) + ": ") + Short(message)));
}

GraphError::GraphError(std::vector<Fault> faults)
    : std::runtime_error(Joined(faults)), faults_(std::move(faults)) {}

void Faults::AddNew(const Faults& other, const std::string& where) {
  const std::vector<Fault> mine = faults_;
  for (const Fault& fault : other.faults_) {
    const auto same = [&fault](const Fault& known) {
      return known.pointer == fault.pointer && known.message == fault.message;
    };
    if (std::none_of(mine.begin(), mine.end(), same)) Add(fault.pointer, where + fault.message);
  }
  for (const std::string& note : other.notes_) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  }
}

size_t Faults::PlaceOf(std::string pointer) const {
  while (true) {
    if (const auto found = places_.find(pointer); found != places_.end()) return found->second;
    const size_t slash = pointer.rfind('/');
    // What is missing altogether is reported after what is there.
    if (slash == std::string::npos || slash == 0) return SIZE_MAX;
    pointer.resize(slash);  // set from outside the file: stands where its parent does
  }
}

void Faults::ThrowIfAny() const {
  if (size() == 0) return;
  std::vector<Fault> all = faults_;
  std::stable_sort(all.begin(), all.end(), [this](const Fault& a, const Fault& b) {
    return PlaceOf(a.pointer) < PlaceOf(b.pointer);
  });
  if (count_ > faults_.size())
    all.push_back({file_, "", "and " + std::to_string(count_ - faults_.size()) + " more faults"});
  all.insert(all.end(), option_faults_.begin(), option_faults_.end());
  throw GraphError(std::move(all));
}

}  // namespace flowtrain::config
