#include "stages/data/shard_findings.h"

#include <algorithm>

#include "stages/data/class_labels.h"
#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

constexpr size_t kShardsShown = 10;

// By kind: "left out, for a part is ...".
constexpr std::array<const char*, kMemberKinds> kKinds = {
    "a file",
    "a hard link (tar --hard-dereference stores the file itself)",
    "a symbolic link (tar --dereference stores the file itself)",
    "a device",
    "a FIFO",
    "stored as a sparse file (tar without --sparse stores it whole)",
    "a member of an unknown kind"};

}  // namespace

void ShardFindings::Add(const std::string& shard, const ShardSamples& found) {
  without_image_.Add(found.without_image, shard + "/");
  without_target_.Add(found.without_target, shard + "/");
  for (size_t kind = 0; kind < kMemberKinds; ++kind)
    no_file_[kind].Add(found.no_file[kind], shard + "/");
}

void ShardFindings::EndsEarly(const std::string& shard, const TarContents& contents,
                              const std::string& cut_off, OpenContext& context) {
  if (contents.fault.empty() || ++ended_early_ > kShardsShown) return;
  const auto files = static_cast<size_t>(
      std::count_if(contents.members.begin(), contents.members.end(),
                    [](const TarMember& member) { return member.kind == MemberKind::kFile; }));
  context.Warn(Printable(shard) + ": " + contents.fault + ": " + Count(files, "file", "files") +
               " before that are used" +
               (cut_off.empty() ? "" : ", but for what is there of sample " + Printable(cut_off)));
}

void ShardFindings::Say(const std::string& target, uint64_t classes, OpenContext& context) const {
  if (ended_early_ > kShardsShown) {
    context.Warn(Count(ended_early_ - kShardsShown, "more shard ends", "more shards end") +
                 " early");
  }
  if (out_of_range.count() > 0) {
    context.Refuse("classes", Count(out_of_range.count(), "label is", "labels are") +
                                  " not in 0.." +
                                  std::to_string((classes == 0 ? kMostClasses : classes) - 1) + ": " +
                                  out_of_range.Text());
  }
  const auto warn = [&](const CountedNames& names, const std::string& what) {
    if (names.count() == 0) return;
    context.Warn(Count(names.count(), "sample", "samples") + " " + what + ": " + names.Text());
  };
  for (size_t kind = 0; kind < kMemberKinds; ++kind)
    warn(no_file_[kind], std::string("left out, for a part is ") + kKinds[kind]);
  warn(without_image_, "left out, for there is no image");
  warn(without_target_, "left out, for there is no " + target);
  warn(no_integer, "left out, for the label is no integer");
  warn(again, "with the name of an earlier one, used like all others");
}

}  // namespace flowtrain::data
