// Hashes what Source::Fingerprint is to cover: texts and numbers, in the order in which they are
// added. The same on every machine. A value; each thread has its own.
#pragma once

#include <flowtrain/export.h>

#include <cstdint>
#include <string_view>

namespace flowtrain {

class FLOWTRAIN_API Fingerprinter {
 public:
  // Each text counts with its length: "ab", "c" is not "a", "bc". A number is not the text of its
  // digits.
  Fingerprinter& Add(std::string_view text);
  Fingerprinter& Add(int64_t number);
  // Of all that was added so far; never 0, which says that nothing is known.
  uint64_t value() const { return hash_ == 0 ? 1 : hash_; }

 private:
  uint64_t hash_ = 0;
};

}  // namespace flowtrain
