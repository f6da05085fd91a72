#include <doctest/doctest.h>

#include <flowtrain/error.h>

#include "pipeline/graph/granted_cpus.h"
#include "pipeline/graph/sampler.h"

namespace flowtrain::graph {
namespace {

TEST_CASE("a batch's first sample and its rows agree with the addresses") {
  for (const char* last_batch : {"drop", "partial", "pad"}) {
    Sampler sampler({.size = 23, .batch = 5, .last_batch = last_batch, .shuffle = true, .seed = 3});
    uint64_t count = 0;
    for (uint64_t batch = 0; batch < 3 * sampler.batches_per_epoch(); ++batch) {
      CHECK(sampler.first_of(batch) == count);
      for (int row = 0; row < sampler.rows_of(batch); ++row, ++count) {
        const Address address = sampler.At(count);
        CHECK(address.batch == batch);
        CHECK(address.row == row);
        CHECK(address.index < 23);
      }
    }
  }
}

TEST_CASE("an epoch without a batch is refused with its numbers") {
  CHECK_THROWS_WITH_AS(Sampler({.size = 3, .batch = 4}), "an epoch has no batch: 3 samples, batches of 4 and last_batch \"drop\"", Error);
  CHECK_THROWS_AS(Sampler({.size = 3, .batch = 1, .rank = 2, .world_size = 2}), Error);
}

TEST_CASE("cpu.max is read as CPUs") {
  CHECK(ParseCpuMax("max 100000") == 0);
  CHECK(ParseCpuMax("150000 100000") == doctest::Approx(1.5));
  CHECK(ParseCpuMax("") == 0);
  CHECK(FindGrantedCpus().count >= 1);
}

}  // namespace
}  // namespace flowtrain::graph
