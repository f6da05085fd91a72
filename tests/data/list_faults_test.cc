#include <doctest/doctest.h>
#include <sys/stat.h>

#include "data/list_tree.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

// What the refusal of a list with this content says behind "file: 1 fault in <file>: ".
std::string OneFault(const ListTree& folder, const std::string& content,
                     const char* name = "list.csv", const char* target = "label") {
  folder.Write(name, content);
  const std::string refusal = ListRefusal(Targets(folder / name, target));
  const std::string head = "file: 1 fault in " + (folder / name).native() + ": ";
  return refusal.starts_with(head) ? refusal.substr(head.size()) : "not one fault: " + refusal;
}

TEST_CASE("each kind of fault names the list's file and its line") {
  const ListTree folder;
  const std::string head = "image,label\nimages/a.jpg,0\n", json = "{\"image\": \"images/a.jpg\", ";
  const auto csv = [&](const std::string& lines) { return OneFault(folder, head + lines); };
  const auto lines = [&](const std::string& more) {
    return OneFault(folder, json + "\"label\": 0}\n" + more + "\n", "list.jsonl");
  };
  CHECK(csv("images/b.jpg\n") == "line 3: 1 field, the header has 2");
  CHECK(csv("\n\nimages/b.jpg,1,1\n") == "line 5: 3 fields, the header has 2");
  CHECK(csv("images/b\".jpg,1\n") == "line 3: a quote in a field that doesn't begin with one");
  CHECK(csv("images/b.jpg,\"1\n") == "line 3: the quote that opens in line 3 is never closed");
  CHECK(csv("images/b.jpg,\"1\"1\n") == "line 3: something follows a field's closing quote");
  CHECK(csv("images/b.jpg,\r1\n") == "line 3: a carriage return in a field without quotes");
  CHECK(csv(",1\n") == "line 3: \"image\" is empty");
  CHECK(csv("images/b.jpg,\n") == "line 3: \"label\" is empty");
  CHECK(csv(std::string("images/\0b.jpg,1\n", 16)) == "line 3: \"image\" holds a zero byte");
  CHECK(csv("images/b.jpg,cat\n") == "line 3: the label \"cat\" is no whole number, as others are");
  CHECK(csv("images/z.jpg,1\n") ==
        "line 3: there is no file " + (folder / "images/z.jpg").native());
  CHECK(csv("images,1\n") == "line 3: " + (folder / "images").native() + " is a folder, no file");
  CHECK(OneFault(folder, "") == "line 1: there is no header: the file is empty");
  CHECK(OneFault(folder, "image\na.jpg\n") ==
        "line 1: there is no column \"label\"; the header has image");
  CHECK(OneFault(folder, "image,label,label\n") == "line 1: the column \"label\" stands twice");
  CHECK(lines("[1]") == "line 2: an object was expected: {\"image\": ...} (byte 1)");
  CHECK(lines(json + "}") == "line 2: a key in quotes was expected (byte 27)");
  CHECK(lines("{\"image\": \"images/a.jpg\"}") == "line 2: there is no \"label\"");
  CHECK(lines(json + "\"label\": \"\"}") == "line 2: \"label\" is empty");
  CHECK(lines(json + "\"label\": null}") == "line 2: \"label\" is neither a string nor a number");
  CHECK(lines("\n" + json + "\"label\": -2}") == "line 3: the label \"-2\" is negative");
  CHECK(OneFault(folder, "image,mask\nimages/a.jpg,masks/z.png\n", "list.csv", "mask") ==
        "line 2: there is no file " + (folder / "masks/z.png").native());
}

