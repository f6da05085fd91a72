#include "model/io/header_json.h"

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "model/io/shown.h"

namespace flowtrain::model {
namespace {

using nlohmann::json;

// Hears the text's words in order. nlohmann's own tree keeps the last of two equal keys without a
// word and takes 16 times a nested text's memory.
class Reader final : public nlohmann::json_sax<json> {
 public:
  explicit Reader(WordedHeader& header) : header_(header) {}

  bool start_object(size_t) override {
    if (place_ != Place::kOutside && place_ != Place::kNames) Misplaced();
    place_ = place_ == Place::kOutside ? Place::kNames
             : name_ == kMetadataKey   ? Place::kMetadata
                                       : Place::kEntry;
    if (place_ == Place::kEntry) header_.entries.push_back({.name = name_});
    return true;
  }
  bool end_object() override {
    place_ = place_ == Place::kNames ? Place::kOutside : Place::kNames;
    return true;
  }
  bool start_array(size_t) override {
    if (place_ != Place::kEntry || field_ == "dtype") Misplaced();
    List().emplace();
    place_ = Place::kList;
    return true;
  }
  bool end_array() override {
    place_ = Place::kEntry;
    return true;
  }
  bool key(std::string& key) override {
    if (place_ == Place::kNames) return Name(key);
    field_ = key;
    if (place_ == Place::kMetadata) {
      if (header_.metadata.contains(key))
        throw std::runtime_error("header: __metadata__ has '" + Shown(key) + "' twice");
      return true;
    }
    const WordedEntry& entry = header_.entries.back();
    const bool known = key == "dtype" || key == "shape" || key == "data_offsets";
    if (!known) Refuse("has a field '" + Shown(key) + "'; allowed: dtype, shape, data_offsets");
    if (key == "dtype" ? entry.dtype.has_value() : List().has_value())
      Refuse("has '" + key + "' twice");
    return true;
  }
  bool string(std::string& text) override {
    if (place_ == Place::kMetadata) {
      header_.metadata.emplace(field_, std::move(text));
    } else if (place_ == Place::kEntry && field_ == "dtype") {
      header_.entries.back().dtype = std::move(text);
    } else {
      Misplaced();
    }
    return true;
  }
  bool number_unsigned(uint64_t number) override {
    if (place_ != Place::kList) Misplaced();
    if (List()->size() == kMaxTensorSides)
      Refuse(field_ + " has more than " + std::to_string(kMaxTensorSides) + " numbers");
    List()->push_back(number);
    return true;
  }
  bool null() override { Misplaced(); }
  bool boolean(bool) override { Misplaced(); }
  bool number_integer(int64_t) override { Misplaced(); }  // below 0
  bool number_float(double, const std::string&) override { Misplaced(); }
  bool binary(json::binary_t&) override { Misplaced(); }
  bool parse_error(size_t byte, const std::string&, const json::exception&) override {
    throw std::runtime_error("header is not JSON, from byte " + std::to_string(byte) + " on");
  }

 private:
  enum class Place { kOutside, kNames, kEntry, kMetadata, kList };

  bool Name(const std::string& name) {
    if (HasControl(name)) Refuse(name, "its name has control characters");
    if (!names_.insert(name).second)
      throw std::runtime_error("header: '" + Shown(name) + "' is given twice");
    name_ = name;
    return true;
  }
  std::optional<std::vector<uint64_t>>& List() {
    WordedEntry& entry = header_.entries.back();
    return field_ == "shape" ? entry.shape : entry.data_offsets;
  }
  [[noreturn]] void Refuse(const std::string& why) const { RefuseTensor(name_, why); }
  [[noreturn]] static void Refuse(std::string_view name, const std::string& why) {
    RefuseTensor(name, why);
  }
  // A value is not of the kind that its place allows.
  [[noreturn]] void Misplaced() const {
    if (place_ == Place::kMetadata)
      throw std::runtime_error("header: __metadata__ '" + Shown(field_) + "' is not a string");
    if (place_ == Place::kNames && name_ == kMetadataKey)
      throw std::runtime_error("header: __metadata__ is not an object of strings");
    if (place_ == Place::kNames) Refuse("its header entry is not an object");
    if (place_ == Place::kOutside) throw std::runtime_error("header is not a JSON object");
    Refuse(field_ == "dtype" ? "dtype is not a string"
                             : field_ + " is not a list of integers >= 0");
  }

  WordedHeader& header_;
  Place place_ = Place::kOutside;
  std::set<std::string> names_;
  std::string name_, field_;  // the last keys of the header and of what stands under one of them
};

}  // namespace

void RefuseTensor(std::string_view name, const std::string& why) {
  throw std::runtime_error("tensor '" + Shown(name) + "': " + why);
}

WordedHeader ReadHeaderJson(std::string_view text) {
  // The format begins with this byte; nlohmann would pass over spaces and a byte order mark.
  if (!text.starts_with('{')) throw std::runtime_error("header does not begin with {");
  // nlohmann takes a NUL for the end, and what stands behind it would go unread.
  if (const size_t nul = text.find('\0'); nul != text.npos)
    throw std::runtime_error("header has a NUL byte, its byte " + std::to_string(nul + 1));
  WordedHeader header;
  Reader reader(header);
  json::sax_parse(text.begin(), text.end(), &reader);
  return header;
}

}  // namespace flowtrain::model
