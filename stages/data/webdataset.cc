#include "stages/data/webdataset.h"

#include <flowtrain/back_off.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "stages/data/brace_names.h"
#include "stages/data/common_folder.h"
#include "stages/data/in_parallel.h"
#include "stages/data/look_for.h"
#include "stages/data/names.h"
#include "stages/data/same_names.h"
#include "stages/data/shard_findings.h"
#include "stages/data/shard_label.h"
#include "stages/data/shard_samples.h"
#include "stages/data/target.h"

namespace flowtrain::data {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNamesShown = 5;
constexpr size_t kMostShards = 1'000'000;

// What a file begins with that is a compressed tar, most likely.
bool IsCompressed(const SourceFile& file) {
  uint8_t bytes[3] = {};
  file.ReadAt(0, bytes, [] { return false; });
  constexpr uint8_t kMagics[][3] = {
      {0x1F, 0x8B, 8}, {'B', 'Z', 'h'}, {0xFD, '7', 'z'}, {0x28, 0xB5, 0x2F}};
  return std::any_of(std::begin(kMagics), std::end(kMagics), [&](const auto& magic) {
    return std::equal(std::begin(magic), std::end(magic), std::begin(bytes));
  });
}

}  // namespace

void WebDataset::Declare(Declaration<Params>& d) {
  d.Type("data.webdataset",
         "Images and their labels or masks in tar files (WebDataset): members whose names are "
         "equal up "
         "to the first dot are a sample. An index, made once and kept in the cache folder, lets "
         "them be "
         "drawn in any order.");
  d.Param("shards", &Params::shards,
          "The tar files, uncompressed: \"path/train-{0000..0146}.tar\"; {a,b} is a choice, \"::\" "
          "stands between several.")
      .Required();
  DeclareTarget(d);
  d.Param("image", &Params::image,
          "Extensions of the image, in any case; where a sample has several, the first of these.")
      .Sizes(1, 32);
  d.Param("mask", &Params::mask, "Extensions of the mask, likewise; what is the image is no mask.")
      .Sizes(1, 32);
  d.Param("label", &Params::label,
          "Extensions of the label, likewise: a file that holds an integer.")
      .Sizes(1, 32);
  d.Param("classes", &Params::classes,
          "How many classes there may be: a label that is not below is refused. 0: any number.")
      .Range(0, 1ll << 31);
}

std::vector<std::string> WebDataset::Names(OpenContext& context) const {
  std::vector<std::string> names;
  try {
    names = ExpandBraces(params_.shards.text, kMostShards);
  } catch (const std::runtime_error& error) {
    context.Refuse("shards", error.what());
  }
  if (names.empty()) context.Refuse("shards", "is empty: give the tar files' names");
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    const std::error_code error = LookFor(name);
    if (error && error != std::errc::no_such_file_or_directory) {
      context.Refuse("shards", LookFault(name, error));
    }
    if (error) missing.push_back(name);
  }
  if (!missing.empty()) {
    context.Refuse("shards", "no file is there for " + std::to_string(missing.size()) + " of " +
                                 Count(names.size(), "name", "names") + ": " +
                                 Listed(missing, kNamesShown));
  }
  return names;
}

std::vector<ShardIndex> WebDataset::Indexed(OpenContext& context) const {
  constexpr int kThreads = 16;  // they wait for storage more than they compute
  fs::path cache;
  std::mutex mutex;  // protects unkept
  std::string unkept;
  try {
    cache = context.cache_dir();
  } catch (const Error& error) {
    unkept = error.what();
  }
  std::vector<ShardIndex> indices(shards_.size());
  const auto index = [&](uint64_t i, const std::atomic<bool>& stopped) {
    const auto stopping = [&] { return stopped.load(); };
    const auto attempt = [&] {
      return IndexOf(shards_[i].path, cache, stopping, [&](const std::string& why) {
        const std::lock_guard lock(mutex);
        unkept = why;
      });
    };
    indices[i] = WithBackOff(attempt, stopping);
  };
  const auto watch = [&](uint64_t done) {
    context.Progress("indexing shards", done, shards_.size());
  };
  InParallel(shards_.size(), static_cast<int>(std::min<size_t>(kThreads, shards_.size())), index,
             watch);
  if (!unkept.empty()) context.Warn("the index is not kept, each run makes it anew: " + unkept);
  return indices;
}

WebDataset::Part WebDataset::Kept(const TarMember& member) {
  const Part part{member.at, member.bytes, names_.size(),
                  static_cast<uint32_t>(member.name.size())};
  names_ += member.name;
  return part;
}

