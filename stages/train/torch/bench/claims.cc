#include "stages/train/torch/bench/claims.h"

#include <torch/torch.h>

#include <cstdio>
#include <map>
#include <string>

#include "model/experts/expert.h"
#include "model/layers/attention.h"
#include "model/layers/depthwise.h"
#include "model/peak_memory.h"
#include "stages/train/torch/bench/parts.h"
#include "stages/train/torch/bench/step.h"
#include "stages/train/torch/bench/timing.h"

namespace flowtrain::train::bench {
namespace {

constexpr auto kExperts = static_cast<int64_t>(model::kExpertNames.size());

// The edge expert's filters channel by channel, as a loop has them: what the grouped convolution is
// compared with. Only the filters: the rest is the same.
at::Tensor FilterEachChannel(const at::Tensor& x, const at::Tensor& kernel) {
  std::vector<at::Tensor> channels;
  for (int64_t c = 0; c < x.size(1); ++c) channels.push_back(at::conv2d(x.narrow(1, c, 1), kernel, {}, 1, 1));
  return at::cat(channels, 1);
}

at::Tensor FilterAtOnce(const at::Tensor& x, const at::Tensor& kernel) {
  return model::DepthwiseConv2d(x, kernel.expand({x.size(1), 1, 3, 3}), /*bias=*/{});
}

// Before, after, and their ratio; 27 columns each.
std::string Columns(double before, double after) {
  char text[40];
  std::snprintf(text, sizeof text, "%9.2f %9.2f %6.2fx", before, after, before / after);
  return text;
}

std::string Columns(const std::vector<Times>& times) { return Columns(times[0].median(), times[1].median()); }

class Claims {
 public:
  Claims(const BenchOptions& options, const Device& device, std::ostream& out)
      : options_(options), device_(device), out_(out), features_(Features(options, device)) {}

  void Run() {
    out_ << device_.name() << ", " << device_.precision_name() << ", batch " << options_.batch << ", "
         << options_.size << " px, " << options_.backbone << "; ms, median of " << options_.rounds << " by turns\n";
    Print("", "claimed", "   before     after     fwd", "   before     after fwd+bwd");
    Experts();
    AttentionKinds();
    EdgeFilters();
    Dispatch();
    Steps();
    Layouts();
    Tf32();
    Memory();
    Checkpointing();
  }

 private:
  void Print(const std::string& what, const std::string& claimed, const std::string& forward,
             const std::string& both) {
    char line[200];
    std::snprintf(line, sizeof line, "%-44s %-16s %27s %27s\n", what.c_str(), claimed.c_str(), forward.c_str(), both.c_str());
    out_ << line << std::flush;
  }

  void Row(const std::string& what, const std::string& claimed, const std::vector<Part>& before,
           const std::vector<Part>& after) {
    const auto forward = MeasureByTurns(device_.torch, options_.rounds, {Forward(before, device_), Forward(after, device_)});
    const auto both =
        MeasureByTurns(device_.torch, options_.rounds, {ForwardBackward(before, device_), ForwardBackward(after, device_)});
    Print(what, claimed, Columns(forward), Columns(both));
  }

  // The step's two ways are made one after the other: two networks with their optimizers, by turns.
  void StepRow(const std::string& what, const std::string& claimed, const BenchOptions& before,
               const BenchOptions& after) {
    const auto steps = {StepOf(before, device_), StepOf(after, device_)};
    MeasureByTurns(device_.torch, 4, steps);  // plans, recordings
    Print(what, claimed, "", Columns(MeasureByTurns(device_.torch, options_.rounds, steps)));
  }

  std::vector<Part> Mixtures(const Layers& layers, int64_t top_k) const {
    std::vector<Part> parts;
    for (size_t i = 0; i < layers.size(); ++i) parts.push_back(Grouped(layers[i], features_[i], top_k));
    return parts;
  }

  void Experts() {
    const Layers layers = MoeLayers(features_, 3);
    Row("all 7 experts -> the best 3", "1.7-2x", Mixtures(layers, kExperts), Mixtures(layers, 3));
  }

