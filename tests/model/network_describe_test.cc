// What a network costs: the counter on operators whose cost is known, and on networks whose cost
// was published.
#include <torch/torch.h>

#include <cmath>
#include <map>

#include "model/camoxpert.h"
#include "model/describe/forward_counter.h"
#include "model/describe/larger_images.h"
#include "model/describe/network_description.h"
#include "model/describe/part_scope.h"
#include "model/edgenext_classifier.h"
#include "model/resnet.h"
#include "model/staged_network.h"
#include "tests/model/doctest_torch.h"

namespace flowtrain::model {
namespace {

template <class Forward>
std::map<std::string, PartCount> Counted(const Forward& forward) {
  const ForwardCounter counter;
  const auto alive = forward();
  return counter.Parts();
}

template <class Forward>
int64_t MultiplyAddsOf(const Forward& forward) {
  return Counted(forward)[""].multiply_adds;
}

template <class Forward>
int64_t HeldBy(const Forward& forward) {
  return Counted(forward)[""].held_bytes;
}

const DescribedPart& Find(const DescribedPart& part, const std::string& name) {
  const DescribedPart* found = part.name == name ? &part : nullptr;
  for (const DescribedPart& inner : part.parts) {
    if (name == inner.name || name.starts_with(inner.name + ".")) found = &Find(inner, name);
  }
  if (found == nullptr) FAIL("there is no part ", name);
  return *found;
}

// Parts with all of their numbers, a line each.
std::string Text(const DescribedPart& part) {
  std::string text = part.name + " " + part.kind + " " + std::to_string(part.parameters) + " " +
                     std::to_string(part.multiply_adds) + " " + std::to_string(part.held_bytes) + "\n";
  for (const DescribedPart& inner : part.parts) text += Text(inner);
  return text;
}

}  // namespace

TEST_CASE("a convolution's multiply-adds are its outputs times the weights of one") {
  const auto x = torch::randn({2, 12, 20, 17});
  const auto conv = [&](int64_t groups, int64_t stride, int64_t padding, int64_t dilation) {
    const auto weight = torch::randn({24, 12 / groups, 3, 3});
    return MultiplyAddsOf(
        [&] { return at::conv2d(x, weight, {}, stride, padding, dilation, groups); });
  };
  CHECK(conv(1, 1, 1, 1) == 2 * 24 * 20 * 17 * 12 * 9);
  CHECK(conv(4, 1, 1, 1) == 2 * 24 * 20 * 17 * 3 * 9);
  CHECK(conv(12, 1, 1, 1) == 2 * 24 * 20 * 17 * 9);
  CHECK(conv(1, 2, 1, 1) == 2 * 24 * 10 * 9 * 12 * 9);
  CHECK(conv(1, 1, 0, 3) == 2 * 24 * 14 * 11 * 12 * 9);
  const auto up = torch::randn({12, 5, 2, 2});
  CHECK(MultiplyAddsOf([&] { return at::conv_transpose2d(x, up, {}, 2); }) ==
        2 * 12 * 20 * 17 * 5 * 4);
  const auto line = torch::randn({3, 4, 50});
  CHECK(MultiplyAddsOf([&] {
          return at::conv1d(line, torch::randn({8, 4, 5}));
        }) == 3 * 8 * 46 * 4 * 5);
}

TEST_CASE("a matrix product's are rows x columns x what is between, however it is called") {
  const auto x = torch::randn({6, 5, 32}), weight = torch::randn({48, 32}),
             bias = torch::randn({48});
  CHECK(MultiplyAddsOf([&] { return at::linear(x, weight, bias); }) == 30 * 32 * 48);
  CHECK(MultiplyAddsOf([&] { return at::linear(x, weight); }) == 30 * 32 * 48);
  CHECK(MultiplyAddsOf([&] { return at::bmm(x, torch::randn({6, 32, 7})); }) == 6 * 5 * 32 * 7);
  CHECK(MultiplyAddsOf([&] {
          return at::matmul(torch::randn({2, 3, 5, 8}), torch::randn({2, 3, 8, 1}));
        }) == 2 * 3 * 5 * 8);
  CHECK(MultiplyAddsOf([&] { return at::mv(weight, torch::randn({32})); }) == 48 * 32);
  CHECK(MultiplyAddsOf([&] { return at::relu(x + 1) * x; }) == 0);
}

TEST_CASE("attention's are those of its two products, whichever kernel computes it") {
  const auto q = torch::randn({2, 8, 50, 16}), k = torch::randn({2, 8, 70, 16}),
             v = torch::randn({2, 8, 70, 24});
  const auto by_formula = [&] {
    return at::matmul(at::softmax(at::matmul(q, k.transpose(-2, -1)), -1), v);
  };
  const auto by_kernel = [&] { return at::scaled_dot_product_attention(q, k, v); };
  constexpr int64_t kDue = 2 * 8 * 50 * 70 * (16 + 24);
  CHECK(MultiplyAddsOf(by_formula) == kDue);
  CHECK(MultiplyAddsOf(by_kernel) == kDue);
  // Values as wide as keys: the kernel that keeps no N x N matrix.
  CHECK(MultiplyAddsOf([&] { return at::scaled_dot_product_attention(q, k, k); }) ==
        2 * 8 * 50 * 70 * 32);
}

TEST_CASE("what is held is what backward needs and the output, each storage once") {
  constexpr int64_t kBytes = 1000 * 4;
  const auto x = torch::randn({1000}, torch::requires_grad());
  CHECK(HeldBy([&] { return x * 2; }) == kBytes);       // the output alone
  CHECK(HeldBy([&] { return at::exp(x); }) == kBytes);  // needs its output
  CHECK(HeldBy([&] { return at::sin(at::exp(x)); }) ==
        2 * kBytes);  // exp's output, for both, and sin's
  CHECK(HeldBy([&] { return at::exp(at::exp(x)) + 1; }) == 3 * kBytes);
  CHECK(HeldBy([&] { return x + 1 + 1 + 1; }) == kBytes);
  CHECK(HeldBy([&] { return at::sin(x); }) == kBytes);  // x was there before
  const torch::NoGradGuard no_grad;
  CHECK(HeldBy([&] { return at::exp(at::exp(x)); }) == kBytes);
}

TEST_CASE("what runs in a part counts there, parts within parts by both names") {
  const auto a = torch::randn({4, 4}, torch::requires_grad());
  const auto parts = Counted([&] {
    auto x = at::mm(a, a);
    const PartScope outer("stages", 2);
    x = at::mm(x, a);
    {
      const PartScope inner("mlp");
      x = at::mm(at::mm(x, a), a);
    }
    return at::mm(x, a);
  });
  REQUIRE(parts.size() == 3);
  CHECK(parts.at("").multiply_adds == 64);
  CHECK(parts.at("stages.2").multiply_adds == 2 * 64);
  CHECK(parts.at("stages.2.mlp").multiply_adds == 2 * 64);
  CHECK(parts.at("").held_bytes == 64);
  CHECK(parts.at("stages.2").held_bytes == 2 * 64);
  CHECK(parts.at("stages.2.mlp").held_bytes == 2 * 64);
  CHECK(Counted([&] { return a + 1; }).size() == 1);  // nothing is left of the one before
}

TEST_CASE("ResNet-50 and the four EdgeNeXts multiply as much as published") {
  const torch::NoGradGuard no_grad;
  const auto giga = [](ClassificationNetwork& network, int64_t side) {
    network.eval();
    double sum = 0;
    for (const auto& [name, count] : Counted([&] {
           return network.Forward(torch::randn({1, 3, side, side}));
         }))
      sum += static_cast<double>(count.multiply_adds) / 1e9;
    return sum;
  };
  ResNet50 resnet;
  // torchvision's documentation: 4.09 GFLOPS.
  const double resnet_giga = giga(resnet, 224);
  MESSAGE("ResNet-50 at 224: " << resnet_giga << " G");
  CHECK(resnet_giga == doctest::Approx(4.09).epsilon(0.001));
  // The project's README, at 256. It counts about one percent more: norms, it seems.
  const std::map<std::string_view, double> published = {{"edgenext_xx_small", 0.261},
                                                        {"edgenext_x_small", 0.538},
                                                        {"edgenext_small", 1.26},
                                                        {"edgenext_base", 3.84}};
  for (const auto& variant : kEdgeNextVariants) {
    CAPTURE(variant.name);
    EdgeNextClassifier network(variant, 1000, 0);
    const double counted = giga(network, 256), due = published.at(variant.name);
    MESSAGE(std::string(variant.name) << " at 256: " << counted << " G, published " << due);
    CHECK(counted > 0.985 * due);
    CHECK(counted <= due);
  }
}

TEST_CASE("CamoXpert's parts have the reference's parameters and add up to the whole") {
  const auto described = DescribeCamoXpert({}, {64, 64, 1});
  const DescribedPart& whole = described.whole;
  CHECK(whole.parameters == 30954585);
  CHECK(whole.trainable == 30954585);
  CHECK(Find(whole, "backbone").parameters == 17925124);
  CHECK(Find(whole, "final_conv").parameters == 18561);
  const int64_t layers[] = {126587, 493167, 1578895, 6442841};
  for (int i = 0; i < 4; ++i)
    CHECK(Find(whole, "moe_layers." + std::to_string(i)).parameters == layers[i]);
  const std::map<std::string, std::vector<int64_t>> experts = {
      {"0", {27760, 25680, 18500, 13280, 13280, 13280, 14240}},
      {"3", {1453576, 1364808, 870890, 685616, 685616, 685616, 692624}}};
  for (const auto& [layer, parameters] : experts) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      const auto& part = Find(whole, "moe_layers." + layer + ".experts." + std::to_string(i));
      CHECK(part.kind == kExpertNames[i]);
      CHECK(part.parameters == parameters[i]);
      CHECK(part.share == doctest::Approx(3.0 / 7));
      CHECK(part.multiply_adds > 0);
      CHECK(part.held_bytes > 0);
    }
  }
  int64_t parameters = 0, multiply_adds = 0;
  for (const DescribedPart& part : whole.parts) {
    parameters += part.parameters;
    multiply_adds += part.multiply_adds;
    CHECK(part.counted);
    CHECK(part.multiply_adds > 0);
    CHECK(part.held_bytes > 0);
  }
  CHECK(whole.counted);
  CHECK(parameters == whole.parameters);
  CHECK(multiply_adds <= whole.multiply_adds);  // what is between the parts is the whole's
  CHECK(multiply_adds > 0.999 * static_cast<double>(whole.multiply_adds));
}

