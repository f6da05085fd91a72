#include <torch/torch.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "model/doctest_torch.h"
#include "model/io/safetensors.h"
#include "support/scratch_folder.h"

namespace flowtrain::model {
namespace {


std::string ReadBytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A file with the length of `header` in front and `data_bytes` zeros behind it.
std::filesystem::path WriteRaw(const ScratchFolder& dir, const std::string& header, size_t data_bytes) {
  const std::filesystem::path path = dir.path() / "raw.safetensors";
  const uint64_t length = header.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof(length));
  out << header << std::string(data_bytes, '\0');
  return path;
}

std::string Refusal(const ScratchFolder& dir, const std::string& header, size_t data_bytes) {
  const std::filesystem::path path = WriteRaw(dir, header, data_bytes);
  try {
    ReadSafetensors(path);
  } catch (const std::runtime_error& e) {
    const std::string prefix = path.string() + ": ";
    const std::string text = e.what();
    CHECK(text.substr(0, prefix.size()) == prefix);
    return text.substr(std::min(prefix.size(), text.size()));
  }
  return "accepted";
}

TEST_CASE("every dtype, shape and name comes back from a safetensors file bit for bit") {
  const ScratchFolder dir;
  const auto path = dir.path() / "a.safetensors";
  const torch::Tensor base = torch::arange(24, torch::kDouble).view({2, 3, 4}).sin();
  TensorMap tensors;
  for (const auto type : {torch::kDouble, torch::kFloat, torch::kHalf, torch::kBFloat16}) {
    tensors[toString(type)] = base.to(type);
  }
  for (const auto type : {torch::kLong, torch::kInt, torch::kByte}) {
    tensors[toString(type)] = torch::arange(5).to(type);
  }
  tensors["bool \"quoted\" \xc3\xa9"] = torch::tensor({true, false, true});
  tensors["scalar"] = torch::tensor(1.5f);
  tensors["empty"] = torch::empty({0, 3});
  tensors["channels_last"] = torch::randn({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  tensors["view"] = base.transpose(0, 2);
  WriteSafetensors(path, tensors, {{"step", "12"}, {"format", "pt"}});
  const SafetensorsFile file = ReadSafetensors(path);
  CHECK(file.metadata == Metadata{{"step", "12"}, {"format", "pt"}});
  REQUIRE(file.tensors.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    CAPTURE(name);
    REQUIRE(file.tensors.contains(name));
    CHECK((file.tensors.at(name).scalar_type() == tensor.scalar_type()));
    CHECK(torch::equal(file.tensors.at(name), tensor));
  }
}

TEST_CASE("the same contents give the same bytes, aligned, and a reader's writes never reach them") {
  const ScratchFolder dir;
  const TensorMap tensors = {{"a", torch::tensor({true, false, true})},
                             {"b", torch::ones({3})},
                             {"c", torch::ones({2}, torch::kDouble)}};
  WriteSafetensors(dir.path() / "1", tensors, {{"k", "v"}});
  WriteSafetensors(dir.path() / "2", tensors, {{"k", "v"}});
  const std::string bytes = ReadBytes(dir.path() / "1");
  CHECK(bytes == ReadBytes(dir.path() / "2"));
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  CHECK(length % 8 == 0);
  CHECK(bytes.size() == 8 + length + 16 + 12 + 3);
  CHECK(bytes.find("\"c\"") < bytes.find("\"b\""));
  CHECK(bytes.find("\"b\"") < bytes.find("\"a\""));

  const SafetensorsFile file = ReadSafetensors(dir.path() / "1");
  for (const auto& [name, tensor] : file.tensors) {
    const auto address = reinterpret_cast<uintptr_t>(tensor.const_data_ptr());
    CHECK(address % tensor.element_size() == 0);
  }
  file.tensors.at("b").fill_(9);
  CHECK(ReadBytes(dir.path() / "1") == bytes);
}

TEST_CASE("tensors stay readable after their file was replaced") {
  const ScratchFolder dir;
  WriteSafetensors(dir.path() / "a", {{"x", torch::ones({1000})}}, {});
  const torch::Tensor x = ReadSafetensors(dir.path() / "a").tensors.at("x");
  WriteSafetensors(dir.path() / "b", {{"x", torch::zeros({1000})}}, {});
  std::filesystem::rename(dir.path() / "b", dir.path() / "a");
  CHECK(x.sum().item<double>() == 1000);
}

TEST_CASE("a foreign file's unaligned tensor is read") {
  const ScratchFolder dir;
  const auto path = WriteRaw(dir, R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                                  R"("b":{"dtype":"F64","shape":[2],"data_offsets":[3,19]}})", 19);
  CHECK(torch::equal(ReadSafetensors(path).tensors.at("b"), torch::zeros({2}, torch::kDouble)));
}

TEST_CASE("a header that lies about sizes or offsets is refused, naming the tensor") {
  const ScratchFolder dir;
  const auto one = [&](const std::string& entry, size_t bytes = 8) {
    return Refusal(dir, "{\"w\":" + entry + "}", bytes);
  };
  CHECK(one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})") == "accepted");
  CHECK(one(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})") ==
        "tensor 'w': data_offsets span 8 bytes; dtype and shape need 12");
  CHECK(one(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12]})") ==
        "tensor 'w': data_offsets end at byte 12 of 8 bytes of data");
  CHECK(one(R"({"dtype":"F32","shape":[0],"data_offsets":[18446744073709551615,18446744073709551615]})", 0) ==
        "tensor 'w': data_offsets end at byte 18446744073709551615 of 0 bytes of data");
  CHECK(one(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})") ==
        "tensor 'w': data_offsets are not [begin, end] with begin <= end");
  CHECK(one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4,8]})") ==
        "tensor 'w': data_offsets are not [begin, end] with begin <= end");
  CHECK(one(R"({"dtype":"F32","shape":[2],"data_offsets":[-8,0]})") ==
        "tensor 'w': data_offsets is not a list of integers >= 0");
  CHECK(one(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})") ==
        "tensor 'w': shape is not a list of integers >= 0");
  CHECK(one(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})") ==
        "tensor 'w': shape is not a list of integers >= 0");
  // 2^62 * 4 bytes wraps round to 0 in 64 bits.
  CHECK(one(R"({"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]})", 0) ==
        "tensor 'w': the size of its shape is past 2^63 bytes");
  CHECK(one(R"({"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]})", 0) ==
        "tensor 'w': the size of its shape is past 2^63 bytes");
  CHECK(one(R"({"dtype":"U8","shape":[0,18446744073709551615],"data_offsets":[0,0]})", 0) ==
        "tensor 'w': the size of its shape is past 2^63 bytes");
}

