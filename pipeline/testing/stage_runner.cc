#include <flowtrain/testing/stage_runner.h>

#include <algorithm>
#include <map>
#include <new>

namespace flowtrain::testing {

Image TestAllocator::Allocate(std::string_view, int height, int width, int channels) {
  Image image{.height = height, .width = width, .channels = channels};
  image.stride = image.row_bytes();
  blocks_.emplace_back(image.bytes(), fill_);
  bytes_ += image.bytes();
  image.data = blocks_.back().data();
  return image;
}

class TestContext final : public Context {
 public:
  TestContext(StageRunner& runner, size_t stage, const Sample& sample)
      : runner_(runner), stage_(stage), sample_(sample), rng_(runner.RngOf(stage, sample)) {}

  Rng& rng() override { return rng_; }

  std::span<uint8_t> Scratch(size_t bytes, int which) override {
    runner_.scratch_bytes_ += bytes;
    scratch_[which].reset(static_cast<uint8_t*>(operator new(bytes, kAlign)));
    std::fill_n(scratch_[which].get(), bytes, runner_.fill_);
    return {scratch_[which].get(), bytes};
  }

  View Plan(const ImageInfo& info) override {
    View view;
    runner_.planned_for_ = info;
    bool asked_all = true;
    for (size_t i = stage_ + 1; i < runner_.stages_.size() && asked_all; ++i) {
      Rng rng = runner_.RngOf(i, sample_);
      asked_all = runner_.stages_[i].stage->Plan(info, rng, view);
    }
    if (asked_all && runner_.wanted_) view = *runner_.wanted_;
    runner_.planned_ = view;
    return view;
  }

  void Warn(const std::string& message) override {
    std::vector<std::string>& all = runner_.warnings_;
    if (std::find(all.begin(), all.end(), message) == all.end()) all.push_back(message);
  }

 private:
  static constexpr std::align_val_t kAlign{64};
  struct Free {
    void operator()(uint8_t* block) const { operator delete(block, kAlign); }
  };
  StageRunner& runner_;
  const size_t stage_;
  const Sample& sample_;
  Rng rng_;
  std::map<int, std::unique_ptr<uint8_t, Free>> scratch_;
};

StageRunner StageRunner::Beside() const {
  StageRunner other(seed_, fill_);
  other.stages_ = stages_;
  other.wanted_ = wanted_;
  return other;
}

StageRunner& StageRunner::Add(const StageDeclaration& declaration, const Value& params) {
  const auto ordinal = std::count_if(stages_.begin(), stages_.end(), [&](const Entry& entry) {
    return entry.type == declaration.type;
  });
  stages_.push_back({declaration.type, declaration.StreamKey(static_cast<size_t>(ordinal)),
                     Make<Transform>(declaration, params, open_)});
  return *this;
}

void StageRunner::Process(Sample& sample) {
  images_.Clear();
  sample.set_allocator(&images_);
  for (size_t i = 0; i < stages_.size(); ++i) {
    TestContext context(*this, i, sample);
    stages_[i].stage->Process(sample, context);
  }
}

Rng StageRunner::RngOf(size_t stage, const Sample& sample) const {
  return Rng(seed_, Rng::HashStream(stages_[stage].rng_key), sample.id.epoch, sample.id.position);
}

}  // namespace flowtrain::testing
