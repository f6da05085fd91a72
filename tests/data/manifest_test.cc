#include "stages/data/manifest.h"

#include <doctest/doctest.h>

#include "stages/data/delimited_text.h"
#include "stages/data/json_line.h"

namespace flowtrain::data_test {
namespace {

using data::Manifest;
using data::ManifestFormat;
using Lines = std::vector<std::string>;

Manifest Parse(std::string_view text, ManifestFormat format = ManifestFormat::kCsv) {
  return data::ParseManifest(text, format, {"image", "label"});
}

// "line: image > target", in order.
Lines Rows(const Manifest& manifest) {
  Lines rows;
  for (const data::ManifestRow& row : manifest.rows) {
    rows.push_back(std::to_string(row.line) + ": " + row.image + " > " + row.target);
  }
  return rows;
}

std::string Faults(std::string_view text, ManifestFormat format = ManifestFormat::kCsv) {
  return Parse(text, format).faults.Text();
}

TEST_CASE("columns are found by the header's names, wherever they stand") {
  CHECK(Rows(Parse("label,width,image\n3,100,a.jpg\n4,200,b.jpg\n")) ==
        Lines{"2: a.jpg > 3", "3: b.jpg > 4"});
  CHECK(Rows(Parse("image\tlabel\na b.jpg\tcat\n", ManifestFormat::kTsv)) ==
        Lines{"2: a b.jpg > cat"});
}

TEST_CASE("a field in quotes holds delimiters, line ends and doubled quotes") {
  CHECK(Rows(Parse("image,label\r\n\"a, \"\"b\"\"\r\n.jpg\",\"3\"\r\nc.jpg,4\r\n")) ==
        Lines{"2: a, \"b\"\r\n.jpg > 3", "4: c.jpg > 4"});
  CHECK(Rows(Parse("\"image\",\"label\"\n\"\"\"\",\"a\"")) == Lines{"2: \" > a"});
}

TEST_CASE("a byte order mark, blank lines and a last line without an end change nothing") {
  CHECK(Rows(Parse("\xEF\xBB\xBFimage,label\n\n\r\na.jpg,1\n\nb.jpg,2")) ==
        Lines{"4: a.jpg > 1", "6: b.jpg > 2"});
}

TEST_CASE("each bad line is told by its number and reason, and the others are rows") {
  const Manifest manifest = Parse(
      "image,label\n"
      "a.jpg,1\n"
      "b.jpg\n"
      "c \"c\".jpg,3\n"
      "\"d.jpg\" ,4\n"
      "e\r.jpg,5\n"
      ",6\n"
      "g.jpg,\n"
      "h.jpg,8,9\n"
      "i.jpg,9\n" +
      std::string("j\0.jpg,10\n", 10));
  CHECK(Rows(manifest) == Lines{"2: a.jpg > 1", "10: i.jpg > 9"});
  CHECK(manifest.faults.count() == 8);
  CHECK(manifest.faults.Text() ==
        "line 3: 1 field, the header has 2; "
        "line 4: a quote in a field that doesn't begin with one; "
        "line 5: something follows a field's closing quote; "
        "line 6: a carriage return in a field without quotes; "
        "line 7: \"image\" is empty; line 8: \"label\" is empty; "
        "line 9: 3 fields, the header has 2; line 11: \"image\" holds a zero byte");
}

TEST_CASE("a quote that is never closed is told by the line that opens it") {
  CHECK(Faults("image,label\na.jpg,1\nb.jpg,\"2\nc.jpg,3\nd.jpg,4\n") ==
        "line 3: the quote that opens in line 3 is never closed");
}

TEST_CASE("a header that lacks a column, has it twice or isn't there is told with what it has") {
  CHECK(Faults("") == "line 1: there is no header: the file is empty");
  CHECK(Faults("path,class\na,1\n") ==
        "line 1: there is no column \"image\"; the header has path, class; "
        "line 1: there is no column \"label\"; the header has path, class");
  CHECK(Faults("image,label,image\na,1,b\n") == "line 1: the column \"image\" stands twice");
}

TEST_CASE("a thousand bad lines are counted, and the first ones shown") {
  std::string text = "image,label\n";
  for (int i = 0; i < 1000; ++i) text += "x\n";
  const std::string faults = Faults(text);
  CHECK(faults.starts_with("line 2: 1 field, the header has 2; line 3: "));
  CHECK(faults.find("line 21: ") != faults.npos);
  CHECK(faults.find("line 22: ") == faults.npos);
  CHECK(faults.ends_with("; and 980 more"));
}

TEST_CASE("a line of more fields than any list has is told, and the next ones are read") {
  const Manifest manifest = Parse("image,label\na.jpg,1\n" + std::string(1000, ',') +
                                  "\nb.jpg,2\n" + std::string(999, ',') + "\n");
  CHECK(Rows(manifest) == Lines{"2: a.jpg > 1", "4: b.jpg > 2"});
  CHECK(manifest.faults.Text() ==
        "line 3: more than 1000 fields; line 5: 1000 fields, the header has 2");
}

TEST_CASE("fields that were written are read again as they were") {
  const Lines fields = {
      "plain",    "with space", "a,b",   "tab\there", "\"", "\"\"", "line\nend",
      "cr\r\nlf", "\xE9\xFF",   " lead", "trail ",    "'",  "\r",   std::string("zero\0", 5)};
  for (const char delimiter : {',', '\t'}) {
    std::string text;
    for (const std::string& field : fields)
      text += data::DelimitedField(field, delimiter) + delimiter;
    text += "end\n";
    data::DelimitedReader reader(text, delimiter);
    data::DelimitedRecord record;
    REQUIRE(reader.Next(record));
    CHECK(record.fault == "");
    Lines expected = fields;
    expected.push_back("end");
    CHECK(record.fields == expected);
    CHECK(!reader.Next(record));
  }
}

TEST_CASE("a JSON line gives its two keys, whatever else it holds") {
  const Manifest manifest = Parse(
      R"({"image": "a.jpg", "label": 3, "box": [1, {"x": [2.5e-3, -0, null, true, false]}], "": ""})"
      "\n\n  {\"label\":\"cat\",\"image\":\"b\\\\ \\\"\\u00e9\\ud83d\\ude00\\t.jpg\"}\r\n"
      "{\"image\": \"\xE9\xFF.jpg\", \"label\": -7}",
      ManifestFormat::kJsonLines);
  CHECK(manifest.faults.Text() == "");
  CHECK(Rows(manifest) == Lines{"1: a.jpg > 3", "3: b\\ \"\xC3\xA9\xF0\x9F\x98\x80\t.jpg > cat",
                                "4: \xE9\xFF.jpg > -7"});
}

TEST_CASE("a JSON line that is none, or lacks a key, is told by its number and reason") {
  const auto fault = [](const std::string& line) {
    const std::string text = Faults(line, ManifestFormat::kJsonLines);
    return text.starts_with("line 1: ") ? text.substr(8) : text;
  };
  CHECK(fault("[1]") == "an object was expected: {\"image\": ...} (byte 1)");
  CHECK(fault(R"({"image": "a"})") == "there is no \"label\"");
  CHECK(fault(R"({"image": 7, "label": 1})") == "\"image\" is no string");
  CHECK(fault(R"({"image": "a", "label": true})") == "\"label\" is neither a string nor a number");
  CHECK(fault(R"({"image": "", "label": 1})") == "\"image\" is empty");
  CHECK(fault(R"({"image": "a\u0000", "label": 1})") == "\"image\" holds a zero byte");
  CHECK(fault(R"({"image": "a", "image": "b"})") == "the key \"image\" stands twice (byte 24)");
  CHECK(fault("{\"a\\nb\": 1, \"a\\nb\": 2}") == "the key \"a\\x0ab\" stands twice (byte 20)");
  CHECK(fault(R"({"image": "a" "label": 1})") == "a comma or } was expected (byte 15)");
  CHECK(fault(R"({"image": "a", })") == "a key in quotes was expected (byte 16)");
  CHECK(fault(R"({"image" "a"})") == "a colon was expected (byte 10)");
  CHECK(fault(R"({"image": "a)") == "a string is never closed (byte 13)");
  CHECK(fault(R"({"image": "\x"})") == "an escape that JSON doesn't know (byte 13)");
  CHECK(fault(R"({"image": "\ud800x"})") == "half a surrogate pair (byte 18)");
  CHECK(fault(R"({"image": "\ud800\u0041"})") == "half a surrogate pair (byte 24)");
  CHECK(fault(R"({"image": "\udc00"})") == "half a surrogate pair (byte 18)");
  CHECK(fault(R"({"image": "\u12g4"})") == "four hexadecimal digits were expected (byte 16)");
  CHECK(fault("{\"image\": \"a\tb\"}") == "a control character in a string (byte 14)");
  CHECK(fault(R"({"label": 01})") == "that is no number (byte 13)");
  CHECK(fault(R"({"label": -})") == "that is no number (byte 12)");
  CHECK(fault(R"({"label": nul})") == "a value was expected (byte 11)");
  CHECK(fault(R"({"image": "a", "label": 1} x)") == "something follows the object (byte 28)");
  CHECK(fault("{\"a\": " + std::string(100000, '[')) == "it is nested too deeply (byte 71)");
}

TEST_CASE("what a list is written in follows its extension") {
  CHECK(data::FormatOfFile("a/b.TSV") == ManifestFormat::kTsv);
  CHECK(data::FormatOfFile("b.jsonl") == ManifestFormat::kJsonLines);
  CHECK(data::FormatOfFile("b.NDJSON") == ManifestFormat::kJsonLines);
  CHECK(data::FormatOfFile("b.json") == ManifestFormat::kJsonLines);
  CHECK(data::FormatOfFile("b.csv") == ManifestFormat::kCsv);
  CHECK(data::FormatOfFile("list") == ManifestFormat::kCsv);
}

}  // namespace
}  // namespace flowtrain::data_test
