#include "stages/data/webdataset.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "data/tar_text.h"
#include "data/temp_tree.h"
#include "stages/data/same_names.h"
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
  std::string In(const std::string& name) const { return (*this / name).native(); }
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

TEST_CASE("members with one stem are a sample, in the order of shards and members") {
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
  CHECK(shards.Open("x.tar", "mask")
            .Warned("1 sample left out, for there is no mask: " + shards.In("x.tar/c")));
  Value params = shards.Params("x.tar", "mask");
  params.Set("image", Value::List{"WebP"});
  params.Set("mask", Value::List{"seg.tif"});
  CHECK(OpenedShards(params, shards.cache()).Targets() == Lines{"image d > mask d"});
}

TEST_CASE("samples that lack a half, or have a label that is none, are named and left out") {
  Shards shards;
  shards.Write("x.tar", TarText::File("a.jpg", "A") + TarText::File("b.cls", "1") +
                            Pair("c", "cat") + Pair("e", "") + Pair("f", "5") +
                            TarText::File("readme", "x") + TarText::End());
  const OpenedShards opened = shards.Open("x.tar");
  CHECK(opened.Targets() == Lines{"image f > 5"});
  CHECK(opened.Warned("1 sample left out, for there is no label: " + shards.In("x.tar/a")));
  CHECK(opened.Warned("1 sample left out, for there is no image: " + shards.In("x.tar/b")));
  CHECK(opened.Warned("2 samples left out, for the label is no integer: " +
                      shards.In("x.tar/c.cls holds \"cat\", ") +
                      shards.In("x.tar/e.cls holds nothing")));
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
            .Warned("8 samples left out, for there is no label: " + shards.In("x-0.tar/first, ") +
                    shards.In("x-1.tar/0, ") + shards.In("x-1.tar/1, ") + shards.In("x-1.tar/2, ") +
                    shards.In("x-1.tar/3 and 3 more")));
}

TEST_CASE("labels out of range are refused with their members") {
  Shards shards;
  shards.Write("x.tar", Pair("a", "9") + Pair("b", "10") + Pair("c", "0") + TarText::End());
  Value params = shards.Params("x.tar");
  CHECK(shards.Refused(params).empty());
  params.Set("classes", 10);
  CHECK(shards.Refused(params) ==
        "classes: 1 label is not in 0..9: " + shards.In("x.tar/b.cls holds \"10\""));
  for (const std::string label : {"-1", "2147483648", "99999999999999999999"}) {
    shards.Write("x.tar", Pair("a", label) + TarText::End());
    CHECK(shards.Refused(shards.Params("x.tar")) ==
          "classes: 1 label is not in 0..2147483647: " +
              shards.In("x.tar/a.cls holds \"" + label + "\""));
  }
  shards.Write("x.tar", Pair("a", "2147483647") + Pair("b", "\t 7 \r\n") + TarText::End());
  CHECK(shards.Open("x.tar").Targets() == Lines{"image a > 2147483647", "image b > 7"});
}

TEST_CASE("what stands in a label's place is shown, cut and without what steers a terminal") {
  const std::vector<std::pair<std::string, std::string>> found = {
      {"7 8", "\"7 8\""},
      {"+7", "\"+7\""},
      {"1.0", "\"1.0\""},
      {"-", "\"-\""},
      {" \n", "\" \\x0a\""},
      {"\x1B[2J", "\"\\x1b[2J\""},
      {"\xEF\xBB\xBF"
       "7",
       "\"\\xef\\xbb\\xbf7\" (a byte order mark)"},
      {std::string("\xFF\xFE"
                   "7\0",
                   4),
       "\"\\xff\\xfe7\\x00\" (UTF-16?)"},
      {std::string("\0"
                   "7",
                   2),
       "\"\\x007\" (UTF-16?)"},
      {std::string(61, 'x'), "\"" + std::string(40, 'x') + "..." + std::string(20, 'x') + "\""},
      {std::string(5000, '1'), "5000 bytes"}};
  for (const auto& [content, shown] : found) {
    CAPTURE(shown);
    Shards shards;
    shards.Write("x.tar", Pair("a", content) + Pair("b", "1") + TarText::End());
    CHECK(shards.Open("x.tar").Warned("1 sample left out, for the label is no integer: " +
                                      shards.In("x.tar/a.cls holds " + shown)));
  }
}

TEST_CASE("members of a sample are put together wherever they stand in the shard") {
  Shards shards;
  std::string images, labels;
  for (const std::string n : {"1", "2", "3"}) {
    images += TarText::File(n + ".jpg", "image " + n);
    labels = TarText::File(n + ".cls", n) + labels;
  }
  shards.Write("x.tar", images + labels + TarText::End());
  const OpenedShards opened = shards.Open("x.tar");
  CHECK(opened.Targets() == Lines{"image 1 > 1", "image 2 > 2", "image 3 > 3"});
  CHECK(opened.context.warnings.empty());
}

