// The plugin's first half: declarations. Nothing here may include or link LibTorch.
#include "stages/train/bench/command.h"
#include "stages/train/describe/command.h"
#include "stages/train/torch_half.h"

FLOWTRAIN_PLUGIN("train", "0.1", registrar) {
  using namespace flowtrain::train;
  registrar.AddDeferred<UploadParams>(flowtrain::StageKind::kBatchTransform, &DeclareUpload,
                                      &MakeUpload);
  registrar.AddDeferred<SegmentationParams>(flowtrain::StageKind::kConsumer, &DeclareSegmentation,
                                            &MakeSegmentation);
  registrar.Provide<flowtrain::Command>("train.bench_model", std::make_shared<BenchModel>());
  registrar.Provide<flowtrain::GraphCommand>("train.model_describe", std::make_shared<DescribeModel>());
}