TEST_CASE("labels are held to one rule, whatever the list is written in") {
  const ListTree folder;
  const std::string other = " is a number but no whole number without sign and blanks";
  const std::pair<std::string, std::string> cases[] = {
      {"-1", " is negative"},
      {"-99999999999999999999", " is negative"},
      {"2147483648", " is not in 0..2147483647"},
      {"99999999999999999999", " is not in 0..2147483647"},
      {"3.0", other},
      {"3e0", other},
      {"+3", other},
      {" 3", other},
      {"3 ", other},
      {" ", " is blank"},
      {" cat", " begins or ends with a blank"},
      {"cat", " is no whole number, as others are"}};
  for (const auto& [label, why] : cases) {
    CAPTURE(label);
    const std::string fault = "line 2: the label \"" + label + "\"" + why;
    const std::string json = "\"images/a.jpg\"}\n{\"label\": 0, \"image\": \"images/b.jpg\"}\n";
    CHECK(OneFault(folder, "image,label\nimages/a.jpg," + label + "\nimages/b.jpg,0\n") == fault);
    CHECK(OneFault(folder, "image\tlabel\nimages/a.jpg\t" + label + "\nimages/b.jpg\t0\n",
                   "list.tsv") == fault);
    CHECK(
        Holds(OneFault(folder, "\n{\"label\": \"" + label + "\", \"image\": " + json, "list.jsonl"),
              fault));
    const bool json_number = label.find_first_of("+ c") == label.npos;
    if (!json_number) continue;
    CHECK(OneFault(folder, "\n{\"label\": " + label + ", \"image\": " + json, "list.jsonl") ==
          fault);
  }
  folder.Write("list.csv", "image,label\nimages/a.jpg,2147483647\nimages/b.jpg,007\n");
  CHECK(OpenedList(Labels(folder / "list.csv")).Targets() == Lines{"a > 2147483647", "b > 7"});
}

TEST_CASE("names of classes don't differ by blanks around them, unless they are given so") {
  const ListTree folder;
  CHECK(OneFault(folder, "image,label\nimages/a.jpg,cat\nimages/b.jpg,cat \n") ==
        "line 3: the label \"cat \" begins or ends with a blank");
  Value params = Labels(folder / "list.csv");
  params.Set("class_names", Value::List{"cat ", "cat"});
  CHECK(OpenedList(params).Targets() == Lines{"a > 1", "b > 0"});
}

TEST_CASE("no classes are counted before a list is sound") {
  const ListTree folder;
  folder.Write("list.csv", "image,label\nimages/gone.jpg,0\n");
  testing::TestOpenContext context;
  const StageDeclaration declaration = testing::DeclarationOf<data::List>();
  CHECK_THROWS_AS(testing::Make<Source>(declaration, Labels(folder / "list.csv"), context),
                  testing::Refused);
  CHECK(context.infos.empty());
}

TEST_CASE("a value of ten megabytes is shown by its ends") {
  const ListTree folder;
  const std::string huge(10 << 20, 'x');
  const std::string shown = "\"" + std::string(40, 'x') + "..." + std::string(20, 'x') + "\"";
  CHECK(OneFault(folder, "image,label\nimages/a.jpg,0\nimages/b.jpg," + huge + "\n") ==
        "line 3: the label " + shown + " is no whole number, as others are");
  CHECK(OneFault(folder, "{\"" + huge + "\": 1, \"" + huge + "\": 2}\n", "list.jsonl") ==
        "line 1: the key " + shown + " stands twice (byte " + std::to_string(2 * huge.size() + 12) +
            ")");
  const std::string column = OneFault(folder, "image," + huge + "\n");
  CHECK(column.starts_with("line 1: there is no column \"label\"; the header has image, xxx"));
  CHECK(column.size() < 300);
  const std::string file = OneFault(folder, "image,label\n" + huge + "/last.jpg,0\n");
  CHECK(file.starts_with("line 2: can't look at " + folder.root().native() + "/xxx"));
  CHECK(file.ends_with("xxx/last.jpg: File name too long"));
  CHECK(file.size() < 300);
}

