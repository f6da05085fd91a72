// Sizes, types and offsets that are not what they say.
#include <doctest/doctest.h>

#include "model/header_refusal.h"

namespace flowtrain::model::test {
namespace {

TEST_CASE("a tensor whose offsets span other bytes than its type and shape need is refused") {
  CHECK(RefusalOfEntry(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})") == "accepted");
  CHECK(RefusalOfEntry(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})") ==
        "tensor 'w': data_offsets span 8 bytes; dtype and shape need 12");
  CHECK(RefusalOfEntry(R"({"dtype":"F64","shape":[2],"data_offsets":[0,8]})") ==
        "tensor 'w': data_offsets span 8 bytes; dtype and shape need 16");
}

TEST_CASE("offsets past the end of the data are refused") {
  CHECK(RefusalOfEntry(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12]})") ==
        "tensor 'w': data_offsets end at byte 12 of 8 bytes of data");
  CHECK(
      RefusalOfEntry(
          R"({"dtype":"F32","shape":[0],"data_offsets":[18446744073709551615,18446744073709551615]})",
          0) == "tensor 'w': data_offsets end at byte 18446744073709551615 of 0 bytes of data");
}

TEST_CASE("offsets that are not two ordered numbers are refused") {
  for (const char* offsets : {"[8,0]", "[]", "[8]", "[0,4,8]"})
    CHECK(RefusalOfEntry(std::string(R"({"dtype":"F32","shape":[2],"data_offsets":)") + offsets +
                         "}") == "tensor 'w': data_offsets are not [begin, end] with begin <= end");
  for (const char* offsets : {"[-8,0]", "[0,8.0]", "[0,\"8\"]", "[0,null]", "[0,true]",
                              "[0,18446744073709551616]", "8", "{}", "[[0,8]]"})
    CHECK(RefusalOfEntry(std::string(R"({"dtype":"F32","shape":[2],"data_offsets":)") + offsets +
                         "}") == "tensor 'w': data_offsets is not a list of integers >= 0");
}

TEST_CASE("a shape with a negative, broken or huge side is refused") {
  for (const char* shape :
       {"[-2]", "[2.0]", "[2e0]", "[18446744073709551616]", "\"2\"", "{\"0\":2}", "[[2]]", "[-0]"})
    CHECK(RefusalOfEntry(std::string(R"({"dtype":"F32","shape":)") + shape +
                         R"(,"data_offsets":[0,8]})") ==
          "tensor 'w': shape is not a list of integers >= 0");
}

TEST_CASE("a shape whose product passes 64 bits is refused, also beside a side of 0") {
  const auto of = [](const std::string& type, const std::string& shape) {
    return RefusalOfEntry(
        R"({"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":[0,0]})", 0);
  };
  const std::string past = "tensor 'w': the size of its shape is past 2^63 bytes";
  CHECK(of("F32", "[4611686018427387904]") == past);  // 2^62 * 4 is 0 in 64 bits
  CHECK(of("U8", "[4294967296,4294967296]") == past);
  CHECK(of("U8", "[9223372036854775808]") == past);  // no int64
  CHECK(of("U8", "[0,18446744073709551615]") == past);
  CHECK(of("U8", "[4294967296,0,4294967296]") == past);  // its strides would pass 64 bits
  CHECK(of("U8", "[0,4294967296]") == "accepted");
}

TEST_CASE("a shape of more sides than LibTorch takes is refused") {
  std::string sides = "1";
  for (int i = 1; i < 64; ++i) sides += ",1";
  const auto of = [](const std::string& s) {
    return RefusalOfEntry(R"({"dtype":"U8","shape":[)" + s + R"(],"data_offsets":[0,1]})", 1);
  };
  CHECK(of(sides) == "accepted");
  CHECK(of(sides + ",1") == "tensor 'w': shape has more than 64 numbers");
}

TEST_CASE("tensors that overlap, leave a gap or leave bytes over are refused") {
  const auto two = [&](const std::string& b, uint64_t bytes) {
    return Refusal(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                   R"("b":{"dtype":"U8","shape":[4],"data_offsets":)" +
                       b + "}}",
                   bytes);
  };
  CHECK(two("[4,8]", 8) == "accepted");
  CHECK(two("[2,6]", 8) ==
        "tensor 'b': data_offsets begin at byte 2, inside another tensor; byte 4 is next");
  CHECK(two("[0,4]", 4) ==
        "tensor 'b': data_offsets begin at byte 0, inside another tensor; byte 4 is next");
  CHECK(two("[5,9]", 9) == "tensor 'b': data_offsets begin at byte 5, after a gap; byte 4 is next");
  CHECK(two("[4,8]", 9) == "tensors cover 8 of 9 bytes of data; all must be covered");
}

TEST_CASE("an unknown dtype is refused with those there are") {
  const auto of = [](const std::string& dtype) {
    return RefusalOfEntry(R"({"dtype":)" + dtype + R"(,"shape":[],"data_offsets":[0,1]})", 1);
  };
  for (const char* dtype : {"F8", "f32", "", "U8 ", "F8_E4M3"})
    CHECK(of("\"" + std::string(dtype) + "\"") == "tensor 'w': dtype '" + std::string(dtype) +
                                                      "' is not one of " +
                                                      "F64, F32, F16, BF16, I64, I32, U8, BOOL");
  for (const char* dtype : {"7", "null", "[\"U8\"]", "{}", "true", "1.5", "-1"})
    CHECK(of(dtype) == "tensor 'w': dtype is not a string");
}

}  // namespace
}  // namespace flowtrain::model::test
