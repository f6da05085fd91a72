// A trainer that keeps an average of the weights.
#include <torch/torch.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/doctest_torch.h"
#include "model/io/load_weights.h"
#include "model/io/safetensors.h"
#include "model/peak_memory.h"
#include "model/state_dict.h"
#include "model/train/segmentation_trainer.h"
#include "model/train_tiny_network.h"
#include "support/scratch_folder.h"

namespace flowtrain::model {
namespace {

using test::MakeToyBatch;
using test::TinyNetwork;
using test::ToyBatch;

struct AveragedRun {
  explicit AveragedRun(double ema_decay = 0.9, bool channels_last = true) {
    TrainerOptions options;
    options.device = "cpu";
    options.channels_last = channels_last;
    options.schedule = {.lr = 1e-2, .min_lr = 1e-3, .warmup_steps = 3, .total_steps = 60};
    options.ema_decay = ema_decay;
    trainer = std::make_unique<SegmentationTrainer>(network, options);
    trainer->BindThread();
  }
  double Step(uint64_t batch) {
    const ToyBatch toy = MakeToyBatch(batch);
    return Summarise(trainer->Step(toy.images, toy.masks)).loss;
  }
  void EvaluateBatch() {
    const ToyBatch toy = MakeToyBatch(1000);
    trainer->Evaluate(toy.images, toy.masks, 4);
  }
  EvalMetrics Evaluate() {
    EvaluateBatch();
    return trainer->FinishEvaluation();
  }