TEST_CASE("what would steer a terminal, or is no UTF-8, is escaped wherever it stands in a list") {
  const ListTree folder;
  const std::string
      hostile = "\x1B[31m\a\xC2\x9B\xE2\x80\xAE\xE9",  // a colour, a bell, CSI, right to left
      shown = "\\x1b[31m\\x07\\xc2\\x9b\\xe2\\x80\\xae\\xe9";
  CHECK(OneFault(folder, "image,label\nimages/a.jpg,0\nimages/b.jpg," + hostile + "\n") ==
        "line 3: the label \"" + shown + "\" is no whole number, as others are");
  CHECK(OneFault(folder, "image," + hostile + "\n") ==
        "line 1: there is no column \"label\"; the header has image, " + shown);
  CHECK(OneFault(folder, "image,label\n" + hostile + ",0\n") ==
        "line 2: there is no file " + folder.root().native() + "/" + shown);
  folder.File("images/" + hostile + ".jpg");
  folder.Write(hostile + ".csv",
               "image,label\nimages/" + hostile + ".jpg,0\nimages/" + hostile + ".jpg,1\n");
  const OpenedList opened(Labels(folder / (hostile + ".csv")));
  CHECK(opened.Informed("2 samples from " + folder.root().native() + "/" + shown + ".csv"));
  CHECK(opened.Warned("line 3 gives images/" + shown + ".jpg \"1\""));
  CHECK(opened.Read(1).path == (folder / ("images/" + hostile + ".jpg")).native());
}

TEST_CASE("a list in another encoding, or with an old Mac's line ends, is told as what it is") {
  using namespace std::string_literals;
  const ListTree folder;
  const auto wide = [](const std::string& text, int unit, bool big) {
    std::string out;
    for (const char c : text) {
      const std::string zeros(static_cast<size_t>(unit) - 1, '\0');
      out += big ? zeros + c : c + zeros;
    }
    return out;
  };
  const std::string text = "image,label\nimages/a.jpg,0\n";
  for (const char* name : {"list.csv", "list.tsv", "list.jsonl"}) {
    CAPTURE(name);
    const std::string
        utf16 = "line 1: it is UTF-16: save it as UTF-8",
        mac = "line 1: its lines end in carriage returns alone: save it with line feeds";
    CHECK(OneFault(folder, "\xFF\xFE"s + wide(text, 2, false), name) == utf16);
    CHECK(OneFault(folder, "\xFE\xFF"s + wide(text, 2, true), name) == utf16);
    CHECK(OneFault(folder, wide(text, 2, false), name) == utf16);
    CHECK(OneFault(folder, wide(text, 2, true), name) == utf16);
    CHECK(OneFault(folder, "\xFF\xFE\0\0"s + wide(text, 4, false), name) ==
          "line 1: it is UTF-32: save it as UTF-8");
    CHECK(OneFault(folder, "\0\0\xFE\xFF"s + wide(text, 4, true), name) ==
          "line 1: it is UTF-32: save it as UTF-8");
    CHECK(OneFault(folder, "image,label\rimages/a.jpg,0\r", name) == mac);
  }
  folder.Write("list.csv", "\xEF\xBB\xBFimage,label\r\nimages/a.jpg,0\r\n");
  CHECK(OpenedList(Labels(folder / "list.csv")).Targets() == Lines{"a > 0"});
  folder.Write("list.jsonl", "\xEF\xBB\xBF{\"image\": \"images/a.jpg\", \"label\": 0}\r");
  CHECK(OpenedList(Labels(folder / "list.jsonl")).Targets() == Lines{"a > 0"});
}

TEST_CASE("what stands in a file's place is said, and never waited for") {
  const ListTree folder;
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  REQUIRE(::mknod((folder / "socket").c_str(), S_IFSOCK | 0600, 0) == 0);
  const std::pair<fs::path, std::string> cases[] = {{"images", " is a folder, no file"},
                                                    {"fifo", " is a FIFO, no file"},
                                                    {"socket", " is a socket, no file"},
                                                    {"/dev/null", " is a device, no file"}};
  for (const auto& [path, what] : cases) {
    CAPTURE(path.native());
    const std::string says = (folder.root() / path).native() + what;
    CHECK(ListRefusal(Labels(folder.root() / path)) == "file: " + says);
    CHECK(OneFault(folder, "image,label\n" + path.native() + ",0\n") == "line 2: " + says);
    CHECK(OneFault(folder, "image,mask\nimages/a.jpg," + path.native() + "\n", "list.csv",
                   "mask") == "line 2: " + says);
  }
  folder.Write("list.csv", "image,label\na.jpg,0\n");
  Value params = Labels(folder / "list.csv");
  params.Set("root", (folder / "nowhere").native());
  CHECK(ListRefusal(params) == "root: there is no folder " + (folder / "nowhere").native());
}

}  // namespace
}  // namespace flowtrain::data_test
