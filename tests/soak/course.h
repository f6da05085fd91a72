// What is drawn. A course is one training: its order and its faults are fixed, and it goes on over
// many runs. A scene is what may differ from run to run: pools, threads, stalls, and how the run ends.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>

namespace flowtrain::soak {

// The draws of one process: the same seed draws the same courses and scenes.
class Draw {
 public:
  explicit Draw(uint64_t seed) : engine_(seed) {}
  uint64_t Below(uint64_t n) { return engine_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  // Every order of magnitude as likely as every other.
  uint64_t Magnitude(uint64_t low, uint64_t high);

 private:
  std::mt19937_64 engine_;
};

// A number that looks random, of two numbers.
uint64_t Mix(uint64_t a, uint64_t b);

constexpr int kMostChains = 2;

struct Course {
  uint64_t seed = 0;
  uint64_t samples = 0;  // of the first chain, after which the course is through
  int chains = 1;
  std::array<uint64_t, kMostChains> size{};  // of the sources
  int batch = 1;
  std::string last_batch;
  bool shuffle = false;
  int rank = 0, world_size = 1;
  uint64_t bad_in = 0;     // one index in that many can't be decoded; 0: none
  bool bad_in_read = false;  // noticed in Read, else in Process
  bool mark = false;       // bad samples are marked, else replaced
  bool device = false;     // a batch transform stands before the consumer
  bool observer = false;

  bool IsBad(uint64_t index) const;
};
Course DrawCourse(Draw& draw);

enum class End { kTaken, kInterrupt, kReadFails, kBodyFails, kDeviceFails, kConsumerFails, kCount };
const char* NameOf(End end);

struct Scene {
  int workers = 1, io_threads = 1, read_ahead = 1, slots = 1;
  uint64_t batches = 1;     // of the first chain, after which the consumer returns
  End end = End::kTaken;
  bool foreign = false;     // what is thrown is no std::exception
  uint64_t fails_at = 0;    // the count of calls at which the stage of `end` throws
  uint64_t stop_after_us = 0;
  // One call in that many sleeps for up to so long; 0: none.
  uint64_t read_stalls = 0, body_stalls = 0, pull_stalls = 0, stall_us = 1;
  uint64_t transient_at = 0;  // a read that must be tried again; 0: none
  uint64_t commit_every = 1, checkpoint_every = 1;  // batches
  uint64_t second_in = 2;   // of so many pulls one is of the second chain
  int held = 0;             // batches that the consumer keeps beside the one in hand
  bool fences = false;      // batches are released by fences that pass late
};
Scene DrawScene(Draw& draw, const Course& course, uint64_t samples_left);

// The graph file.
std::string GraphText(const Course& course, const Scene& scene);

}  // namespace flowtrain::soak