bool WebDataset::TakeLabel(const std::string& shard, const TarMember& member, Record& record,
                           ShardFindings& findings) const {
  const ShardLabel label = LabelOf(member, params_.classes);
  record.label = label.value;
  if (label.fault == ShardLabel::Fault::kNone) return true;
  const bool integer = label.fault == ShardLabel::Fault::kOutOfRange;
  (integer ? findings.out_of_range : findings.no_integer)
      .Add(shard + "/" + member.name + " holds " + label.found);
  return false;
}

void WebDataset::Take(uint32_t shard, const TarContents& contents, ShardFindings& findings,
                      OpenContext& context) {
  const bool masks = params_.target == "mask";
  const std::string& name = shards_[shard].path.native();
  const ShardSamples found =
      SamplesOf(contents.members, {params_.image, masks ? params_.mask : params_.label},
                !contents.fault.empty());
  for (const ShardSample& sample : found.samples) {
    const TarMember &image = contents.members[sample.image],
                    &target = contents.members[sample.target];
    Record record;
    record.shard = shard;
    if (!masks && !TakeLabel(name, target, record, findings)) continue;
    record.image = Kept(image);
    if (masks) record.mask = Kept(target);
    records_.push_back(record);
  }
  findings.Add(name, found);
  findings.EndsEarly(name, contents, found.cut_off, context);
}

CountedNames WebDataset::Again() const {
  const auto stem = [&](uint64_t i) { return SplitMember(Name(records_[i].image)).stem; };
  CountedNames again;
  for (const NamedAgain& found : NamedAsBefore(records_.size(), stem)) {
    again.Add(shards_[records_[found.index].shard].path.native() + "/" +
              std::string(stem(found.index)));
  }
  return again;
}

void WebDataset::Open(OpenContext& context) {
  for (const std::string& name : Names(context)) shards_.push_back({name, {}});
  std::vector<ShardIndex> indices = Indexed(context);
  ShardFindings findings;
  for (uint32_t i = 0; i < shards_.size(); ++i) {
    const TarContents& contents = indices[i].contents;
    shards_[i].of = indices[i].of;
    if (contents.members.empty() && !contents.fault.empty()) {
      const bool compressed = WithBackOff([&] { return IsCompressed(SourceFile(shards_[i].path)); }, [] { return false; });
      context.Refuse(
          "shards",
          Printable(shards_[i].path.native()) +
              (compressed ? " is compressed: samples can be drawn from plain tar files only"
                          : " holds no file: " + contents.fault));
    }
    Take(i, contents, findings, context);
    indices[i] = {};  // millions of names
  }
  findings.again = Again();
  findings.Say(params_.target, params_.classes, context);
  if (records_.empty()) {
    context.Refuse("shards", "there is no image with a " + params_.target + " in " +
                                 Count(shards_.size(), "shard", "shards"));
  }
  context.Info(Count(records_.size(), "sample", "samples") + " from " +
               Count(shards_.size(), "shard", "shards"));
}

// Members by their names, wherever they lie in a shard.
uint64_t WebDataset::Fingerprint() const {
  CommonFolder common;
  std::vector<std::string> shards(shards_.size());  // empty: no sample is from there
  for (const Record& record : records_) {
    std::string& shard = shards[record.shard];
    if (!shard.empty()) continue;
    shard = fs::absolute(shards_[record.shard].path).lexically_normal();
    common.Add(shard);
  }
  const bool masks = params_.target == "mask";
  Fingerprinter of;
  for (const Record& record : records_) {
    of.Add(common.Inside(shards[record.shard])).Add(Name(record.image));
    if (masks) {
      of.Add(Name(record.mask));
    } else {
      of.Add(record.label);
    }
  }
  return of.value();
}

Buffer WebDataset::ReadPart(const Shard& shard, const Part& part, ReadContext& context) const {
  return context.ReadPart({shard.path, part.at, part.bytes, shard.of, std::string(Name(part))});
}

void WebDataset::Read(uint64_t index, Sample& sample, ReadContext& context) const {
  const Record& record = records_.at(index);
  const Shard& shard = shards_[record.shard];
  sample.path = shard.path.native() + "/" + std::string(Name(record.image));
  sample.set_encoded("image", ReadPart(shard, record.image, context));
  if (params_.target == "mask") {
    sample.set_encoded("mask", ReadPart(shard, record.mask, context));
  } else {
    sample.set_label("label", record.label);
  }
}

}  // namespace flowtrain::data