TEST_CASE("a batch through balanced routing costs what is described of it") {
  CamoXpertOptions options;
  options.backbone = "edgenext_xx_small";
  options.encoder = "sdta";
  SUBCASE("activations kept") {}
  SUBCASE("activations recomputed") { options.gradient_checkpointing = true; }
  options.top_k = 2;
  options.experts = {"contrast", "texture", "attention", "semantic_context"};
  constexpr int64_t kBatch = 4;
  const auto described = DescribeCamoXpert(options, {96, 64, kBatch});

  torch::manual_seed(3);
  const auto network = MakeCamoXpert(options);
  auto& staged = dynamic_cast<StagedNetwork&>(*network);
  const auto images = torch::randn({kBatch, 3, 96, 64}).contiguous(at::MemoryFormat::ChannelsLast);
  const auto balanced = [&] {
    const auto chosen = at::arange(2 * kBatch).remainder(4).view({kBatch, 2});
    std::vector<torch::Tensor> mixed;
    torch::Tensor from = images;
    for (size_t i = 0; i < staged.layers(); ++i) {
      const EncodedLayer encoded = staged.Encode(i, from);
      mixed.push_back(staged.Mix(i, encoded, chosen));
      from = encoded.next_from;
    }
    return staged.Decode(mixed, 96, 64);
  };
  {
    const torch::NoGradGuard no_grad;
    balanced();
  }
  int64_t multiply_adds = 0, held = 0;
  for (const auto& [name, count] : Counted(balanced)) {
    multiply_adds += count.multiply_adds;
    held += count.held_bytes;
  }
  const auto& whole = described.whole;
  MESSAGE("multiply-adds of 4 images: " << multiply_adds << " ran, " << kBatch * whole.multiply_adds
                                        << " described");
  MESSAGE("bytes held: " << held << " ran, " << whole.held_bytes << " described");
  CHECK(std::abs(multiply_adds - kBatch * whole.multiply_adds) <
        1e-3 * static_cast<double>(multiply_adds));
  // Recomputed parts keep the state of the random generator, whatever the batch.
  const double off = options.gradient_checkpointing ? 0.01 : 1e-3;
  CHECK(std::abs(held - whole.held_bytes) < off * static_cast<double>(held));
}

