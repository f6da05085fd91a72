// Runs transforms on one sample, one after the other, as a chain of a graph would: the same Plan,
// the same random streams, scratch and image memory of exactly the size asked for (so that a
// sanitizer sees an overrun), filled with 0xCD or what the test says. No graph, no threads. For tests;
// one thread a runner.
#pragma once

#include <flowtrain/stage.h>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <flowtrain/testing/made_stage.h>

namespace flowtrain::testing {

// Gives dense images; keeps them until Clear.
class TestAllocator final : public ImageAllocator {
 public:
  explicit TestAllocator(uint8_t fill = 0xCD) : fill_(fill) {}
  Image Allocate(std::string_view name, int height, int width, int channels) override;
  void Clear() { blocks_.clear(); }
  size_t bytes() const { return bytes_; }  // given out since the start

 private:
  uint8_t fill_;
  std::list<std::vector<uint8_t>> blocks_;
  size_t bytes_ = 0;
};

class StageRunner {
 public:
  explicit StageRunner(uint64_t seed = 42, uint8_t fill = 0xCD)
      : seed_(seed), fill_(fill), images_(fill) {}
  // A runner of the same stages, for another thread; must not outlive this one.
  StageRunner Beside() const;
  // What the stages find in Open.
  TestOpenContext& open() { return open_; }
  // Makes, opens and appends a transform. Throws what its Open throws.
  StageRunner& Add(const StageDeclaration& declaration, const Value& params = {});
  // What a stage after the last one would plan.
  StageRunner& Want(const View& view) {
    wanted_ = view;
    return *this;
  }

  // Images of the sample stay valid until the next call. Throws what the stages throw.
  void Process(Sample& sample);

  const std::vector<std::string>& warnings() const {
    return warnings_;
  }  // of all calls, repeats left out
  const std::optional<ImageInfo>& planned_for() const {
    return planned_for_;
  }                                                                // the last Plan's question
  const std::optional<View>& planned() const { return planned_; }  // ... and its answer
  size_t image_bytes() const { return images_.bytes(); }
  size_t scratch_bytes() const { return scratch_bytes_; }

 private:
  friend class TestContext;
  struct Entry {
    std::string type, rng_key;
    std::shared_ptr<const Transform> stage;  // shared with runners beside
  };
  Rng RngOf(size_t stage, const Sample& sample) const;

  const uint64_t seed_;
  const uint8_t fill_;
  TestOpenContext open_;
  std::vector<Entry> stages_;
  std::optional<View> wanted_;
  TestAllocator images_;
  size_t scratch_bytes_ = 0;
  std::vector<std::string> warnings_;
  std::optional<ImageInfo> planned_for_;
  std::optional<View> planned_;
};

}  // namespace flowtrain::testing
