// The plugin's door: what opening it costs, and what is said where its second half is missing.
#include "train/plugin.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

namespace flowtrain::train::test {
namespace {

TEST_CASE("declaring the training stages maps no LibTorch") {
  CHECK(Plugin().declarations.size() == 2);
  CHECK(MapsAfterOpening().find("libflowtrain_train.so") != std::string::npos);
  CHECK(MapsAfterOpening().find("torch") == std::string::npos);
  CHECK(MapsAfterOpening().find("libc10") == std::string::npos);
}

TEST_CASE("a plugin whose LibTorch half is missing says which library, why, and what to do") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("flowtrain-alone-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::filesystem::path alone = folder / "libflowtrain_train.so";
  std::filesystem::copy_file(FLOWTRAIN_TRAIN_PLUGIN, alone,
                             std::filesystem::copy_options::overwrite_existing);
  const testing::CollectingRegistrar registrar = testing::LoadPlugin(alone);
  std::string message;
  try {
    const StageDeclaration& upload = registrar.Find("train.upload");
    upload.create(testing::WithDefaults(upload, Value(Value::Object{})));
  } catch (const Error& error) {
    message = error.what();
  }
  std::filesystem::remove_all(folder);
  CHECK(message.find((folder / "libflowtrain_train_torch.so").string()) != std::string::npos);
  CHECK(message.find("No such file") != std::string::npos);
  CHECK(message.find("run deploy/setup") != std::string::npos);
}

TEST_CASE("what the trainer refuses is named by its place in the graph") {
  const auto refused = [](const Value::Object& changes) -> std::string {
    testing::TestOpenContext open;
    InputInfo info;
    info.batches_per_epoch = 2;
    open.inputs.emplace("train", info);
    open.inputs.emplace("val", InputInfo{});
    try {
      testing::MakeStage(Plugin().Find("train.segmentation"), Tiny(changes), open);
    } catch (const testing::Refused& refusal) {
      return refusal.parameter() + ": " + refusal.what();
    }
    return "accepted";
  };
  CHECK(refused({}) == "accepted");
  CHECK(refused({{"precision", "bf16"}}).substr(0, 10) == "precision:");
  CHECK(refused({{"device", "gpu"}}) == "device: device 'gpu'; allowed: auto, cpu, cuda, cuda:N");
  CHECK(refused({{"device", "cuda:99"}}).substr(0, 7) == "device:");
  CHECK(refused({{"optimizer/min_lr", 1.0}}) == "optimizer/min_lr: is more than lr");
  CHECK(refused({{"model/experts", Value::List{"edge"}}, {"model/top_k", 2}}).substr(0, 6) ==
        "model:");
}

}  // namespace
}  // namespace flowtrain::train::test
