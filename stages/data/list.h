// `data.list`: images and their labels or masks as a CSV, TSV or JSON-lines file lists them. The
// list is read in Open; Read only reads the files of a line, on any I/O thread.
#pragma once

#include <flowtrain/stage.h>

#include <cstdint>
#include <string>
#include <vector>

#include "stages/data/manifest.h"

namespace flowtrain::data {

class List final : public Source {
 public:
  struct Params {
    Path file, root;
    std::string format = "auto", target;
    std::string image_column = "image", target_column;
    std::vector<std::string> class_names;
    uint64_t classes = 0;
  };
  static void Declare(Declaration<Params>& d);

  explicit List(const Params& params) : params_(params) {}
  void Open(OpenContext& context) override;
  uint64_t Size() const override { return rows_.size(); }
  uint64_t Fingerprint() const override;
  void Read(uint64_t index, Sample& sample, ReadContext& context) const override;

 private:
  Manifest Parsed(OpenContext& context) const;
  void WarnOfRepetitions(OpenContext& context) const;
  // Of the manifest's rows. Adds the faults it finds.
  void FindMissingFiles(Manifest& manifest, OpenContext& context) const;

  const Params params_;
  std::filesystem::path root_;
  std::vector<ManifestRow> rows_;
  std::vector<int64_t> labels_;  // one a row, where labels are the target
};

}  // namespace flowtrain::data
