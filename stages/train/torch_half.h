// The door between the plugin's two halves: libflowtrain_train.so declares,
// libflowtrain_train_torch.so hosts LibTorch and is opened when the first stage is made, so that
// validating a graph opens neither.
#pragma once

#include <memory>

#include "stages/train/bench/options.h"
#include "stages/train/describe/request.h"
#include "stages/train/segmentation_params.h"
#include "stages/train/upload_params.h"

namespace flowtrain::train {

// Throw Error where the second half can't be opened, with the loader's reason and what to do.
std::unique_ptr<Stage> MakeUpload(const UploadParams& params);
std::unique_ptr<Stage> MakeSegmentation(const SegmentationParams& params);
void RunBench(const BenchOptions& options, std::ostream& out);
// Throws NetworkRefused where there is no such network, or it takes no such images.
void DescribeNetwork(const DescribeRequest& request, std::ostream& out);

// What the second half exports, and under which names. The caller owns what they return.
using UploadFactory = Stage* (*)(const UploadParams*);
using SegmentationFactory = Stage* (*)(const SegmentationParams*);
using BenchFunction = void (*)(const BenchOptions*, std::ostream*);
using DescribeFunction = void (*)(const DescribeRequest*, std::ostream*);
inline constexpr char kUploadFactory[] = "flowtrain_train_make_upload";
inline constexpr char kSegmentationFactory[] = "flowtrain_train_make_segmentation";
inline constexpr char kBenchFunction[] = "flowtrain_train_bench";
inline constexpr char kDescribeFunction[] = "flowtrain_train_describe";

}  // namespace flowtrain::train
