// Headers that are not the JSON of a safetensors file.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include "model/header_refusal.h"
#include "model/io/shown.h"

namespace flowtrain::model::test {
namespace {

constexpr char kEntry[] = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";

TEST_CASE("a key given twice is refused, for tensors, fields and metadata, however it is written") {
  const std::string entry = kEntry;
  CHECK(Refusal("{\"w\":" + entry + "}", 1) == "accepted");
  CHECK(Refusal("{\"w\":" + entry + ",\"w\":" + entry + "}", 1) == "header: 'w' is given twice");
  CHECK(Refusal("{\"w\":" + entry + ",\"\\u0077\":" + entry + "}", 1) ==
        "header: 'w' is given twice");
  CHECK(Refusal(R"({"__metadata__":{},"__metadata__":{}})", 0) ==
        "header: '__metadata__' is given twice");
  CHECK(Refusal(R"({"__metadata__":{"a":"1","a":"2"}})", 0) ==
        "header: __metadata__ has 'a' twice");
  CHECK(RefusalOfEntry(R"({"dtype":"U8","shape":[1],"shape":[1],"data_offsets":[0,1]})", 1) ==
        "tensor 'w': has 'shape' twice");
  CHECK(RefusalOfEntry(R"({"dtype":"U8","dtype":"F64","shape":[1],"data_offsets":[0,1]})", 1) ==
        "tensor 'w': has 'dtype' twice");
  CHECK(RefusalOfEntry(R"({"dtype":"U8","shape":[1],"data_offsets":[0,1],"data_offsets":[0,1]})",
                       1) == "tensor 'w': has 'data_offsets' twice");
}

TEST_CASE("fields that are missing or not the format's are refused") {
  CHECK(RefusalOfEntry(R"({"shape":[],"data_offsets":[0,1]})", 1) == "tensor 'w': has no 'dtype'");
  CHECK(RefusalOfEntry(R"({"dtype":"U8","data_offsets":[0,1]})", 1) ==
        "tensor 'w': has no 'shape'");
  CHECK(RefusalOfEntry(R"({"dtype":"U8","shape":[]})", 1) == "tensor 'w': has no 'data_offsets'");
  CHECK(RefusalOfEntry(R"({"dtype":"U8","shape":[],"data_offsets":[0,1],"stride":[1]})", 1) ==
        "tensor 'w': has a field 'stride'; allowed: dtype, shape, data_offsets");
  for (const char* value : {"[1]", "1", "\"x\"", "null", "false", "-1", "0.5"})
    CHECK(RefusalOfEntry(value) == "tensor 'w': its header entry is not an object");
}

TEST_CASE("metadata that is not an object of strings is refused") {
  CHECK(Refusal(R"({"__metadata__":{"a":"1"}})", 0) == "accepted");
  for (const char* value : {"1", "null", "true", "{}", "[]", "-1", "0.5"})
    CHECK(Refusal(std::string(R"({"__metadata__":{"a":)") + value + "}}", 0) ==
          "header: __metadata__ 'a' is not a string");
  for (const char* value : {"3", "null", "\"x\"", "[]"})
    CHECK(Refusal(std::string(R"({"__metadata__":)") + value + "}", 0) ==
          "header: __metadata__ is not an object of strings");
}

TEST_CASE("a header that does not begin with its object is refused") {
  for (const char* json : {"", "[1]", " {}", "\xef\xbb\xbf{}", "null", "\"{}\"", "PK\3\4"})
    CHECK(Refusal(json, 0) == "header does not begin with {");
}

TEST_CASE("a header that is broken JSON is refused by the byte, and none of it is repeated") {
  CHECK(Refusal("{\"w\":", 0) == "header is not JSON, from byte 6 on");
  CHECK(Refusal("{}{}", 0) == "header is not JSON, from byte 3 on");
  CHECK(Refusal("{} x", 0) == "header is not JSON, from byte 4 on");
  CHECK(Refusal("{'w':1}", 0) == "header is not JSON, from byte 2 on");
  CHECK(Refusal("{\"w\":1e999}", 0) != "accepted");
  CHECK(Refusal("{/**/}", 0) == "header is not JSON, from byte 2 on");
}

TEST_CASE("a NUL byte does not end a header early") {
  CHECK(Refusal(std::string("{}\0{\"hidden\":1}", 15), 0) == "header has a NUL byte, its byte 3");
  CHECK(Refusal(std::string("{\"a\0b\":1}", 9), 0) == "header has a NUL byte, its byte 4");
}

TEST_CASE(
    "names that are not UTF-8 or have control characters are refused, and shown without them") {
  const auto named = [](const std::string& name) {
    return Refusal("{\"" + name + "\":" + kEntry + "}", 1);
  };
  CHECK(named("caf\xc3\xa9") == "accepted");
  CHECK(named("\xff").starts_with("header is not JSON"));
  CHECK(named("\xed\xa0\x80").starts_with("header is not JSON"));  // half a surrogate pair
  CHECK(named("\\ud800").starts_with("header is not JSON"));
  CHECK(named("\n").starts_with("header is not JSON"));
  CHECK(named("a\\u0000b") == "tensor 'a\\x00b': its name has control characters");
  CHECK(named("\\u001b[2J") == "tensor '\\x1b[2J': its name has control characters");
  CHECK(named("\xc2\x9b") == "tensor '\\xc2\\x9b': its name has control characters");
}

TEST_CASE("a name of any length is shown cut, between characters") {
  std::string name;
  for (int i = 0; i < 1000; ++i) name += "\xc3\xa9";
  CHECK(Shown("a" + name).size() == 79 + 3);
  CHECK(Refusal("{\"" + name + "\":1}", 0).size() < 200);
}

TEST_CASE("nested values are refused where they begin, without recursion or memory for them") {
  const auto memory = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KiB
  };
  const std::string opening(20'000'000, '[');
  const std::string in_shape = "{\"w\":{\"dtype\":\"U8\",\"shape\":" + opening,
                    in_name = "{\"w\":" + opening,
                    in_metadata = "{\"__metadata__\":{\"a\":" + opening;
  const auto before = memory();
  CHECK(Refusal(in_shape, 1) == "tensor 'w': shape is not a list of integers >= 0");
  CHECK(Refusal(in_name, 1) == "tensor 'w': its header entry is not an object");
  CHECK(Refusal(in_metadata, 1) == "header: __metadata__ 'a' is not a string");
  CHECK(memory() - before < 10'000);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  CHECK(Refusal(objects, 1) == "tensor 'a': has a field 'a'; allowed: dtype, shape, data_offsets");
}

}  // namespace
}  // namespace flowtrain::model::test
