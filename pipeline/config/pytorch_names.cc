#include "pipeline/config/pytorch_names.h"

#include <algorithm>

namespace flowtrain::config {
namespace {

constexpr const char* kLoader = "DataLoader";
constexpr const char* kDistributed = "DistributedSampler";
constexpr const char* kVision = "torchvision";

// A parameter is written as <where it stands>/<its name>: "staging/batch", "run/threads", and
// "source/..." for what every source has.
constexpr PyTorchName kNames[] = {
    {"dataset", kLoader,
     "a stage that is a source: \"data.segmentation\", \"data.classification\", \"data.list\", "
     "\"data.webdataset\", or one of your own (\"flowtrain plugin new\")"},
    {"batch_size", kLoader, "\"staging/batch\""},
    {"shuffle", kLoader,
     "\"source/sampler/shuffle\", drawn anew each epoch from the graph's \"seed\""},
    {"sampler", kLoader,
     "\"source/sampler\" (shuffle, rank, world_size); several sources by weight: \"data.mix\""},
    {"batch_sampler", kLoader,
     "not needed: \"source/sampler\" says the order and \"staging/batch\" where it is cut; batches "
     "chosen by content: a source of your own that orders its samples so"},
    {"num_workers", kLoader,
     "\"run/threads\" (or --threads) threads compute, \"source/io_threads\" read; by default as "
     "many compute as there are CPUs"},
    {"collate_fn", kLoader,
     "not needed: \"staging\" lays each sample into its row of the batch; samples get one size by "
     "\"image.augment/size\", and a whole batch is changed by a batch transform of your own"},
    {"pin_memory", kLoader, "\"staging/pinned\", on by default"},
    {"drop_last", kLoader,
     "\"staging/last_batch\": \"drop\" (the default), \"partial\" or \"pad\""},
    {"timeout", kLoader,
     "\"run/stall_timeout\": a run in which nothing moves so long ends with a report"},
    {"worker_init_fn", kLoader,
     "not needed: workers are threads that keep no state, and random numbers follow from \"seed\", "
     "epoch and sample, whatever thread draws them"},
    {"multiprocessing_context", kLoader, "not needed: workers are threads of one process"},
    {"generator", kLoader,
     "\"seed\" of the graph (or --seed); a stage's own random stream: \"transform/rng_key\""},
    {"prefetch_factor", kLoader,
     "\"source/read_ahead\" samples are read ahead of decoding, \"staging/slots\" batches are "
     "ready or being filled"},
    {"persistent_workers", kLoader,
     "not needed: workers live as long as the run, and epochs flow into each other"},
    {"pin_memory_device", kLoader,
     "not needed: \"staging/pinned\" memory serves every CUDA device; \"train.upload/device\" "
     "names the one that batches go to"},
    {"in_order", kLoader, "not needed: batches always come in order, whatever finishes first"},
    {"num_replicas", kDistributed, "\"source/sampler/world_size\""},
    {"rank", kDistributed, "\"source/sampler/rank\""},
    {"seed", kDistributed, "\"seed\" of the graph, one for all that is random"},
    {"Compose", kVision, "\"image.augment/ops\", a list that is carried out in its order"},
    {"Resize", kVision, "\"image.augment/size\" (height, width)"},
    {"CenterCrop", kVision,
     "op \"center_crop\" of \"image.augment\"; Resize(256) and CenterCrop(224): \"share\" 0.875 at "
     "\"size\" [224, 224]"},
    {"RandomResizedCrop", kVision,
     "op \"random_resized_crop\" of \"image.augment\"; only that part is decoded"},
    {"RandomHorizontalFlip", kVision, "op \"flip\" of \"image.augment\""},
    {"RandomVerticalFlip", kVision, "op \"flip\" of \"image.augment\", \"axis\": \"vertical\""},
    {"RandomRotation", kVision, "op \"affine\" of \"image.augment\", \"degrees\""},
    {"RandomAffine", kVision, "op \"affine\" of \"image.augment\""},
    {"ColorJitter", kVision, "op \"jitter\" of \"image.augment\""},
    {"Grayscale", kVision, "op \"gray\" of \"image.augment\", \"p\": 1"},
    {"RandomGrayscale", kVision, "op \"gray\" of \"image.augment\""},
    {"GaussianBlur", kVision, "op \"blur\" of \"image.augment\""},
    {"RandomErasing", kVision, "op \"cutout\" of \"image.augment\""},
    {"ToTensor", kVision,
     "not needed: batches are tensors, bytes until \"train.upload\" makes floats of them on the "
     "device"},
    {"Normalize", kVision,
     "\"train.upload/mean\": \"imagenet\", which is mean and deviation, on the device"},
};

}  // namespace

std::span<const PyTorchName> PyTorchNames() { return kNames; }

std::string PyTorchHint(const std::string& name) {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const PyTorchName& known) { return known.name == name; });
  if (found == std::end(kNames)) return "";
  const std::string of = found->of;
  return "\"" + name + "\" is " + (of == kVision ? of : "PyTorch " + of) +
         "'s; here: " + found->here;
}

}  // namespace flowtrain::config