TEST_CASE("tensors that overlap, leave a gap or leave bytes over are refused") {
  const ScratchFolder dir;
  const auto two = [&](const std::string& b, size_t bytes) {
    return Refusal(dir, R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                        R"("b":{"dtype":"U8","shape":[4],"data_offsets":)" + b + "}}", bytes);
  };
  CHECK(two("[4,8]", 8) == "accepted");
  CHECK(two("[2,6]", 8) ==
        "tensor 'b': data_offsets begin at byte 2, inside another tensor; byte 4 is next");
  CHECK(two("[5,9]", 9) == "tensor 'b': data_offsets begin at byte 5, after a gap; byte 4 is next");
  CHECK(two("[4,8]", 9) == "tensors cover 8 of 9 bytes of data; all must be covered");
}

TEST_CASE("unknown dtypes, missing fields and fields of another kind are refused") {
  const ScratchFolder dir;
  CHECK(Refusal(dir, R"({"w":{"dtype":"F8","shape":[],"data_offsets":[0,1]}})", 1) ==
        "tensor 'w': dtype 'F8' is not one of F64, F32, F16, BF16, I64, I32, U8, BOOL");
  CHECK(Refusal(dir, R"({"w":{"dtype":7,"shape":[],"data_offsets":[0,1]}})", 1) ==
        "tensor 'w': dtype 'number' is not one of F64, F32, F16, BF16, I64, I32, U8, BOOL");
  CHECK(Refusal(dir, R"({"w":{"dtype":"U8","data_offsets":[0,1]}})", 1) == "tensor 'w': has no 'shape'");
  CHECK(Refusal(dir, R"({"w":[1]})", 0) == "tensor 'w': its header entry is not an object");
  CHECK(Refusal(dir, R"({"__metadata__":{"a":1}})", 0) == "header: __metadata__ 'a' is not a string");
  CHECK(Refusal(dir, R"({"__metadata__":3})", 0) == "header: __metadata__ is not an object of strings");
}

