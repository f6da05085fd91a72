// Attention's promises in numbers: linear attention's range and precision at a full image's tokens,
// standard attention's kernel, and checkpoints that move between both.
#include <ATen/record_function.h>
#include <dlfcn.h>
#include <torch/torch.h>

#include <cmath>
#include <filesystem>

#include "model/camoxpert.h"
#include "model/doctest_torch.h"
#include "model/io/load_weights.h"
#include "model/io/safetensors.h"
#include "model/layers/attention.h"
#include "model/layers/autocast_scope.h"
#include "model/state_dict.h"
#include "support/scratch_folder.h"

namespace flowtrain::model {
namespace {

// Of LibTorch's types by name, for messages.
struct Type {
  std::string name;
  at::ScalarType type;
};
const Type kTypes[] = {{"float32", at::kFloat}, {"bf16", at::kBFloat16}, {"fp16", at::kHalf}};

// The formula: each query against every key, in double, with no product taken before its turn.
torch::Tensor LinearFormula(const torch::Tensor& q, const torch::Tensor& k,
                            const torch::Tensor& v) {
  const auto phi = [](const torch::Tensor& x) { return at::where(x >= 0, x + 1, x.exp()); };
  const auto weights = at::matmul(phi(q), phi(k).transpose(-2, -1));
  return at::matmul(weights, v) / (weights.sum(-1, true) + 1e-6);
}

torch::Tensor StandardFormula(const torch::Tensor& q, const torch::Tensor& k,
                              const torch::Tensor& v) {
  const auto scores = at::matmul(q, k.transpose(-2, -1)) / std::sqrt(q.size(-1));
  return at::matmul(at::softmax(scores, -1), v);
}

// The attention kernels that ran on this thread while it lived.
class AttentionKernels {
 public:
  AttentionKernels() {
    seen_.clear();
    callback_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&See));
  }
  ~AttentionKernels() { at::removeCallback(callback_); }
  std::string names() const { return seen_; }

 private:
  static std::unique_ptr<at::ObserverContext> See(const at::RecordFunction& function) {
    const std::string name = function.name();
    if (name.starts_with("aten::_scaled_dot_product_")) seen_ += (seen_.empty() ? "" : " ") + name;
    return nullptr;
  }
  static thread_local std::string seen_;
  at::CallbackHandle callback_ = at::INVALID_CALLBACK_HANDLE;
};
thread_local std::string AttentionKernels::seen_;

const bool g_cuda_opened = std::filesystem::exists("/dev/nvidiactl") &&
                           dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) != nullptr;

std::vector<at::Device> Devices() {
  std::vector<at::Device> devices = {at::kCPU};
  if (g_cuda_opened && torch::cuda::is_available()) devices.emplace_back(at::kCUDA, 0);
  return devices;
}

double Largest(const torch::Tensor& x) { return x.abs().max().item<double>(); }

}  // namespace

TEST_CASE("linear attention is its formula in every type, for 7,744 tokens and values up to 4e4") {
  torch::manual_seed(5);
  for (const Type& type : kTypes) {
    double worst = 0;
    for (const int64_t tokens : {484, 7744}) {
      for (const double magnitude : {1.0, 100.0, 1e4}) {
        CAPTURE(type.name);
        CAPTURE(tokens);
        CAPTURE(magnitude);
        const auto drawn = (magnitude * torch::randn({3, 1, 2, tokens, 10})).clamp(-4e4, 4e4);
        const auto qkv = drawn.to(type.type);
        const auto q = qkv[0], k = qkv[1], v = qkv[2];
        const auto y = LinearAttention(q, k, v);
        REQUIRE(at::isfinite(y).all().item<bool>());
        // Of every 16th query: all of them against all keys take seconds.
        const auto some = [](const torch::Tensor& x) { return x.slice(-2, 0, std::nullopt, 16); };
        const auto due =
            LinearFormula(some(q).to(at::kDouble), k.to(at::kDouble), v.to(at::kDouble));
        worst = std::max(worst, Largest(some(y) - due) / Largest(due));
      }
    }
    MESSAGE(type.name << ": largest difference " << worst << " of the largest output");
    CHECK(worst < 1e-5);
  }
}

TEST_CASE("where no key says anything, linear attention gives little and not NaN") {
  for (const Type& type : kTypes) {
    CAPTURE(type.name);
    const auto none = torch::full({1, 2, 484, 10}, -200.0).to(type.type);
    const auto y = LinearAttention(none, none, torch::ones_like(none));
    CHECK(Largest(y) < 1e-5);
  }
}

