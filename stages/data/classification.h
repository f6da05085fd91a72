// `data.classification`: images in a folder a class. The list is made in Open; Read only reads one
// file, on any I/O thread.
#pragma once

#include <flowtrain/stage.h>

#include <cstdint>
#include <string>
#include <vector>

#include "stages/data/class_folders.h"

namespace flowtrain::data {

class Classification final : public Source {
 public:
  struct Params {
    Path root;
    std::string split = "train";
    double val_share = 0.1;
    uint64_t classes = 0, per_class = 0, subset_seed = 42;
  };
  static void Declare(Declaration<Params>& d);

  explicit Classification(const Params& params) : params_(params) {}
  void Open(OpenContext& context) override;
  uint64_t Size() const override { return files_.size(); }
  uint64_t Fingerprint() const override;
  void Read(uint64_t index, Sample& sample, ReadContext& context) const override;

 private:
  struct File {
    uint32_t label = 0;
    std::string name;
  };
  const ClassHalf& HalfOf(const ClassTree& tree, OpenContext& context) const;
  void DrawClasses(OpenContext& context);
  void ListFiles(bool share, OpenContext& context);
  // Takes the split's share of a class's files, and then as many as were asked for.
  void Share(const std::string& of_class, std::vector<std::string>& names, uint64_t seed) const;
  void Draw(const std::string& of_class, std::vector<std::string>& names) const;
  void WriteList(const ClassTree& tree, OpenContext& context) const;

  const Params params_;
  std::filesystem::path folder_;      // of the half
  std::vector<std::string> classes_;  // folder names, by label
  std::vector<File> files_;           // by label, then name
};

}  // namespace flowtrain::data
