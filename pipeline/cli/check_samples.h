// Samples made for a transform that is checked: what its declaration asks for, and the same with
// something broken in it. Deterministic; any thread.
#pragma once

#include <flowtrain/stage.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace flowtrain::cli {

// Encoded content by name ("image"), as given by the author; PNG is made where there is none.
using EncodedFiles = std::map<std::string, std::vector<std::string>>;

class SampleMaker {
 public:
  // How many channels images get: there is no declaration of that.
  enum class Channels : uint8_t { kRgbAndMask, kGray };  // kRgbAndMask: 3, one called "mask" 1

  SampleMaker(const StageDeclaration& declaration, EncodedFiles files, Channels channels);

  // Sample `index`, of another size each time. Its images stay while `images` does.
  Sample Good(uint64_t index, ImageAllocator& images) const;
  // "64 x 48"; of the images and PNGs in it.
  static std::string SizeText(uint64_t index);

  struct Broken {
    std::string what;      // "an empty \"image\""
    bool content = false;  // the bytes are at fault: the stage is to throw BadSample
    std::function<Sample(ImageAllocator&)> make;
  };
  std::vector<Broken> AllBroken() const;

  // The names under which a transform takes encoded content.
  static std::vector<std::string> EncodedNames(const StageDeclaration& declaration);

  // The names that its declaration speaks of.
  std::vector<std::string> names() const;

 private:
  struct Need {
    std::string name;
    Flow::Kind kind;
    bool optional;
  };
  int ChannelsOf(const std::string& name) const;
  std::string Encoded(const std::string& name, uint64_t index) const;
  // `without`: a name that is left out.
  Sample Make(uint64_t index, ImageAllocator& images, const std::string& without) const;
  void AddBrokenEncoded(const std::string& name, std::vector<Broken>& all) const;
  void AddBrokenImages(const std::string& name, std::vector<Broken>& all) const;

  std::vector<Need> needs_;
  EncodedFiles files_;
  Channels channels_;
};

}  // namespace flowtrain::cli