  std::shared_ptr<TinyNetwork> network = std::make_shared<TinyNetwork>();
  std::unique_ptr<SegmentationTrainer> trainer;
};

std::string Bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The files of a save, one after the other.
std::string Saved(const AveragedRun& run) {
  const ScratchFolder dir;
  run.trainer->Save(dir.path());
  return Bytes(dir / kModelFile) + Bytes(dir / "optimizer.safetensors") +
         Bytes(dir / kAveragesFile);
}

TEST_CASE(
    "an evaluation is of the averages, and a checkpoint's ema.safetensors has what it scored") {
  AveragedRun run;
  for (uint64_t batch = 0; batch < 12; ++batch) run.Step(batch);
  const EvalMetrics averaged = run.Evaluate();
  const ScratchFolder dir;
  run.trainer->Save(dir.path());

  const auto score = [&](const std::filesystem::path& weights) {
    AveragedRun other(0);
    CHECK(LoadWeights(*other.network, weights, LoadMode::kStrict).Complete());
    return other.Evaluate();
  };
  const EvalMetrics kept = score(dir / kAveragesFile), trained = score(dir / kModelFile);
  MESSAGE("IoU " << averaged.iou << " of the averages, " << trained.iou
                 << " of what is trained; MAE " << averaged.mae << ", " << trained.mae);
  CHECK(kept.iou == averaged.iou);
  CHECK(kept.mae == averaged.mae);
  CHECK(trained.mae != averaged.mae);
  CHECK(score(dir.path()).mae == averaged.mae);  // what a checkpoint's folder means
}

TEST_CASE("weights and batch norm's statistics are averaged over a trainer's steps") {
  AveragedRun run(0.9);
  std::map<std::string, torch::Tensor> expected;
  for (const auto& [name, tensor] : StateDict(*run.network))
    expected[name] = tensor.detach().to(torch::kDouble);
  for (int step = 1; step <= 6; ++step) {
    run.Step(static_cast<uint64_t>(step));
    for (const auto& [name, tensor] : StateDict(*run.network)) {
      const double keep = std::min(0.9, (1.0 + step) / (10.0 + step));
      expected[name] = expected[name] * keep + tensor.detach().to(torch::kDouble) * (1 - keep);
    }
  }
  const ScratchFolder dir;
  run.trainer->Save(dir.path());
  const TensorMap averages = ReadSafetensors(dir / kAveragesFile).tensors;
  const TensorMap trained = ReadSafetensors(dir / kModelFile).tensors;
  CHECK(averages.size() == trained.size());
  for (const std::string name :
       {"first.weight", "norm.weight", "norm.running_mean", "norm.running_var"}) {
    CAPTURE(name);
    CHECK((averages.at(name) - expected.at(name)).abs().max().item<double>() < 1e-6);
    CHECK((averages.at(name) - trained.at(name)).abs().max().item<double>() > 1e-4);
  }
  CHECK(averages.at("norm.num_batches_tracked").item<int64_t>() == 6);
}

TEST_CASE("training is bit for bit the same with evaluations, finished or not, and without") {
  AveragedRun undisturbed, evaluated, plain(0);
  for (uint64_t batch = 0; batch < 8; ++batch) {
    const double loss = undisturbed.Step(batch);
    CHECK(evaluated.Step(batch) == loss);
    CHECK(plain.Step(batch) == loss);
    if (batch == 2 || batch == 5) {
      evaluated.Evaluate();
      const auto own = StateDict(*evaluated.network), due = StateDict(*undisturbed.network);
      for (size_t i = 0; i < due.size(); ++i) CHECK(torch::equal(own[i].second, due[i].second));
    }
    if (batch == 3) evaluated.EvaluateBatch();  // and goes on without an end
  }
  evaluated.EvaluateBatch();  // saved in the middle of one
  CHECK(Saved(evaluated) == Saved(undisturbed));
}

TEST_CASE("a run with averages that goes on from a save is bit for bit the undisturbed one") {
  for (const bool channels_last : {true, false}) {
    const ScratchFolder dir;
    AveragedRun whole(0.9, channels_last), resumed(0.9, channels_last);
    std::vector<double> losses;
    for (uint64_t batch = 0; batch < 10; ++batch) {
      if (batch == 4) whole.trainer->Save(dir.path());
      losses.push_back(whole.Step(batch));
    }
    resumed.Step(77);
    resumed.EvaluateBatch();  // its own past must not show
    resumed.trainer->Load(dir.path());
    resumed.trainer->FinishEvaluation();
    for (uint64_t batch = 4; batch < 10; ++batch) CHECK(resumed.Step(batch) == losses[batch]);
    CHECK(Saved(resumed) == Saved(whole));
    CHECK(resumed.Evaluate().mae == whole.Evaluate().mae);
  }
}

TEST_CASE("without an average nothing is kept of one, in memory or in a checkpoint") {
  const auto bytes = [](double ema_decay) {
    return PeakBytes(at::kCPU, [=] { const AveragedRun run(ema_decay); });
  };
  const int64_t without = bytes(0), with = bytes(0.9);
  MESSAGE(without << " bytes without an average, " << with << " with one");
  int64_t averaged = 0;
  for (const auto& [name, tensor] : StateDict(TinyNetwork())) {
    if (tensor.is_floating_point()) averaged += static_cast<int64_t>(tensor.nbytes());
  }
  CHECK(with - without >= averaged);

  const ScratchFolder dir;
  AveragedRun plain(0);
  plain.trainer->Save(dir.path());
  CHECK_FALSE(std::filesystem::exists(dir / kAveragesFile));
}

TEST_CASE(
    "a checkpoint whose averages are missing, of another step or of another network is refused") {
  const ScratchFolder dir, later;
  AveragedRun run;
  run.trainer->Save(dir.path());
  run.Step(0);
  run.trainer->Save(later.path());
  const auto path = dir / kAveragesFile;
  const auto refusal = [&]() -> std::string {
    try {
      AveragedRun().trainer->Load(dir.path());
      return "accepted";
    } catch (const std::runtime_error& e) {
      return e.what();
    }
  };
  CHECK(refusal() == "accepted");
  TensorMap tensors = ReadSafetensors(path).tensors;
  for (auto& [name, tensor] : tensors) tensor = tensor.clone();
  tensors.erase("norm.running_var");
  std::filesystem::remove(path);
  CHECK(refusal() == path.string() + ": cannot be opened: No such file or directory");
  std::filesystem::copy_file(later / kAveragesFile, path);
  CHECK(refusal() ==
        dir.path().string() + ": model.safetensors is of step 0, ema.safetensors of step 1");
  WriteSafetensors(path, tensors, {{"step", "0"}});
  CHECK(refusal() == path.string() + ": 1 missing: norm.running_var");
}

}  // namespace
}  // namespace flowtrain::model