TEST_CASE("the table of experts has all seven, each with what it computes, and which are used") {
  CamoXpertOptions options;
  options.backbone = "edgenext_xx_small";
  options.experts = {"edge", "hybrid"};
  options.top_k = 1;
  const auto experts = DescribeCamoXpert(options, {64, 64, 1}).experts;
  REQUIRE(experts.size() == kExpertNames.size());
  for (size_t i = 0; i < experts.size(); ++i) {
    CAPTURE(kExpertNames[i]);
    CHECK(experts[i].kind->name == kExpertNames[i]);
    CHECK(experts[i].kind->computes.starts_with("x + "));
    CHECK(!experts[i].kind->source.empty());
    CHECK(experts[i].used == (kExpertNames[i] == "edge" || kExpertNames[i] == "hybrid"));
    CHECK(experts[i].parameters > 0);
    CHECK(experts[i].multiply_adds > 0);
  }
}

TEST_CASE("bfloat16 holds about half of what float32 does, and multiplies as much") {
  CamoXpertOptions options;
  options.backbone = "edgenext_xx_small";
  DescribeOptions how{64, 64, 8};
  const auto full = DescribeCamoXpert(options, how).whole;
  how.bf16 = true;
  const auto half = DescribeCamoXpert(options, how).whole;
  const double ratio = static_cast<double>(half.held_bytes) / static_cast<double>(full.held_bytes);
  MESSAGE("bfloat16 holds " << ratio << " of float32");
  CHECK(half.multiply_adds == full.multiply_adds);
  CHECK(ratio > 0.5);
  CHECK(ratio < 0.8);
}

