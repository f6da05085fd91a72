// XXH3's values don't depend on the machine: https://github.com/Cyan4973/xxHash, from 0.8.0 on.
#include <flowtrain/fingerprint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace flowtrain {
namespace {

// Where a hash goes on with a number, so that its bytes are no text.
constexpr uint64_t kNumber = 0x6e756d626572ULL;

}  // namespace

// XXH3 takes a length into its hash, and the seed is all that came before.
Fingerprinter& Fingerprinter::Add(std::string_view text) {
  hash_ = XXH3_64bits_withSeed(text.data(), text.size(), hash_);
  return *this;
}

Fingerprinter& Fingerprinter::Add(int64_t number) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<uint8_t>(static_cast<uint64_t>(number) >> (8 * i));
  hash_ = XXH3_64bits_withSeed(bytes, sizeof bytes, hash_ ^ kNumber);
  return *this;
}

}  // namespace flowtrain
