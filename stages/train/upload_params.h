// What `train.upload` can be told. Declared where no LibTorch is, read by the half that has it:
// both halves include this.
#pragma once

#include <flowtrain/stage.h>

#include <string>

namespace flowtrain::train {

struct UploadParams {
  std::string mean = "imagenet";
  std::string device = "auto";
  std::string precision = "auto";
  int residents = 2;
};

void DeclareUpload(Declaration<UploadParams>& d);

}  // namespace flowtrain::train
