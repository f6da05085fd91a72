#include "stages/train/torch/device.h"

#include <functional>
#include <iostream>

#include "stages/train/neighbour.h"
#include "stages/train/torch/without_backtrace.h"

namespace flowtrain::train {
namespace {

constexpr char kLibrary[] = "libflowtrain_train_cuda.so";

struct OpenedLink {
  CudaLink* link = nullptr;
  std::string why;  // there is none, though the machine has a driver
};

OpenedLink OpenLink() {
  if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) == nullptr) return {};
  const std::filesystem::path path = FolderOf(reinterpret_cast<const void*>(&OpenLink)) / kLibrary;
  if (!std::filesystem::exists(path))
    return {nullptr, "this flowtrain was built without CUDA (" + path.string() + " is not there)"};
  void* library = OpenLibrary(path);
  if (library == nullptr) {
    const char* why = dlerror();
    return {nullptr, path.string() + " can't be opened: " +
                         (why != nullptr ? why : "the loader gives no reason") +
                         "; run deploy/setup"};
  }
  auto* factory = reinterpret_cast<CudaLinkFactory>(dlsym(library, kCudaLinkFactory));
  if (factory == nullptr)
    return {nullptr, path.string() + " belongs to another build; run deploy/setup"};
  return {factory(), ""};
}

Device Find(const std::string& text, const std::function<void(const std::string&)>& warn) {
  if (text == "cpu") return {};
  static const OpenedLink opened = OpenLink();
  Device device;
  if (opened.link == nullptr && !opened.why.empty()) {
    if (text != "auto")
      throw Error("\"" + text + "\": " + opened.why + "; allowed here: auto, cpu");
    warn("there is a GPU driver, but the CPU is used: " + opened.why);
    return device;
  }
  device.torch = model::ResolveDevice(text);
  if (!device.torch.is_cuda()) return device;
  device.link = opened.link;
  device.link->CheckCard(device.torch.index());
  return device;
}

}  // namespace

Device OpenDevice(const std::string& device, const std::string& precision) {
  Device found = Find(device, [](const std::string& message) { std::cerr << message << '\n'; });
  found.precision = model::ResolvePrecision(precision, found.torch);
  return found;
}

Device OpenDevice(OpenContext& context, const std::string& device, const std::string& precision) {
  Device found;
  try {
    found = WithoutBacktrace(
        [&] { return Find(device, [&](const std::string& message) { context.Warn(message); }); });
  } catch (const std::exception& error) {
    context.Refuse("device", error.what());
  }
  try {
    found.precision = model::ResolvePrecision(precision, found.torch);
  } catch (const std::exception& error) {
    context.Refuse("precision", error.what());
  }
  return found;
}

}  // namespace flowtrain::train
