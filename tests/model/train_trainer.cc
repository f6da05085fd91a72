#include <torch/torch.h>

#include <ATen/Parallel.h>

#include <cmath>
#include <limits>

#include "model/doctest_torch.h"
#include "model/state_dict.h"
#include "model/train/segmentation_trainer.h"
#include "support/scratch_folder.h"
#include "model/train_tiny_network.h"

namespace flowtrain::model {
namespace {

using test::MakeToyBatch;
using test::TinyNetwork;
using test::ToyBatch;

TrainerOptions Options() {
  TrainerOptions options;
  options.device = "cpu";
  options.schedule = {.lr = 1e-2, .min_lr = 1e-3, .warmup_steps = 3, .total_steps = 60};
  return options;
}

struct Run {
  explicit Run(const TrainerOptions& options = Options())
      : network(std::make_shared<TinyNetwork>()), trainer(network, options) {
    trainer.BindThread();
  }
  StepSummary Step(uint64_t batch) {
    const ToyBatch toy = MakeToyBatch(batch);
    return Summarise(trainer.Step(toy.images, toy.masks));
  }
  EvalMetrics Evaluate() {
    const ToyBatch toy = MakeToyBatch(1000);
    trainer.Evaluate(toy.images, toy.masks, 4);
    return trainer.FinishEvaluation();
  }

