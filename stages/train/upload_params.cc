#include "stages/train/upload_params.h"

namespace flowtrain::train {

void DeclareUpload(Declaration<UploadParams>& d) {
  d.Type(
      "train.upload",
      "Brings batches to the training device and turns their bytes into normalised numbers there.");
  d.Param("mean", &UploadParams::mean,
          "imagenet: (x / 255 - mean) / deviation with ImageNet's, a channel at a time; none: x / "
          "255.")
      .Choices({"imagenet", "none"});
  d.Param("device", &UploadParams::device,
          "auto (the first GPU, else the CPU), cpu, cuda or cuda:N; the trainer's.")
      .Affects(Effect::kRuntime);
  d.Param("precision", &UploadParams::precision,
          "Of the images: auto is bf16 where the GPU computes in it, else float32.")
      .Choices({"auto", "float32", "bf16"})
      .Affects(Effect::kTraining);
  d.Param("residents", &UploadParams::residents,
          "Batches on the device at once: one in training, the others on their way.")
      .Range(1, 8)
      .Unit("batches")
      .Affects(Effect::kRuntime);
  d.Input("in", {"image"});
  d.Residents(&UploadParams::residents);
}

}  // namespace flowtrain::train