TEST_CASE("duplicate keys, at any depth, are refused") {
  const ScratchFolder dir;
  const std::string entry = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  CHECK(Refusal(dir, "{\"w\":" + entry + ",\"w\":" + entry + "}", 1) ==
        "header: the key 'w' is given twice");
  CHECK(Refusal(dir, R"({"w":{"dtype":"U8","shape":[1],"shape":[1],"data_offsets":[0,1]}})", 1) ==
        "header: the key 'shape' is given twice");
}

TEST_CASE("a header that is no JSON object is refused") {
  const ScratchFolder dir;
  CHECK(Refusal(dir, "", 0).find("header is not JSON") == 0);
  CHECK(Refusal(dir, "{\"w\":", 0).find("header is not JSON") == 0);
  CHECK(Refusal(dir, std::string("{\"\xff\":1}"), 0).find("header is not JSON") == 0);
  CHECK(Refusal(dir, "[1]", 0) == "header is not a JSON object");
  // Nested a million deep: refused without recursion.
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  CHECK(Refusal(dir, "{\"w\":{\"dtype\":\"U8\",\"shape\":" + deep + ",\"data_offsets\":[0,1]}}", 1) ==
        "tensor 'w': shape is not a list of integers >= 0");
}

TEST_CASE("a header length past the file, past the limit or cut off is refused") {
  const ScratchFolder dir;
  const auto path = dir.path() / "raw.safetensors";
  const auto refusal = [&](uint64_t length, uint64_t file_bytes) -> std::string {
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&length), 8);
    std::filesystem::resize_file(path, file_bytes);
    try {
      ReadSafetensors(path);
    } catch (const std::runtime_error& e) {
      return std::string(e.what()).substr(path.string().size() + 2);
    }
    return "accepted";
  };
  CHECK(refusal(~uint64_t{0}, 100) == "header length 18446744073709551615 is past the 92 bytes allowed");
  CHECK(refusal(93, 100) == "header length 93 is past the 92 bytes allowed");
  CHECK(refusal(100'000'001, 200'000'000) == "header length 100000001 is past the 100000000 bytes allowed");
  CHECK(refusal(0, 7) == "has 7 bytes; 8 are the least");
  CHECK(refusal(0, 0) == "has 0 bytes; 8 are the least");
}

TEST_CASE("a file that is missing, a folder or not writable is named with the cause") {
  const ScratchFolder dir;
  const std::string missing = (dir.path() / "none").string();
  CHECK_THROWS_WITH(ReadSafetensors(missing),
                    (missing + ": cannot be opened: No such file or directory").c_str());
  CHECK_THROWS_WITH(ReadSafetensors(dir.path()),
                    (dir.path().string() + ": cannot be read: Is a directory").c_str());
  const std::string nowhere = (dir.path() / "no" / "file").string();
  CHECK_THROWS_WITH(WriteSafetensors(nowhere, {}, {}),
                    (nowhere + ": cannot be created: No such file or directory").c_str());
}

TEST_CASE("what the format can't hold is refused before a file exists") {
  const ScratchFolder dir;
  const auto path = dir.path() / "a";
  CHECK_THROWS_WITH(
      WriteSafetensors(path, {{"w", torch::zeros({1}, torch::kComplexFloat)}}, {}),
      (path.string() + ": tensor 'w': type ComplexFloat is not one of F64, F32, F16, BF16, I64, I32, "
                       "U8, BOOL").c_str());
  CHECK_THROWS_AS(WriteSafetensors(path, {{"__metadata__", torch::zeros({1})}}, {}), std::runtime_error);
  CHECK_THROWS_AS(WriteSafetensors(path, {{"\xff", torch::zeros({1})}}, {}), std::runtime_error);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a full disk leaves no half-written file behind") {
  // /dev/full takes no byte; through a link, since the file that is removed must be ours.
  const ScratchFolder dir;
  const auto path = dir.path() / "a";
  std::filesystem::create_symlink("/dev/full", path);
  CHECK_THROWS_WITH(WriteSafetensors(path, {{"w", torch::zeros({1})}}, {}),
                    (path.string() + ": cannot be written: No space left on device").c_str());
  CHECK_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path)));
}

}  // namespace
}  // namespace flowtrain::model
