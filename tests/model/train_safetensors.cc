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

TEST_CASE("a hostile header's refusal names the file, and the tensor") {
  // What is refused and how it is said: header_*_test.cc.
  const ScratchFolder dir;
  CHECK(Refusal(dir, R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})", 8) ==
        "tensor 'w': data_offsets end at byte 12 of 8 bytes of data");
  CHECK(Refusal(dir, "{\"w\":", 0) == "header is not JSON, from byte 6 on");
  const auto path = dir.path() / "raw.safetensors";
  std::filesystem::resize_file(path, 7);
  CHECK_THROWS_WITH(
      ReadSafetensors(path),
      (path.string() + ": is no safetensors file: it has 7 bytes, 8 are the least").c_str());
}

TEST_CASE(
    "the most sides that a header may have make a tensor, and a side of 0 one without bytes") {
  const ScratchFolder dir;
  std::string sides = "1";
  for (int i = 1; i < 64; ++i) sides += ",1";
  const auto path =
      WriteRaw(dir,
               R"({"w":{"dtype":"F32","shape":[)" + sides + R"(],"data_offsets":[0,4]},)" +
                   R"("z":{"dtype":"F64","shape":[1048576,0,1048576],"data_offsets":[4,4]}})",
               4);
  const TensorMap tensors = ReadSafetensors(path).tensors;
  CHECK(tensors.at("w").dim() == 64);
  CHECK(tensors.at("w").sum().item<double>() == 0);
  CHECK(tensors.at("z").numel() == 0);
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
