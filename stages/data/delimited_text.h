// CSV and its like, as RFC 4180 has it: fields may stand in quotes, and hold the delimiter, line
// ends and doubled quotes there. Any bytes; used by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowtrain::data {

struct DelimitedRecord {
  uint64_t line = 0;  // the one it begins in, from 1
  std::vector<std::string> fields;
  std::string fault;  // why it can't be read, else empty
};

// Gives one record after another, blank lines left out. After a fault it goes on in the next line.
// The text has to outlive it.
class DelimitedReader {
 public:
  DelimitedReader(std::string_view text, char delimiter) : text_(text), delimiter_(delimiter) {}
  bool Next(DelimitedRecord& record);  // false: the end

 private:
  bool AtLineEnd() const;
  void SkipLineEnd();
  std::string Field(std::string& fault);

  const std::string_view text_;
  const char delimiter_;
  size_t at_ = 0;
  uint64_t line_ = 1;
};

// The field as it is written, in quotes where it needs them.
std::string DelimitedField(std::string_view field, char delimiter);

}  // namespace flowtrain::data
