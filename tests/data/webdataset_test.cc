#include "stages/data/webdataset.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "data/tar_text.h"
#include "data/temp_tree.h"
#include "stages/data/shard_samples.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

struct OpenedShards : OpenedSource {
  OpenedShards(const Value& params, const fs::path& cache)
      : OpenedSource(testing::DeclarationOf<data::WebDataset>(), params, 42, cache) {}
};

// A folder of shards beside a cache folder.
struct Shards : TempTree {
  void Write(const fs::path& name, const std::string& content) const {
    fs::create_directories((*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << content;
  }
  fs::path cache() const { return *this / "cache"; }
  Value Params(const std::string& shards, const std::string& target = "label") const {
    Value params{Value::Object{}};
    params.Set("shards", (*this / shards).native());
    params.Set("target", target);
    return params;
  }
  OpenedShards Open(const std::string& shards, const std::string& target = "label") const {
    return {Params(shards, target), cache()};
  }
  std::string Refused(const Value& params) const {
    try {
      OpenedShards(params, cache());
    } catch (const testing::Refused& refused) {
      return refused.parameter() + ": " + refused.what();
    }
    return "";
  }
};

std::string Pair(const std::string& stem, const std::string& label) {
  return TarText::File(stem + ".jpg", "image " + stem) + TarText::File(stem + ".cls", label);
}

TEST_CASE("a name's stem ends at the first dot of its last part") {
  const auto split = [](std::string_view name) {
    const data::MemberName member = data::SplitMember(name);
    return std::string(member.stem) + " | " + std::string(member.extension);
  };
  CHECK(split("a.jpg") == "a | jpg");
  CHECK(split("d.1/e/a.mask.png") == "d.1/e/a | mask.png");
  for (const char* none : {"a", "d.1/a", ".jpg", "d/._a.jpg", "a.", "d/"})
    CHECK(split(none) == " | ");
}

TEST_CASE("consecutive members with one stem are a sample, in the order of shards and members") {
  Shards shards;
  shards.Write("x-0.tar", Pair("b", "1") + Pair("d.0/a", " 2\n") + TarText::End());
  shards.Write("x-1.tar", TarText::File("c.cls", "0") + TarText::File("c.json", "{}") +
                              TarText::File("c.JPEG", "image c") + TarText::End());
  const OpenedShards opened = shards.Open("x-{0..1}.tar");
  CHECK(opened.Targets() == Lines{"image b > 1", "image d.0/a > 2", "image c > 0"});
  CHECK(opened.context.warnings.empty());
  CHECK(opened.Informed("3 samples from 2 shards"));
  CHECK(opened.Read(1).path == (shards / "x-0.tar/d.0/a.jpg").native());
  CHECK(shards.Open("x-1.tar::" + (shards / "x-0.tar").native()).Targets()[0] == "image c > 0");
}

TEST_CASE(
    "an image and its mask are told by their extensions, the mask being what is not the image") {
  Shards shards;
  shards.Write("x.tar",
               TarText::File("a.png", "mask a") + TarText::File("a.jpg", "image a") +
                   TarText::File("b.png", "image b") + TarText::File("b.mask.png", "mask b") +
                   TarText::File("c.png", "lonely") + TarText::File("d.seg.tif", "mask d") +
                   TarText::File("d.webp", "image d") + TarText::End());
  CHECK(shards.Open("x.tar", "mask").Targets() == Lines{"image a > mask a", "image b > mask b"});
  CHECK(shards.Open("x.tar", "mask").Warned("1 sample left out, for there is no mask: c"));
  Value params = shards.Params("x.tar", "mask");
  params.Set("image", Value::List{"WebP"});
  params.Set("mask", Value::List{"seg.tif"});
  CHECK(OpenedShards(params, shards.cache()).Targets() == Lines{"image d > mask d"});
}

TEST_CASE("samples that lack a half, or have a label that is none, are named and left out") {
  Shards shards;
  shards.Write("x.tar", TarText::File("a.jpg", "A") + TarText::File("b.cls", "1") +
                            Pair("c", "cat") + Pair("d", std::string(40, '1')) + Pair("e", "") +
                            Pair("f", "5") + TarText::File("readme", "x") + TarText::End());
  const OpenedShards opened = shards.Open("x.tar");
  CHECK(opened.Targets() == Lines{"image f > 5"});
  CHECK(opened.Warned("1 sample left out, for there is no label: a"));
  CHECK(opened.Warned("1 sample left out, for there is no image: b"));
  CHECK(opened.Warned("3 samples left out, for the label is no integer: c.cls, d.cls, e.cls"));
}

TEST_CASE("of the samples left out all are counted, and only the first ones kept") {
  Shards shards;
  std::vector<data::TarMember> members;
  std::string tar;
  for (int i = 0; i < 1000; ++i) {
    members.push_back({.name = std::to_string(i) + (i < 900 ? ".jpg" : ".cls")});
    if (i < 7) tar += TarText::File(members.back().name, "x");
  }
  const data::ShardSamples found = data::SamplesOf(members, {{"jpg"}, {"cls"}});
  CHECK(found.without_target.count() == 900);
  CHECK(found.without_target.kept() == Lines{"0", "1", "2", "3", "4"});
  CHECK(found.without_image.count() == 100);
  CHECK(found.without_image.kept() == Lines{"900", "901", "902", "903", "904"});
  shards.Write("x-0.tar", TarText::File("first.jpg", "x") + TarText::End());
  shards.Write("x-1.tar", tar + Pair("good", "1") + TarText::End());
  CHECK(shards.Open("x-{0..1}.tar")
            .Warned("8 samples left out, for there is no label: first, 0, 1, 2, 3 and 3 more"));
}

TEST_CASE("labels out of range are refused with their members") {
  Shards shards;
  shards.Write("x.tar", Pair("a", "9") + Pair("b", "10") + Pair("c", "0") + TarText::End());
  Value params = shards.Params("x.tar");
  CHECK(shards.Refused(params).empty());
  params.Set("classes", 10);
  CHECK(shards.Refused(params) == "classes: 1 label is not in 0..9: b.cls: 10");
  shards.Write("x.tar", Pair("a", "-1") + TarText::End());
  CHECK(Holds(shards.Refused(shards.Params("x.tar")), "classes: 1 label is negative: a.cls: -1"));
}

TEST_CASE("shards that end early give their good samples and one line each") {
  Shards shards;
  const std::string whole = Pair("a", "1") + Pair("b", "2");
  shards.Write("cut.tar", whole.substr(0, whole.size() - 700));
  std::string bad = Pair("d", "4");
  bad[0] = 'D';
  shards.Write("bad.tar", Pair("c", "3") + bad + TarText::End());
  const OpenedShards opened = shards.Open("{cut,bad}.tar");
  CHECK(opened.Targets() == Lines{"image a > 1", "image c > 3"});
  CHECK(opened.Warned("cut.tar: it ends in the middle of a header, at byte 3072: 3 files before"));
  CHECK(opened.Warned(
      "bad.tar: the header has a wrong checksum, at byte 2048: 2 files before that are used"));
  CHECK(opened.context.warnings.size() == 3);  // and that b has no label
  // Said in each run, not only in the one that makes the index.
  CHECK(shards.Open("{cut,bad}.tar").context.warnings.size() == 3);
}

TEST_CASE("a thousand shards that end early are ten lines, and their number") {
  Shards shards;
  for (int i = 0; i < 40; ++i) shards.Write("x-" + std::to_string(i) + ".tar", Pair("a", "1"));
  const OpenedShards opened = shards.Open("x-{0..39}.tar");
  CHECK(opened.source->Size() == 40);
  CHECK(opened.context.warnings.size() == 11);
  CHECK(opened.Warned("30 more shards end early"));
}

TEST_CASE("what is no tar file, is compressed or not there is refused by name") {
  Shards shards;
  shards.Write("text.tar", std::string(2000, 'x'));
  shards.Write("x.tar.gz", "\x1F\x8B\x08" + std::string(2000, 'x'));
  shards.Write("empty.tar", "");
  shards.Write("none.tar", TarText::End());
  CHECK(Holds(shards.Refused(shards.Params("text.tar")),
              "text.tar holds no file: the header has a wrong checksum, at byte 0"));
  CHECK(Holds(shards.Refused(shards.Params("x.tar.gz")), "x.tar.gz is compressed"));
  CHECK(Holds(shards.Refused(shards.Params("empty.tar")), "empty.tar holds no file"));
  CHECK(Holds(shards.Refused(shards.Params("none.tar")),
              "there is no image with a label in 1 shard"));
  CHECK(Holds(shards.Refused(shards.Params("{none,gone,lost}.tar")),
              "shards: no file is there for 2 of 3 names: "));
  CHECK(Holds(shards.Refused(shards.Params("{0..1")), "shards: its braces don't match"));
  Value params = shards.Params("none.tar");
  params.Set("shards", "");
  CHECK(Holds(shards.Refused(params), "shards: is empty"));
}

TEST_CASE("a shard that can't be looked at is told by its error, and not as missing") {
  Shards shards;
  fs::create_symlink("loop.tar", shards / "loop.tar");
  const std::string refusal = shards.Refused(shards.Params("{loop,gone}.tar"));
  CHECK(Holds(refusal, "shards: can't look at "));
  CHECK(Holds(refusal, "loop.tar: Too many levels of symbolic links"));
}

TEST_CASE("storage that is at fault for a moment does not end the indexing") {
  Shards shards;
  shards.Write("x.tar", Pair("a", "1") + TarText::End());
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  const rlimit none{0, files.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);  // no file can be opened
  std::jthread passes([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::setrlimit(RLIMIT_NOFILE, &files);
  });
  CHECK(shards.Open("x.tar").source->Size() == 1);
}

TEST_CASE("a sample is read without the other bytes of its shard") {
  Shards shards;
  shards.Write("x.tar", TarText::File("big.bin", std::string(1 << 20, 'x')) + Pair("a", "1") +
                            TarText::End());
  OpenedShards opened = shards.Open("x.tar");
  CHECK(opened.Read(0).encoded("image").size == 7);
  CHECK(opened.context.instruments.counters.at("shard_read_bytes_total").value == 7);
}

TEST_CASE("a shard that changes while a run goes on ends it with an error that names it") {
  Shards shards;
  shards.Write("x.tar", Pair("a", "1") + TarText::End());
  const OpenedShards opened = shards.Open("x.tar");
  shards.Write("x.tar", Pair("b", "1") + Pair("c", "1") + TarText::End());
  CHECK_THROWS_WITH_AS(opened.Read(0), doctest::Contains("x.tar has changed since it was indexed"),
                       Error);
  fs::remove(shards / "x.tar");
  CHECK_THROWS_WITH_AS(opened.Read(0), doctest::Contains("x.tar: No such file"), Error);
}

}  // namespace
}  // namespace flowtrain::data_test
