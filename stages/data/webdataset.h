// `data.webdataset`: images and their labels or masks in tar files, read at any place by an index
// that is made in Open. Read opens one shard for one sample, on any I/O thread.
#pragma once

#include <flowtrain/stage.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/data/shard_findings.h"
#include "stages/data/shard_index.h"

namespace flowtrain::data {

class WebDataset final : public Source {
 public:
  struct Params {
    Path shards;
    std::string target;
    std::vector<std::string> image = {"jpg", "jpeg", "png"}, mask = {"mask.png", "png"},
                             label = {"cls"};
    uint64_t classes = 0;
  };
  static void Declare(Declaration<Params>& d);

  explicit WebDataset(const Params& params) : params_(params) {}
  void Open(OpenContext& context) override;
  uint64_t Size() const override { return records_.size(); }
  uint64_t Fingerprint() const override;
  void Read(uint64_t index, Sample& sample, ReadContext& context) const override;

 private:
  struct Shard {
    std::filesystem::path path;
    FileStamp of;  // when it was indexed
  };
  struct Part {
    uint64_t at = 0, bytes = 0;  // in the shard
    uint64_t name = 0;           // where it begins in names_
    uint32_t name_bytes = 0;
  };
  struct Record {
    uint32_t shard = 0;
    Part image, mask;   // mask: where that is the target
    int64_t label = 0;  // where that is
  };
  std::vector<std::string> Names(OpenContext& context) const;
  std::vector<ShardIndex> Indexed(OpenContext& context) const;
  void Take(uint32_t shard, const TarContents& contents, ShardFindings& findings,
            OpenContext& context);
  bool TakeLabel(const std::string& shard, const TarMember& member, Record& record,
                 ShardFindings& findings) const;
  CountedNames Again() const;  // samples that have an earlier one's name
  Part Kept(const TarMember& member);
  std::string_view Name(const Part& part) const {
    return std::string_view(names_).substr(part.name, part.name_bytes);
  }
  Buffer ReadPart(const Shard& shard, const Part& part, ReadContext& context) const;

  const Params params_;
  std::vector<Shard> shards_;
  std::vector<Record> records_;
  std::string names_;  // of the members, one behind the other: one block for millions
};

}  // namespace flowtrain::data