  std::shared_ptr<TinyNetwork> network;
  SegmentationTrainer trainer;
};

bool SameState(const TinyNetwork& a, const TinyNetwork& b) {
  const auto left = StateDict(a), right = StateDict(b);
  bool same = left.size() == right.size();
  for (size_t i = 0; same && i < left.size(); ++i) {
    same = left[i].first == right[i].first && torch::equal(left[i].second, right[i].second);
  }
  return same;
}

TEST_CASE("the loss falls and the validation IoU rises on a toy problem") {
  Run run;
  const EvalMetrics before = run.Evaluate();
  const double first = run.Step(0).loss;
  double last = first;
  for (uint64_t batch = 1; batch < 60; ++batch) last = run.Step(batch).loss;
  const EvalMetrics after = run.Evaluate();
  MESSAGE("loss " << first << " -> " << last << ", IoU " << before.iou << " -> " << after.iou);
  CHECK(last < 0.6 * first);
  CHECK(after.iou > before.iou + 0.2);
  CHECK(after.iou > 0.7);
  CHECK(after.mae < before.mae);
}

TEST_CASE("a step's summary has its number, rate, parts that add up and the routing's usage") {
  Run run;
  const StepSummary first = run.Step(0), second = run.Step(1);
  CHECK(first.step == 1);
  CHECK(second.step == 2);
  CHECK(first.lr == LearningRate(Options().schedule, 0));
  CHECK(second.lr == LearningRate(Options().schedule, 1));
  const LossWeights w;
  CHECK(first.loss == doctest::Approx(w.bce * first.bce + w.iou * first.iou + w.edge * first.edge +
                                      w.deep * first.deep + first.auxiliary));
  for (const double part : {first.bce, first.iou, first.edge, first.deep, first.auxiliary}) CHECK(part > 0);
  CHECK(first.gradient_norm > 0);
  CHECK(first.usage == std::vector<std::vector<double>>{{4, 0}});
}

TEST_CASE("training continued from a save is bit for bit the undisturbed run") {
  for (const bool channels_last : {true, false}) {
    TrainerOptions options = Options();
    options.channels_last = channels_last;
    const ScratchFolder dir;
    Run whole(options);
    std::vector<double> losses;
    for (uint64_t batch = 0; batch < 10; ++batch) {
      if (batch == 4) whole.trainer.Save(dir.path());
      losses.push_back(whole.Step(batch).loss);
    }
    Run resumed(options);
    resumed.Step(77);  // its own past must not show
    resumed.trainer.Load(dir.path());
    CHECK(resumed.trainer.step() == 4);
    for (uint64_t batch = 4; batch < 10; ++batch) CHECK(resumed.Step(batch).loss == losses[batch]);
    CHECK(SameState(*whole.network, *resumed.network));
  }
}

TEST_CASE("dropout draws by seed and step: another seed gives another run, the same the same") {
  TrainerOptions other = Options();
  other.seed = 43;
  Run a, b, c(other);
  const double loss = a.Step(0).loss;
  torch::manual_seed(99);  // whatever drew in between
  CHECK(b.Step(0).loss == loss);
  CHECK(c.Step(0).loss != loss);
}

TEST_CASE("saving the same state twice gives the same files, and evaluation changes nothing") {
  const ScratchFolder one, two;
  Run run;
  run.Step(0);
  run.trainer.Save(one.path());
  run.Evaluate();
  run.trainer.Save(two.path());
  Run other;
  other.trainer.Load(two.path());
  CHECK(SameState(*run.network, *other.network));
  const double next = run.Step(1).loss;
  other.trainer.Load(one.path());
  CHECK(other.Step(1).loss == next);
}

TEST_CASE("only the rows asked for are evaluated") {
  Run run;
  ToyBatch toy = MakeToyBatch(3);
  run.trainer.Evaluate(toy.images, toy.masks, 2);
  const EvalMetrics two = run.trainer.FinishEvaluation();
  toy.images.narrow(0, 2, 2).fill_(std::numeric_limits<float>::quiet_NaN());
  run.trainer.Evaluate(toy.images, toy.masks, 2);
  run.trainer.Evaluate(toy.images, toy.masks, 0);
  const EvalMetrics again = run.trainer.FinishEvaluation();
  CHECK(two.images == 2);
  CHECK(again.images == 2);
  CHECK(again.mae == two.mae);
  CHECK_THROWS_WITH(run.trainer.Evaluate(toy.images, toy.masks, 5),
                    "segmentation trainer: 5 rows of a batch of 4");
}

TEST_CASE("a loss that is not finite is reported with the first such step, and never saved") {
  const ScratchFolder dir;
  Run run;
  run.Step(0);
  run.network->scale = std::numeric_limits<double>::infinity();
  const ToyBatch toy = MakeToyBatch(1);
  run.trainer.Step(toy.images, toy.masks);
  run.network->scale = 1;
  CHECK_THROWS_WITH(run.Step(2), "the loss or the gradient is not finite since step 2");
  CHECK_THROWS_WITH(run.trainer.Save(dir.path()),
                    ("not saved to " + dir.path().string() +
                     ": the loss or the gradient is not finite since step 2").c_str());
  CHECK(std::filesystem::is_empty(dir.path()));
}

TEST_CASE("a checkpoint whose halves don't belong together is refused") {
  const ScratchFolder dir, later;
  Run run;
  run.trainer.Save(dir.path());
  run.Step(0);
  run.trainer.Save(later.path());
  std::filesystem::copy_file(later.path() / "optimizer.safetensors", dir.path() / "optimizer.safetensors",
                             std::filesystem::copy_options::overwrite_existing);
  CHECK_THROWS_WITH(run.trainer.Load(dir.path()),
                    (dir.path().string() + ": model.safetensors is of step 0, optimizer.safetensors of "
                                         "step 1").c_str());
}

TEST_CASE("gradients are clipped before the step") {
  TrainerOptions options = Options();
  options.clip = 0.01;
  Run run(options);
  CHECK(run.Step(0).gradient_norm > 0.1);
  double squares = 0;
  for (const torch::Tensor& p : run.network->parameters()) {
    if (p.grad().defined()) squares += p.grad().square().sum().item<double>();
  }
  CHECK(std::sqrt(squares) == doctest::Approx(0.01).epsilon(1e-3));
}

TEST_CASE("on a CPU weights and activations are float32, channels-last where asked for") {
  Run run;
  const ToyBatch toy = MakeToyBatch(0);
  run.trainer.Step(toy.images.to(torch::kBFloat16), toy.masks);
  CHECK((run.network->input_type == torch::kFloat));
  CHECK(run.trainer.precision() == Precision::kFloat32);
  const torch::Tensor weight = run.network->named_parameters()["first.weight"];
  CHECK(weight.is_contiguous(at::MemoryFormat::ChannelsLast));
  CHECK_FALSE(weight.is_contiguous());
  CHECK(at::get_num_threads() == 1);
}

TEST_CASE("options out of range are refused by name, value and range") {
  const auto refusal = [](auto change) -> std::string {
    TrainerOptions options = Options();
    change(options);
    try {
      SegmentationTrainer(std::make_shared<TinyNetwork>(), options);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "accepted";
  };
  CHECK(refusal([](auto&) {}) == "accepted");
  CHECK(refusal([](auto& o) { o.clip = 0; }) == "trainer option clip = 0; allowed: > 0");
  CHECK(refusal([](auto& o) { o.ema_decay = 0.999; }) == "accepted");
  CHECK(refusal([](auto& o) { o.ema_decay = 1; }) ==
        "trainer option ema_decay = 1; allowed: >= 0 and < 1");
  CHECK(refusal([](auto& o) { o.ema_decay = -0.1; }) ==
        "trainer option ema_decay = -0.1; allowed: >= 0 and < 1");
  CHECK(refusal([](auto& o) { o.ema_decay = std::nan(""); }) ==
        "trainer option ema_decay = nan; allowed: >= 0 and < 1");
  CHECK(refusal([](auto& o) { o.schedule.lr = -1; }) == "trainer option lr = -1; allowed: > 0");
  CHECK(refusal([](auto& o) { o.schedule.min_lr = 1; }) == "trainer option min_lr = 1; allowed: 0 to lr");
  CHECK(refusal([](auto& o) { o.schedule.warmup_steps = 61; }) ==
        "trainer option warmup_steps = 61; allowed: 0 to total_steps");
  CHECK(refusal([](auto& o) { o.loss.edge = -0.5; }) == "trainer option loss.edge = -0.5; allowed: >= 0");
  CHECK(refusal([](auto& o) { o.cpu_threads = 0; }) == "trainer option cpu_threads = 0; allowed: >= 1");
  CHECK(refusal([](auto& o) { o.device = "gpu"; }) == "device 'gpu'; allowed: auto, cpu, cuda, cuda:N");
  CHECK(refusal([](auto& o) { o.device = "cuda:x"; }) ==
        "device 'cuda:x'; allowed: auto, cpu, cuda, cuda:N");
  CHECK(refusal([](auto& o) { o.precision = "fp8"; }) ==
        "precision 'fp8'; allowed: auto, float32, bf16");
  CHECK(refusal([](auto& o) { o.precision = "bf16"; }) ==
        "precision 'bf16' needs a GPU of compute capability 8.0 or more, and cpu is none; allowed here: "
        "auto, float32");
}

TEST_CASE("a GPU that the machine lacks is refused with how many there are") {
  const auto gpus = torch::cuda::is_available() ? torch::cuda::device_count() : 0;
  const std::string name = "cuda:" + std::to_string(gpus);
  const std::string start = "device '" + name + "': this machine has " + std::to_string(gpus);
  try {
    ResolveDevice(name);
    FAIL("accepted");
  } catch (const std::runtime_error& e) {
    CHECK(std::string(e.what()).substr(0, start.size()) == start);
  }
}

TEST_CASE("batches of a wrong shape are refused, with what is allowed") {
  Run run;
  CHECK_THROWS_WITH(run.trainer.Step(torch::zeros({2, 3, 8, 8}), torch::zeros({2, 1, 8, 9})),
                    "segmentation trainer: images [2, 3, 8, 8] Float on cpu, masks [2, 1, 8, 9] on cpu; "
                    "allowed: floating-point images [B, 3, H, W] and masks [B, 1, H, W], B >= 1, on cpu");
  CHECK_THROWS_AS(run.trainer.Step(torch::zeros({2, 3, 8, 8}, torch::kByte), torch::zeros({2, 1, 8, 8})),
                  std::invalid_argument);
}

}  // namespace
}  // namespace flowtrain::model