TEST_CASE("what large images cost is worked out from smaller ones to the last byte") {
  int64_t largest = 0, runs = 0;
  const auto run = [&](int64_t height, int64_t width) {
    largest = std::max({largest, height, width});
    ++runs;
    const int64_t h = height / 32, w = width / 32, pixels = h * w;
    return PartCounts{{"", {7 * pixels * pixels + 3 * pixels + 11, 2 * h + 5 * w * w}},
                      {"inner", {0, (height / 4) * (width / 16)}}};
  };
  const auto direct = run(16384, 10007);
  largest = runs = 0;
  const auto counts = CountsAt(16384, 10007, 512 * 512, run);
  CHECK(runs == 10);
  CHECK(largest < 288);
  for (const auto& [name, count] : direct) {
    CHECK(counts.at(name).multiply_adds == count.multiply_adds);
    CHECK(counts.at(name).held_bytes == count.held_bytes);
  }
  runs = 0;
  CountsAt(64, 16384, 512 * 512, run);  // a side that is small runs as it is
  CHECK(runs == 4);
  runs = 0;
  CountsAt(512, 512, 512 * 512, run);
  CHECK(runs == 1);
}

TEST_CASE("a network of larger strides takes larger images, and one of no strides is refused") {
  const auto halved_seven_times = [](int64_t height, int64_t width) {
    return PartCounts{{"", {(height / 128) * (width / 128), 4 * height * width}}};
  };
  for (const auto [height, width] : {std::pair<int64_t, int64_t>{2000, 3000}, {16384, 700}, {800, 16383}}) {
    CAPTURE(height);
    CHECK(CountsAt(height, width, 512 * 512, halved_seven_times).at("").multiply_adds ==
          (height / 128) * (width / 128));
  }
  // One whose parts only fit together where sides divide by 64.
  const auto divisible = [&](int64_t height, int64_t width) {
    TORCH_CHECK(height % 64 == 0 && width % 64 == 0, "sizes do not match");
    return halved_seven_times(height, width);
  };
  CHECK(CountsAt(1024, 2048, 512 * 512, divisible).at("").multiply_adds == 8 * 16);
  const auto odd = [](int64_t height, int64_t width) {
    return PartCounts{{"", {height % 7 + width % 11, 0}}};
  };
  CHECK_THROWS_WITH_AS(CountsAt(2000, 3000, 512 * 512, odd),
                       "images of 2000 x 3000 px, more than 262144 pixels, are too large to run this network "
                       "on for a description, and what smaller ones cost does not tell what these do",
                       std::invalid_argument);
  const auto of_one_size = [](int64_t height, int64_t) {
    TORCH_CHECK(height == 2000, "takes 2000 px");
    return PartCounts{};
  };
  CHECK_THROWS_WITH_AS(CountsAt(2000, 3000, 512 * 512, of_one_size),
                       doctest::Contains("on smaller ones it does not run: takes 2000 px"),
                       std::invalid_argument);
}