TEST_CASE("a name that comes again begins another sample, and that is said") {
  Shards shards;
  const std::string first = TarText::File("a.jpg", "first") + TarText::File("a.cls", "1"),
                    second = TarText::File("a.JPG", "second") + TarText::File("a.cls", "2");
  shards.Write("x-0.tar", first + Pair("b", "3") + second + TarText::End());
  shards.Write("x-1.tar", TarText::File("a.jpg", "third") + TarText::File("a.cls", "4") +
                              Pair("c", "5") + TarText::End());
  const OpenedShards opened = shards.Open("x-{0..1}.tar");
  CHECK(opened.Targets() ==
        Lines{"first > 1", "image b > 3", "second > 2", "third > 4", "image c > 5"});
  CHECK(opened.context.warnings ==
        Lines{"2 samples with the name of an earlier one, used like all others: " +
              shards.In("x-0.tar/a, ") + shards.In("x-1.tar/a")});
  // A label belongs to the latest image before it.
  shards.Write("y.tar", TarText::File("a.jpg", "first") + Pair("b", "3") + second + TarText::End());
  const OpenedShards half = shards.Open("y.tar");
  CHECK(half.Targets() == Lines{"image b > 3", "second > 2"});
  CHECK(half.Warned("1 sample left out, for there is no label: " + shards.In("y.tar/a")));
  // One shard named twice.
  CHECK(shards.Open("x-1.tar::" + shards.In("x-1.tar"))
            .Warned("2 samples with the name of an earlier"));
}

TEST_CASE("of many samples with few names each one is found that has an earlier one's") {
  const auto name = [](uint64_t i) {
    return i % 2 == 0 ? std::string_view("even") : i == 7 ? "seven" : "odd";
  };
  std::vector<data::NamedAgain> expected;
  for (uint64_t i = 2; i < 100000; ++i) {
    if (i != 7) expected.push_back({i, i % 2});
  }
  CHECK(data::NamedAsBefore(100000, name) == expected);
  CHECK(data::NamedAsBefore(0, name).empty());
}

TEST_CASE("a sample with thousands of members takes no longer than as many samples") {
  std::vector<data::TarMember> members;
  for (int i = 0; i < 300000; ++i) members.push_back({.name = "a.x" + std::to_string(i)});
  for (const char* name : {"a.jpg", "a.cls", "a.x299999", "a.png"})
    members.push_back({.name = name});
  const auto start = std::chrono::steady_clock::now();
  const data::ShardSamples found = data::SamplesOf(members, {{"jpg", "png"}, {"cls"}});
  CHECK(found.samples.size() == 1);
  CHECK(found.without_target.count() == 1);  // the png, of the sample that "a.x299999" began
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("a part that is a link, a device or sparse is the reason why its sample is left out") {
  const std::vector<std::pair<char, std::string>> kinds = {
      {'1', "a hard link"}, {'2', "a symbolic link"},         {'3', "a device"},
      {'6', "a FIFO"},      {'S', "stored as a sparse file"}, {'N', "a member of an unknown kind"}};
  for (const auto& [type, kind] : kinds) {
    CAPTURE(kind);
    Shards shards;
    shards.Write("x.tar", TarText::Header("a.jpg", 0, type) + TarText::File("a.cls", "1") +
                              TarText::File("b.jpg", "image b") +
                              TarText::Header("b.cls", 0, type) + Pair("c", "3") +
                              TarText::Header("c.png", 0, type) +
                              TarText::Header("readme", 0, type) + TarText::End());
    const OpenedShards opened = shards.Open("x.tar");
    CHECK(opened.Targets() == Lines{"image c > 3"});
    REQUIRE(opened.context.warnings.size() == 1);
    CHECK(opened.Warned("2 samples left out, for a part is " + kind));
    CHECK(opened.Warned(": " + shards.In("x.tar/a.jpg, ") + shards.In("x.tar/b.cls")));
  }
}

TEST_CASE("tar files that were put one behind the other are one shard") {
  Shards shards;
  shards.Write("x.tar", Pair("a", "1") + TarText::End() + std::string(8192, '\0') + Pair("b", "2") +
                            TarText::End());
  const OpenedShards opened = shards.Open("x.tar");
  CHECK(opened.Targets() == Lines{"image a > 1", "image b > 2"});
  CHECK(opened.context.warnings.empty());
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
  CHECK(
      opened.Warned("cut.tar: it ends in the middle of a header, at byte 3072: 3 files before "
                    "that are used, but for what is there of sample b"));
  CHECK(opened.Warned(
      "bad.tar: the header has a wrong checksum, at byte 2048: 2 files before that are used"));
  CHECK(opened.context.warnings.size() == 2);
  // Said in each run, not only in the one that makes the index.
  CHECK(shards.Open("{cut,bad}.tar").context.warnings.size() == 2);
}

TEST_CASE("a thousand shards that end early are ten lines, and their number") {
  Shards shards;
  for (int i = 0; i < 40; ++i)
    shards.Write("x-" + std::to_string(i) + ".tar", Pair(std::to_string(i), "1"));
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

TEST_CASE("without a folder for caches each run makes the index anew, which costs a line") {
  Shards shards;
  shards.Write("x.tar", Pair("a", "1") + Pair("b", "2") + TarText::End());
  const OpenedShards opened(shards.Params("x.tar"), "");  // the folder can't be made
  CHECK(opened.Targets() == Lines{"image a > 1", "image b > 2"});
  REQUIRE(opened.context.warnings.size() == 1);
  CHECK(opened.Warned("the index is not kept, each run makes it anew: "));
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
