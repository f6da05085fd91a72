#include "soak/course.h"

#include <algorithm>
#include <cmath>

namespace flowtrain::soak {

uint64_t Draw::Magnitude(uint64_t low, uint64_t high) {
  const double share = static_cast<double>(Below(1 << 20)) / (1 << 20);
  const double logs = std::log2(static_cast<double>(high) / static_cast<double>(low));
  return static_cast<uint64_t>(static_cast<double>(low) * std::exp2(share * logs));
}

uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

bool Course::IsBad(uint64_t index) const { return bad_in > 0 && Mix(seed, index) % bad_in == 0; }

Course DrawCourse(Draw& draw) {
  Course course;
  course.seed = draw.Below(1u << 30);
  course.batch = draw.OneIn(4) ? 1 + static_cast<int>(draw.Below(4))
                               : static_cast<int>(draw.Magnitude(4, 512));
  // A batch costs as much as ten samples or so: small ones would take all the time.
  course.samples = draw.Magnitude(1 << 10, course.batch < 8 ? 1 << 14 : 1 << 19);
  course.chains = draw.OneIn(3) ? 2 : 1;
  if (draw.OneIn(3)) {
    course.world_size = 2 + static_cast<int>(draw.Below(3));
    course.rank = static_cast<int>(draw.Below(course.world_size));
  }
  // No epoch without a batch, and room for a remainder.
  const uint64_t least = static_cast<uint64_t>(course.batch) * course.world_size;
  for (uint64_t& size : course.size) size = least + draw.Magnitude(1, std::max<uint64_t>(2, course.samples / 2));
  const char* last_batch[] = {"drop", "partial", "pad"};
  course.last_batch = last_batch[draw.Below(3)];
  course.shuffle = draw.Below(2) == 0;
  // Of a small set all could be bad.
  const bool large = std::min(course.size[0], course.size[1]) >= 256;
  course.bad_in = draw.OneIn(2) && large ? draw.Magnitude(8, 4096) : 0;
  course.bad_in_read = draw.OneIn(2);
  course.mark = draw.OneIn(2);
  course.device = draw.OneIn(2);
  course.observer = draw.OneIn(4);
  return course;
}

const char* NameOf(End end) {
  const char* names[] = {"taken", "interrupt", "read fails", "body fails", "device fails", "consumer fails"};
  return names[static_cast<int>(end)];
}

Scene DrawScene(Draw& draw, const Course& course, uint64_t samples_left) {
  Scene scene;
  const auto batch = static_cast<uint64_t>(course.batch);
  scene.workers = 1 + static_cast<int>(draw.Below(4));
  scene.io_threads = 1 + static_cast<int>(draw.Below(4));
  scene.read_ahead = static_cast<int>(draw.Magnitude(1, 128));
  scene.slots = 1 + static_cast<int>(draw.Below(5));
  const uint64_t samples = std::min(samples_left, draw.Magnitude(64, 1 << 17));
  scene.batches = std::max<uint64_t>(1, (samples + batch - 1) / batch);
  scene.end = draw.Below(2) == 0 ? End::kTaken : static_cast<End>(draw.Below(static_cast<uint64_t>(End::kCount)));
  if (scene.end == End::kDeviceFails && !course.device) scene.end = End::kConsumerFails;
  scene.foreign = draw.OneIn(3);
  const bool counts_batches = scene.end == End::kDeviceFails || scene.end == End::kConsumerFails;
  scene.fails_at = draw.Below(counts_batches ? scene.batches : scene.batches * batch);
  scene.stop_after_us = draw.Magnitude(1, 4 * scene.batches * batch + 2000);
  // Long stalls are as rare as they are long: about a third of the time is spent so.
  scene.stall_us = draw.Magnitude(100, 30'000);
  const auto rarity = [&](uint64_t calls) {
    return draw.OneIn(2) ? 0 : std::max<uint64_t>(2, scene.stall_us / calls);
  };
  scene.read_stalls = rarity(1);
  scene.body_stalls = rarity(1);
  scene.pull_stalls = rarity(batch);
  if (draw.OneIn(50)) scene.transient_at = 1 + draw.Below(scene.batches * batch);
  scene.commit_every = 1 + draw.Below(4);
  scene.checkpoint_every = draw.Magnitude(1, 4096);
  scene.second_in = 1 + draw.Magnitude(1, 16);
  scene.held = static_cast<int>(draw.Below(course.device ? 2 : static_cast<uint64_t>(scene.slots)));
  scene.fences = draw.OneIn(4);
  return scene;
}

std::string GraphText(const Course& course, const Scene& scene) {
  const auto number = [](auto n) { return std::to_string(n); };
  const std::string source = std::string(R"("sampler": {"shuffle": )") + (course.shuffle ? "true" : "false") +
                             R"(, "rank": )" + number(course.rank) + R"(, "world_size": )" +
                             number(course.world_size) + R"(}, "io_threads": )" + number(scene.io_threads) +
                             R"(, "read_ahead": )" + number(scene.read_ahead) + R"(, "on_bad": ")" +
                             (course.mark ? "mark" : "replace") + "\"";
  const std::string staging = R"({"type": "staging", "batch": )" + number(course.batch) + R"(, "slots": )" +
                              number(scene.slots) + R"(, "last_batch": ")" + course.last_batch + "\"}";
  std::string stages = R"("sink": {"type": "soak.sink"})", edges;
  for (int chain = 0; chain < course.chains; ++chain) {
    const std::string n = number(chain);
    stages += R"(, "source)" + n + R"(": {"type": "soak.source)" + n + R"(", )" + source + R"(}, "body)" + n +
              R"(": {"type": "soak.body"}, "staging)" + n + R"(": )" + staging;
    edges += std::string(chain > 0 ? ", " : "") + R"("source)" + n + " -> body" + n + " -> staging" + n;
    if (course.device) stages += R"(, "device)" + n + R"(": {"type": "soak.device"})";
    if (course.device) edges += " -> device" + n;
    edges += " -> sink.in" + n + "\"";
  }
  if (course.observer) stages += R"(, "watch": {"type": "soak.watch"})";
  if (course.observer) edges += std::string(", \"") + (course.device ? "device0" : "staging0") + R"( -> watch")";
  return R"({"name": "soak", "seed": )" + number(course.seed) + R"(, "stages": {)" + stages + R"(}, "edges": [)" +
         edges + R"(], "run": {"max_bad_share": 1, "stall_timeout": 20, "threads": )" + number(scene.workers) + "}}";
}

}  // namespace flowtrain::soak