TEST_CASE("linear attention's gradients are finite in every type, for large values too") {
  torch::manual_seed(6);
  for (const Type& type : kTypes) {
    for (const double magnitude : {1.0, 1e4}) {
      CAPTURE(type.name);
      CAPTURE(magnitude);
      const auto drawn = (magnitude * torch::randn({3, 1, 2, 7744, 10})).clamp(-4e4, 4e4);
      const auto qkv = drawn.to(type.type).requires_grad_();
      LinearAttention(qkv[0], qkv[1], qkv[2]).sum().backward();
      CHECK(at::isfinite(qkv.grad()).all().item<bool>());
      CHECK(Largest(qkv.grad()) > 0);
    }
  }
}

TEST_CASE("standard attention runs in a kernel without an N x N matrix, and is its formula") {
  torch::manual_seed(7);
  for (const at::Device& device : Devices()) {
    for (const Type& type : {kTypes[0], kTypes[1]}) {
      const bool bf16 = type.type == at::kBFloat16;
      Attention attention(80, AttentionKind::kStandard);
      attention.eval();
      attention.to(device);
      const auto x = torch::randn({1, 80, 44, 44}, at::device(device)).to(type.type);
      torch::Tensor y;
      std::string kernels;
      {
        const Bf16Scope autocast(device.type(), bf16);
        const AttentionKernels recorded;
        y = attention.Forward(x.requires_grad_());
        kernels = recorded.names();
      }
      const torch::NoGradGuard no_grad;
      attention.to(at::kDouble);
      const auto parameters = attention.named_parameters();
      const auto qkv =
          at::conv2d(x.to(at::kDouble), parameters["qkv.weight"]).view({1, 3, 8, 10, 1936});
      const auto heads = qkv.transpose(3, 4);
      const auto mixed =
          StandardFormula(heads.select(1, 0), heads.select(1, 1), heads.select(1, 2));
      const auto due = at::conv2d(mixed.transpose(2, 3).reshape({1, 80, 44, 44}),
                                  parameters["proj.weight"], parameters["proj.bias"]);
      const double difference = Largest(y.to(at::kDouble) - due) / Largest(due);
      MESSAGE(device.str() << ", " << type.name << ": " << kernels << ", largest difference "
                           << difference << " of the largest output");
      CHECK(difference < (bf16 ? 2e-2 : 1e-5));
      CHECK(!kernels.empty());
      CHECK(kernels.find("math") == std::string::npos);
    }
  }
}

TEST_CASE("a checkpoint moves from linear to standard attention and back") {
  const torch::NoGradGuard no_grad;
  const ScratchFolder folder;
  const auto made = [](const char* attention) {
    CamoXpertOptions options;
    options.backbone = "edgenext_xx_small";
    options.encoder = "sdta";
    options.attention = attention;
    auto network = MakeCamoXpert(options);
    network->eval();
    return network;
  };
  const auto moved = [&](SegmentationNetwork& from, SegmentationNetwork& to) {
    TensorMap tensors;
    for (const auto& [name, tensor] : StateDict(from)) tensors.emplace(name, tensor);
    WriteSafetensors(folder.path() / "w.safetensors", tensors, {});
    const auto report = LoadWeights(to, folder.path() / "w.safetensors", LoadMode::kStrict);
    CHECK(report.Complete());
    CHECK(report.loaded == static_cast<decltype(report.loaded)>(tensors.size()));
  };
  torch::manual_seed(8);
  const auto linear = made("linear"), standard = made("standard"), back = made("linear");
  // As trained ones are: at first gamma is 1e-6, and attention is spread evenly.
  for (auto& parameter : linear->named_parameters()) {
    if (parameter.key().ends_with(".gamma")) parameter.value().fill_(0.5);
    if (parameter.key().ends_with("qkv.weight")) parameter.value().mul_(30);
  }
  moved(*linear, *standard);
  moved(*standard, *back);
  const auto images = torch::randn({2, 3, 64, 64});
  const auto from_linear = linear->Forward(images).logits;
  const auto from_standard = standard->Forward(images).logits;
  CHECK(at::isfinite(from_standard).all().item<bool>());
  CHECK(Largest(from_standard - from_linear) > 1e-4);
  CHECK(at::equal(back->Forward(images).logits, from_linear));
}

}  // namespace flowtrain::model
