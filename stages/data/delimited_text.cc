#include "stages/data/delimited_text.h"

#include <algorithm>

namespace flowtrain::data {
namespace {

constexpr size_t kMostFields = 1000;  // of a record: a gigabyte of delimiters is no row

}  // namespace

bool DelimitedReader::AtLineEnd() const {
  return at_ == text_.size() || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
}

void DelimitedReader::SkipLineEnd() {
  if (at_ == text_.size()) return;
  at_ += text_[at_] == '\r' ? 2 : 1;
  ++line_;
}

// Ends at a delimiter or a line's end, unless there is a fault.
std::string DelimitedReader::Field(std::string& fault) {
  std::string field;
  if (at_ == text_.size() || text_[at_] != '"') {
    const size_t begin = at_;
    while (!AtLineEnd() && text_[at_] != delimiter_ && text_[at_] != '"' && text_[at_] != '\r')
      ++at_;
    field = text_.substr(begin, at_ - begin);
    if (!AtLineEnd() && text_[at_] != delimiter_) {
      fault = text_[at_] == '"' ? "a quote in a field that doesn't begin with one"
                                : "a carriage return in a field without quotes";
    }
    return field;
  }
  for (const size_t opened = line_;;) {
    const size_t quote = text_.find('"', ++at_);
    const std::string_view part = text_.substr(at_, quote - at_);
    line_ += static_cast<uint64_t>(std::count(part.begin(), part.end(), '\n'));
    field += part;
    if (quote == text_.npos) {
      fault = "the quote that opens in line " + std::to_string(opened) + " is never closed";
      at_ = text_.size();
      return field;
    }
    at_ = quote + 1;
    if (at_ == text_.size() || text_[at_] != '"') break;
    field += '"';
  }
  if (!AtLineEnd() && text_[at_] != delimiter_) fault = "something follows a field's closing quote";
  return field;
}

bool DelimitedReader::Next(DelimitedRecord& record) {
  while (at_ < text_.size() && AtLineEnd()) SkipLineEnd();
  if (at_ == text_.size()) return false;
  record.line = line_;
  record.fields.clear();
  record.fault.clear();
  for (;;) {
    record.fields.push_back(Field(record.fault));
    if (!record.fault.empty()) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      break;
    }
    if (AtLineEnd()) break;
    if (record.fields.size() == kMostFields) {
      record.fault = "more than " + std::to_string(kMostFields) + " fields";
      at_ = std::min(text_.find('\n', at_), text_.size());
      break;
    }
    ++at_;  // the delimiter
  }
  SkipLineEnd();
  return true;
}

std::string DelimitedField(std::string_view field, char delimiter) {
  const char special[] = {delimiter, '"', '\r', '\n'};
  if (field.find_first_of(std::string_view(special, sizeof special)) == field.npos) {
    return std::string(field);
  }
  std::string out = "\"";
  for (const char c : field) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace flowtrain::data
