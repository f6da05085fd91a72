// Value: what parameters, state and records are made of.
#include <doctest/doctest.h>
#include <flowtrain/error.h>
#include <flowtrain/value.h>

#include <cmath>
#include <limits>

using flowtrain::Error;
using flowtrain::Value;

TEST_CASE("a value knows its kind, and an integer is a number too") {
  CHECK(Value().is_null());
  CHECK(Value(true).AsBool());
  CHECK(Value(3).is_integer());
  CHECK(Value(3).is_number());
  CHECK(Value(3).AsNumber() == 3.0);
  CHECK_FALSE(Value(3.0).is_integer());
  CHECK(Value("text").is_string());  // not a bool, although const char* converts to one
  CHECK(Value(Value::List{1, "a"}).AsList().size() == 2);
}

TEST_CASE("a value of another kind is refused by its name") {
  CHECK_THROWS_WITH_AS(Value("x").AsInteger(), "expected an integer, found a string", Error);
  CHECK_THROWS_WITH_AS(Value(1.5).AsInteger(), "expected an integer, found a number", Error);
  CHECK_THROWS_WITH_AS(Value().AsList(), "expected a list, found null", Error);
  CHECK_THROWS_WITH_AS(Value(Value::Object{}).At("key"), "there is no \"key\"", Error);
}

TEST_CASE("an object keeps the order in which keys were set, and sets a key once") {
  Value value;
  value.Set("z", 1);
  value.Set("a", 2);
  value.Set("z", 3);
  CHECK(value.ToJson() == R"({"z":3,"a":2})");
  CHECK(value.Find("b") == nullptr);
  CHECK(Value(5).Find("b") == nullptr);
}

TEST_CASE("JSON text keeps every digit and says nothing that JSON can't") {
  CHECK(Value(0.1).ToJson() == "0.1");
  CHECK(Value(1.0).ToJson() == "1.0");  // reads back as a number, not an integer
  CHECK(Value(1.0 / 3).ToJson() == "0.3333333333333333");
  CHECK(Value(std::numeric_limits<int64_t>::min()).ToJson() == "-9223372036854775808");
  CHECK(Value(std::nan("")).ToJson() == "null");
  CHECK(Value(HUGE_VAL).ToJson() == "null");
  CHECK(Value("a\"b\\c\n\t\x01").ToJson() == R"("a\"b\\c\n\t\u0001")");
  CHECK(Value(Value::List{Value(), true, Value(Value::Object{})}).ToJson() == "[null,true,{}]");
}

TEST_CASE("JSON text is UTF-8, whatever bytes a string holds") {
  CHECK(Value("a\xE9.jpg").ToJson() == "\"a\xEF\xBF\xBD.jpg\"");                // Latin-1
  CHECK(Value("\xC3\xA9 \xF0\x9F\x90\x88").ToJson() == "\"\xC3\xA9 \xF0\x9F\x90\x88\"");  // é, a cat
  CHECK(Value("\xC0\xAF").ToJson() == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");          // overlong
  CHECK(Value("\xED\xA0\x80").ToJson() == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // a surrogate
  CHECK(Value("\xF5").ToJson() == "\"\xEF\xBF\xBD\"");
  CHECK(Value("\xE2\x82").ToJson() == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");          // cut short
}