  void AttentionKinds() {
    std::vector<Part> kinds[2];
    for (const at::Tensor& x : features_) {
      for (const auto kind : {model::AttentionKind::kStandard, model::AttentionKind::kLinear}) {
        const auto attention = std::make_shared<model::Attention>(x.size(1), kind);
        attention->to(x.device());
        kinds[kind == model::AttentionKind::kLinear].push_back(
            {[attention](const at::Tensor& input) { return attention->Forward(input); }, x});
      }
    }
    Row("standard -> linear attention", "3-5x", kinds[0], kinds[1]);
    const double before = static_cast<double>(model::PeakBytes(device_.torch, ForwardBackward(kinds[0], device_)));
    const double after = static_cast<double>(model::PeakBytes(device_.torch, ForwardBackward(kinds[1], device_)));
    Print("  its memory, MB", "-80%", "", Columns(before / 1e6, after / 1e6));
  }

  void EdgeFilters() {
    std::vector<Part> ways[2];
    for (const at::Tensor& x : features_) {
      const at::Tensor kernel = at::randn({1, 1, 3, 3}, x.options().requires_grad(false));
      ways[0].push_back({[kernel](const at::Tensor& input) { return FilterEachChannel(input, kernel); }, x});
      ways[1].push_back({[kernel](const at::Tensor& input) { return FilterAtOnce(input, kernel); }, x});
    }
    Row("edge expert's filters: loop -> vectorised", "1.4x", ways[0], ways[1]);
  }

  void Dispatch() {
    const Layers layers = MoeLayers(features_, 3);
    std::vector<Part> per_image;
    for (size_t i = 0; i < layers.size(); ++i) per_image.push_back(PerImage(layers[i], features_[i], 3));
    Row("dispatch: per image -> grouped", "10-50x", per_image, Mixtures(layers, 3));
  }

  void Steps() {
    BenchOptions before = options_, after = options_;
    before.top_k = kExperts;
    StepRow("whole step: all 7 -> the best 3", "2-2.5x", before, after);
  }

  void Layouts() {
    BenchOptions before = options_;
    before.channels_last = false;
    StepRow("whole step: NCHW -> channels-last", "1.15x", before, options_);
  }

  void Tf32() {
    if (!device_.cuda()) return;
    Device full = device_;
    full.precision = model::Precision::kFloat32;
    BenchOptions launched = options_;
    launched.recorded = false;  // the switch is read when work is launched
    const auto step = StepOf(launched, full);
    const auto with = [&](bool on) {
      return [&step, on] {
        at::globalContext().setAllowTF32CuBLAS(on);
        at::globalContext().setAllowTF32CuDNN(on);
        step();
      };
    };
    MeasureByTurns(device_.torch, 3, {with(false), with(true)});
    const auto times = MeasureByTurns(device_.torch, options_.rounds, {with(false), with(true)});
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(true);
    Print("whole step in float32: exact -> TF32", "1.1x or more", "", Columns(times));
  }

  // In GB, of two steps that are launched kernel by kernel.
  double StepMemory(BenchOptions options) const {
    options.recorded = false;
    const int64_t peak = model::PeakBytes(device_.torch, [&] {
      const auto step = StepOf(options, device_);
      step();
      step();
    });
    return static_cast<double>(peak) / 1e9;
  }

  void Memory() {
    const std::map<int64_t, const char*> claimed = {
        {192, "4.2 -> 2.8 GB"}, {288, "7.8 -> 4.5 GB"}, {384, "no -> 7.2 GB"}, {416, "no -> 8.9 GB"}};
    for (const auto& [size, claim] : claimed) {
      for (const int64_t batch : {2, 4}) {
        BenchOptions before = options_, after = options_;
        before.size = after.size = size;
        before.batch = after.batch = batch;
        before.top_k = kExperts;
        after.gradient_checkpointing = true;
        Print("GB at " + std::to_string(size) + " px, batch " + std::to_string(batch) + ": 7 -> 3, checkpointed",
              claim, "", Columns(StepMemory(before), StepMemory(after)));
      }
    }
  }

  void Checkpointing() {
    BenchOptions before = options_, after = options_;
    before.recorded = after.recorded = false;  // a checkpointed step can't be recorded
    after.gradient_checkpointing = true;
    StepRow("whole step: gradient checkpointing", "30% slower", before, after);
    Print("  its memory, GB", "", "", Columns(StepMemory(before), StepMemory(after)));
  }

  const BenchOptions options_;
  const Device device_;
  std::ostream& out_;
  const std::vector<at::Tensor> features_;
};

}  // namespace

void MeasureClaims(const BenchOptions& options, const Device& device, std::ostream& out) {
  torch::manual_seed(42);
  Claims(options, device, out).Run();
}

}  // namespace flowtrain::train::bench
