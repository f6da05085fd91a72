#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "data/tar_text.h"
#include "stages/data/tar_header.h"
#include "stages/data/tar_members.h"

namespace flowtrain::data_test {
namespace {

using data::TarContents;
using Lines = std::vector<std::string>;

TarContents Read(const std::string& tar) {
  return data::ReadTar(
      [&](uint64_t at, std::span<uint8_t> into) {
        REQUIRE(at + into.size() <= tar.size());
        std::memcpy(into.data(), tar.data() + at, into.size());
        return into.size();
      },
      tar.size());
}

// "name = content", in order, from where the members are said to lie.
Lines Members(const std::string& tar) {
  Lines lines;
  for (const data::TarMember& member : Read(tar).members) {
    if (member.kind != data::MemberKind::kFile) continue;
    lines.push_back(member.name + " = " + tar.substr(member.at, member.bytes));
  }
  return lines;
}

const std::string kLong = std::string(60, 'd') + "/" + std::string(90, 'n') + ".jpg";

TEST_CASE("members of old, ustar and GNU tar files are found where their content lies") {
  for (const TarForm form : {TarForm::kOld, TarForm::kUstar, TarForm::kGnu}) {
    const std::string big(5000, 'x');
    const std::string tar = TarText::File("a.jpg", "A", '0', form) +
                            TarText::File("dir/b c.jpg", big, '\0', form) +
                            TarText::File("\xE9\xFF.cls", "7", '7', form) + TarText::End();
    CHECK(Members(tar) == Lines{"a.jpg = A", "dir/b c.jpg = " + big, "\xE9\xFF.cls = 7"});
    CHECK(Read(tar).fault.empty());
  }
}

TEST_CASE("a ustar prefix stands before its name, and GNU's other fields there do not") {
  CHECK(Members(TarText::File("n.jpg", "x", '0', TarForm::kUstar, "some/where") + TarText::End()) ==
        Lines{"some/where/n.jpg = x"});
  CHECK(Members(TarText::File("n.jpg", "x", '0', TarForm::kGnu, "123456") + TarText::End()) ==
        Lines{"n.jpg = x"});
  const std::string full(100, 'f');  // no zero byte behind it
  CHECK(Members(TarText::File(full, "x") + TarText::End()) == Lines{full + " = x"});
}

TEST_CASE("a GNU long name and a pax path name the member behind them, and no other") {
  CHECK(Members(TarText::LongName(kLong) + TarText::File(kLong.substr(0, 100), "x") +
                TarText::File("b", "y") + TarText::End()) == Lines{kLong + " = x", "b = y"});
  const std::string pax = TarText::Record("mtime", "1.5") + TarText::Record("path", kLong) +
                          TarText::Record("comment", "a=b\nc");
  CHECK(Members(TarText::Pax(pax) + TarText::File("short", "x") + TarText::File("b", "y") +
                TarText::End()) == Lines{kLong + " = x", "b = y"});
  CHECK(Members(TarText::LongName(kLong) + TarText::Pax(TarText::Record("mtime", "1")) +
                TarText::File("b", "y") + TarText::End()) == Lines{kLong + " = y"});
}

TEST_CASE("a pax size holds instead of the header's") {
  const std::string pax = TarText::Pax(TarText::Record("size", "3"));
  const std::string tar = pax + TarText::Header("a", 0) + TarText::Padded("abc") +
                          TarText::File("b", "y") + TarText::End();
  CHECK(Members(tar) == Lines{"a = abc", "b = y"});
}

TEST_CASE("a size in base 256 is read, up to what 63 bits hold") {
  const std::string size = std::string("\x80", 1) + std::string(10, '\0') + "\x02";
  CHECK(Members(TarText::Header("a", 0, '0', TarForm::kGnu, "", size) + TarText::Padded("hi") +
                TarText::End()) == Lines{"a = hi"});
  const auto number = [](const std::string& field) {
    return data::TarNumber({reinterpret_cast<const uint8_t*>(field.data()), field.size()});
  };
  CHECK(number("00000000017\0") == 15);
  CHECK(number("     17 ") == 15);
  CHECK(number(std::string(12, '\0')) == 0);
  CHECK(number("777777777777") == 68719476735);
  CHECK(!number("0000000008"));
  CHECK(!number("-1"));
  CHECK(number(std::string("\x80\0\0\0\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 12)) == INT64_MAX);
  CHECK(!number(std::string("\x80\0\0\0\x80\0\0\0\0\0\0\0", 12)));
  CHECK(!number(std::string(12, '\xFF')));
  CHECK(!number(std::string("\xC0\0\0\0\0\0\0\0\0\0\0\1", 12)));  // negative
}

TEST_CASE(
    "folders, links, devices and what is not known are no files, with their data passed over") {
  std::string tar =
      TarText::File("dir/", "", '5') + TarText::File("old dir/", "", '\0', TarForm::kOld);
  for (const char type : {'1', '2', '3', '4', '6'}) {
    tar += TarText::Header("none", 7, type);  // the size is of what it leads to
  }
  for (const char type : {'K', 'V', 'M', 'D', 'N', 'Z', 'g'})
    tar += TarText::File("none", "data", type);
  CHECK(Members(tar + TarText::File("a", "x") + TarText::End()) == Lines{"a = x"});
}

TEST_CASE("sparse files are passed over, for their data is not their content") {
  std::string old = TarText::Header("sparse", 4, 'S', TarForm::kGnu);
  old[482] = 1;
  std::string more(512, '\0');
  more[504] = 1;
  const std::string last(512, '\0');
  const std::string tar = TarText::Summed(old) + more + last + TarText::Padded("data") +
                          TarText::Pax(TarText::Record("GNU.sparse.major", "1")) +
                          TarText::File("sparse too", "map") + TarText::File("a", "x") +
                          TarText::End();
  CHECK(Members(tar) == Lines{"a = x"});
}

TEST_CASE("what is no file is a member of its kind, and folders and labels of volumes are none") {
  std::string tar, expected;
  const std::string types = "1234567SMNZ5DVg";
  for (const char type : types) {
    const bool data = type > '6';
    tar += data ? TarText::File(std::string(1, type), "data", type, TarForm::kGnu)
                : TarText::Header(std::string(1, type), 7, type);
  }
  tar += TarText::Pax(TarText::Record("GNU.sparse.major", "1")) + TarText::File("x", "map") +
         TarText::End();
  using enum data::MemberKind;
  const std::vector<std::pair<std::string, data::MemberKind>> kinds = {
      {"1", kHardLink}, {"2", kSymbolicLink}, {"3", kDevice}, {"4", kDevice},
      {"6", kFifo},     {"7", kFile},         {"S", kSparse}, {"M", kUnknown},
      {"N", kUnknown},  {"Z", kUnknown},      {"x", kSparse}};
  const TarContents contents = Read(tar);
  CHECK(contents.fault.empty());
  REQUIRE(contents.members.size() == kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) {
    CAPTURE(kinds[i].first);
    CHECK(contents.members[i].name == kinds[i].first);
    CHECK(contents.members[i].kind == kinds[i].second);
    CHECK((contents.members[i].bytes > 0) == (kinds[i].second == kFile));
  }
}

TEST_CASE("short contents are kept with the member, such as labels") {
  const TarContents contents = Read(TarText::File("a.cls", std::string(64, '1')) +
                                    TarText::File("b.cls", std::string(65, '1')) + TarText::End());
  CHECK(contents.members.at(0).content == std::string(64, '1'));
  CHECK(contents.members.at(1).content.empty());
}

TEST_CASE("a file that is cut off anywhere gives its whole members, and says where it ends") {
  const std::string first = TarText::File("a.jpg", std::string(700, 'a')),
                    second = TarText::LongName(kLong) + TarText::File("b", std::string(600, 'b'));
  const std::string tar = first + second + TarText::End();
  for (size_t bytes = 0; bytes < tar.size() - 1024 + 512; bytes += 97) {
    CAPTURE(bytes);
    const TarContents contents = Read(tar.substr(0, bytes));
    const size_t whole = bytes >= first.size() + second.size() - (1024 - 600) ? 2
                         : bytes >= 512 + 700                                 ? 1
                                                                              : 0;
    CHECK(contents.members.size() == whole);
    CHECK(!contents.fault.empty());
  }
  CHECK(Read(first.substr(0, 900)).fault == "it ends in the middle of \"a.jpg\", at byte 900");
  CHECK(Read(first + second.substr(0, 1100)).fault ==
        "it ends in the middle of a header, at byte 2560");
  CHECK(Read(first).fault == "it ends without an end mark, at byte 1536");
  CHECK(Read(first + TarText::End().substr(512)).fault.empty());
  CHECK(Read("").fault == "it ends without an end mark, at byte 0");
}

TEST_CASE("a file that becomes shorter while it is read gives what was read before") {
  const std::string tar = TarText::File("a", std::string(8000, 'a')) + TarText::File("b", "y");
  const TarContents contents = data::ReadTar(
      [&](uint64_t at, std::span<uint8_t> into) {
        const size_t there = at == 0 ? into.size() : 100;
        std::memcpy(into.data(), tar.data() + at, there);
        return there;
      },
      tar.size());
  CHECK(contents.members.size() == 1);
  CHECK(contents.fault == "it became shorter while it was read, at byte 8804");
}

TEST_CASE("a header with a wrong checksum ends the pass there, with what came before") {
  std::string bad = TarText::File("b", "y");
  bad[0] = 'c';
  const TarContents contents =
      Read(TarText::File("a", "x") + bad + TarText::File("c", "z") + TarText::End());
  CHECK(contents.members.size() == 1);
  CHECK(contents.fault == "the header has a wrong checksum, at byte 1024");
}

TEST_CASE("a checksum over signed bytes holds, as some old programs wrote it") {
  std::string block = TarText::Header("\xE9\xE9", 0);
  int sum = 0;
  for (size_t i = 0; i < block.size(); ++i)
    sum += i >= 148 && i < 156 ? ' ' : static_cast<signed char>(block[i]);
  char text[8];
  std::snprintf(text, sizeof text, "%06o", static_cast<unsigned>(sum));
  block.replace(148, 7, std::string(text, 7));
  CHECK(Members(block + TarText::End()) == Lines{"\xE9\xE9 = "});
}

TEST_CASE(
    "sizes beyond the file, and names beyond a megabyte, end the pass without an allocation") {
  const auto fault = [](const std::string& tar) { return Read(tar + TarText::End()).fault; };
  CHECK(fault(TarText::Header("a", 0777777777777)) ==
        "it ends in the middle of \"a\", at byte 1536");
  CHECK(fault(TarText::Header("a", 0, '0', TarForm::kGnu, "", std::string(12, '\xFF'))) ==
        "the header has a size that is no number, at byte 0");
  CHECK(fault(TarText::Pax(TarText::Record("size", "9223372036854775807")) +
              TarText::File("a", "x")) == "it ends in the middle of \"a\", at byte 3072");
  CHECK(fault(TarText::Pax(TarText::Record("size", "18446744073709551616"))) ==
        "the header has a pax size that is no number, at byte 0");
  CHECK(fault(TarText::LongName(std::string((1 << 20) + 1, 'x'))) ==
        "a name or its like has 1048578 bytes, at byte 0");
}

TEST_CASE("pax records of wrong lengths are told") {
  for (const char* records : {"x", "5", "99 path=a\n", "3 a=b\n", "12 path=abc ", "8 patha\n",
                              "0 a=b\n", " a=b\n", "99999999999999999999999 a=b\n"}) {
    CAPTURE(records);
    const std::string fault =
        Read(TarText::Pax(records) + TarText::File("a", "x") + TarText::End()).fault;
    CHECK(fault.starts_with("the header has a pax record"));
  }
}

TEST_CASE("tar files put one behind the other are read as one") {
  const std::string a = TarText::File("a", "x") + TarText::End(),
                    b = TarText::File("b", "y") + TarText::End(), padding(10240, '\0');
  CHECK(Members(a + b) == Lines{"a = x", "b = y"});
  CHECK(Members(a + padding + b + padding) == Lines{"a = x", "b = y"});
  CHECK(Read(a + padding + b + padding).fault.empty());
  CHECK(Members(TarText::File("a", "x") + std::string(512, '\0') + b) == Lines{"a = x", "b = y"});
  CHECK(Members(TarText::LongName(kLong) + TarText::End() + b) == Lines{"b = y"});  // not its name
  CHECK(Read(a + b.substr(0, 1024)).fault == "it ends without an end mark, at byte 3072");
}

TEST_CASE("what follows the end mark and is no tar file is told by its length, padding is not") {
  const std::string tar = TarText::File("a", "x") + TarText::End();
  const auto fault = [&](const std::string& behind) { return Read(tar + behind).fault; };
  CHECK(fault(std::string(10240, '\0')).empty());
  CHECK(fault(std::string(100, '\0')).empty());
  CHECK(fault(std::string(512, '\0') + "some text") ==
        "9 bytes behind its end mark are no tar file and not read, at byte 2560");
  CHECK(fault(std::string(600, 'x')) ==
        "600 bytes behind its end mark are no tar file and not read, at byte 2048");
  CHECK(fault(std::string(17 << 20, '\0')) ==
        "1049600 bytes behind its end mark and many zeros are not looked at, at byte 16778240");
  CHECK(Read(tar + "x").members.size() == 1);
}

TEST_CASE("a long name in a fault is cut") {
  const std::string tar = TarText::LongName(std::string(100000, 'n')) + TarText::Header("n", 9999);
  CHECK(Read(tar).fault.size() < 300);
}

}  // namespace
}  // namespace flowtrain::data_test
