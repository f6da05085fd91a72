#include "stages/data/brace_names.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace flowtrain::data_test {
namespace {

using Names = std::vector<std::string>;

Names Expand(const std::string& text, size_t most = 100) { return data::ExpandBraces(text, most); }

std::string Fault(const std::string& text, size_t most = 100) {
  try {
    Expand(text, most);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("braces stand for names as a shell expands them") {
  CHECK(Expand("/a b/x.tar") == Names{"/a b/x.tar"});
  CHECK(Expand("x-{8..11}.tar") == Names{"x-8.tar", "x-9.tar", "x-10.tar", "x-11.tar"});
  CHECK(Expand("{0008..10}") == Names{"0008", "0009", "0010"});
  CHECK(Expand("{2..0}") == Names{"2", "1", "0"});
  CHECK(Expand("{7..7}") == Names{"7"});
  CHECK(Expand("{a,b,}x") == Names{"ax", "bx", "x"});
  CHECK(Expand("{a,b}/{1..2}.tar") == Names{"a/1.tar", "a/2.tar", "b/1.tar", "b/2.tar"});
  CHECK(Expand("{t-{0..1},val,{x,y}z}.tar") ==
        Names{"t-0.tar", "t-1.tar", "val.tar", "xz.tar", "yz.tar"});
}

TEST_CASE("several patterns stand one after the other") {
  CHECK(Expand("a-{0..1}::b::::c") == Names{"a-0", "a-1", "b", "c"});
  CHECK(Expand("").empty());
}

TEST_CASE("braces that mean nothing are refused with the reason") {
  CHECK(Fault("a{0..1") == "its braces don't match");
  CHECK(Fault("a}b") == "its braces don't match");
  CHECK(Fault("{a}") == "\"{a}\" is neither a range {0..9} nor a choice {a,b}");
  CHECK(Fault("{a..c}") == "\"a\" is no number to count from or to");
  CHECK(Fault("{0..}") == "\"\" is no number to count from or to");
  CHECK(Fault("{-1..3}") == "\"-1\" is no number to count from or to");
  CHECK(Fault("{0..99999999999999999999}") ==
        "\"99999999999999999999\" is no number to count from or to");
  std::string nested = "b";
  for (int i = 0; i < 100; ++i) nested = "{a," + nested + "}";
  CHECK(Fault(nested) == "braces are nested too deeply");
}

TEST_CASE("more names than may be are refused before they are made") {
  CHECK(Expand("{1..100}").size() == 100);
  for (const char* text :
       {"{1..101}", "{0..9223372036854775807}", "{1..11}{1..11}", "{1..60}::{1..60}", "{1..100}::b",
        "{1..100}::b::{1..101}", "{{1..60},{1..60}}",
        "{1..10}{1..10}{1..10}{1..10}{1..10}{1..10}{1..10}"}) {
    CAPTURE(text);
    CHECK(Fault(text).starts_with("it stands for more than "));
  }
}

}  // namespace
}  // namespace flowtrain::data_test
