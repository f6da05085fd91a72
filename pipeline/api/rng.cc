#include <flowtrain/rng.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace flowtrain {
namespace {

// SplitMix64's finaliser (Steele, Lea, Flood 2014): spreads a key's bits.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::array<uint32_t, 4> Rng::Block(std::array<uint32_t, 4> c, std::array<uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = 0xD2511F53ULL * c[0];
    const uint64_t p1 = 0xCD9E8D57ULL * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(p0)};
    k[0] += 0x9E3779B9U;
    k[1] += 0xBB67AE85U;
  }
  return c;
}

Rng::Rng(uint64_t seed, uint64_t stream, uint64_t epoch, uint64_t position) {
  const uint64_t key = Mix(Mix(seed) ^ stream);
  key_ = {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
  counter_ = {0, static_cast<uint32_t>(epoch), static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32)};
}

uint32_t Rng::NextU32() {
  if (used_ == 4) {
    block_ = Block(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

uint64_t Rng::NextU64() {
  const uint64_t low = NextU32();
  return low | static_cast<uint64_t>(NextU32()) << 32;
}

double Rng::Uniform() { return static_cast<double>(NextU64() >> 11) * 0x1.0p-53; }

double Rng::Uniform(double low, double high) { return low + (high - low) * Uniform(); }

uint64_t Rng::Below(uint64_t n) {
  // Lemire's method, with the rejection that makes it unbiased.
  unsigned __int128 product = static_cast<unsigned __int128>(NextU64()) * n;
  if (static_cast<uint64_t>(product) < n) {
    const uint64_t threshold = -n % n;
    while (static_cast<uint64_t>(product) < threshold) product = static_cast<unsigned __int128>(NextU64()) * n;
  }
  return static_cast<uint64_t>(product >> 64);
}

double Rng::Normal() {
  const double u = 1.0 - Uniform();  // (0, 1]: the logarithm is finite
  const double v = Uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

uint64_t Rng::HashStream(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

void Permutation(uint64_t seed, uint64_t epoch, std::span<uint32_t> out) {
  std::iota(out.begin(), out.end(), 0U);
  Rng rng(seed, Rng::HashStream("shuffle"), epoch, 0);
  for (uint64_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[rng.Below(i)]);
}

}  // namespace flowtrain