TEST_CASE("CamoXpert's costs worked out from smaller images are those of the run") {
  CamoXpertOptions options;
  options.backbone = "edgenext_xx_small";
  DescribeOptions how{72, 300, 3};
  SUBCASE("sdta, and both sides are worked out") { how.height = 264; }
  SUBCASE("gate") { options.encoder = "gate"; }
  SUBCASE("standard attention") { options.attention = "standard"; }
  SUBCASE("activations recomputed") { options.gradient_checkpointing = true; }
  SUBCASE("bfloat16") { how.bf16 = true; }
  SUBCASE("standard attention in bfloat16, recomputed") {
    options.attention = "standard";
    options.gradient_checkpointing = how.bf16 = true;
  }
  SUBCASE("contiguous") { how.channels_last = false; }
  const auto ran = DescribeCamoXpert(options, how);
  how.most_pixels = 0;
  const auto worked_out = DescribeCamoXpert(options, how);
  CHECK(Text(worked_out.whole) == Text(ran.whole));
  for (size_t i = 0; i < ran.experts.size(); ++i)
    CHECK(worked_out.experts[i].multiply_adds == ran.experts[i].multiply_adds);
}

TEST_CASE("a network that marks no parts is described by its children, frozen weights apart") {
  struct Plain : SegmentationNetwork {
    Plain() {
      conv =
          register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3).padding(1)));
      head = register_module("head", torch::nn::Conv2d(torch::nn::Conv2dOptions(8, 1, 1)));
      conv->weight.requires_grad_(false);
    }
    SegmentationOutput Forward(const torch::Tensor& images) override {
      return {head->forward(at::relu(conv->forward(images))), {}, at::zeros({}), {}};
    }
    torch::nn::Conv2d conv{nullptr}, head{nullptr};
  } network;
  const auto whole = DescribeNetwork(network, {32, 32, 2});
  CHECK(whole.parameters == 8 * 27 + 8 + 8 + 1);
  CHECK(whole.trainable == 8 + 8 + 1);
  CHECK(whole.multiply_adds == 32 * 32 * (8 * 27 + 8));
  REQUIRE(whole.parts.size() == 2);
  CHECK(whole.parts[0].name == "conv");
  CHECK(whole.parts[0].trainable == 8);
  CHECK(whole.counted);
  CHECK_FALSE(whole.parts[0].counted);
  CHECK(whole.parts[1].parameters == 9);
}

}  // namespace flowtrain::model
