#include "stages/train/torch_half.h"

#include "stages/train/neighbour.h"

namespace flowtrain::train {
namespace {

constexpr char kLibrary[] = "libflowtrain_train_torch.so";

void* OpenTorchHalf() {
  const std::filesystem::path path =
      FolderOf(reinterpret_cast<const void*>(&OpenTorchHalf)) / kLibrary;
  void* library = OpenLibrary(path);
  if (library == nullptr) {
    const char* why = dlerror();
    throw Error("training needs " + path.string() + " and LibTorch, which can't be opened: " +
                (why != nullptr ? why : "the loader gives no reason") + "; run deploy/setup");
  }
  return library;
}

template <class Factory>
Factory Find(const char* name) {
  static void* const library = OpenTorchHalf();
  auto* factory = reinterpret_cast<Factory>(dlsym(library, name));
  if (factory == nullptr) {
    throw Error(std::string(kLibrary) + " lacks " + name +
                ": it belongs to another build; run deploy/setup");
  }
  return factory;
}

}  // namespace

std::unique_ptr<Stage> MakeUpload(const UploadParams& params) {
  return std::unique_ptr<Stage>(Find<UploadFactory>(kUploadFactory)(&params));
}

std::unique_ptr<Stage> MakeSegmentation(const SegmentationParams& params) {
  return std::unique_ptr<Stage>(Find<SegmentationFactory>(kSegmentationFactory)(&params));
}

void RunBench(const BenchOptions& options, std::ostream& out) {
  Find<BenchFunction>(kBenchFunction)(&options, &out);
}

void DescribeNetwork(const DescribeRequest& request, std::ostream& out) {
  Find<DescribeFunction>(kDescribeFunction)(&request, &out);
}

}  // namespace flowtrain::train
