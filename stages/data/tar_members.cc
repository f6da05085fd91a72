#include "stages/data/tar_members.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include "stages/data/names.h"
#include "stages/data/tar_header.h"

namespace flowtrain::data {
namespace {

constexpr uint64_t kMostExtra = 1 << 20;  // bytes of a long name or of pax records: paths have 4096
constexpr uint64_t kMostPadding = 1 << 20;  // behind the end mark; tar fills up to 10 KiB

bool HasData(char type) { return type < '1' || type > '6'; }  // links, devices, folders have none
bool IsFile(char type) { return type == '0' || type == '7'; }

class Pass {
 public:
  Pass(const ReadBytes& read, uint64_t bytes) : read_(read), bytes_(bytes) {}

  TarContents Run() {
    try {
      while (Member()) {
      }
    } catch (const Ends& ends) {
      contents_.fault = ends.what();
    }
    return std::move(contents_);
  }

 private:
  struct Ends : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  [[noreturn]] static void End(uint64_t at, const std::string& why) {
    throw Ends(why + " at byte " + std::to_string(at));
  }

  // Bytes of the file; at most a window's. One read serves a short member and the header behind it.
  std::span<const uint8_t> At(uint64_t at, size_t bytes) {
    if (at < window_at_ || at + bytes > window_at_ + filled_) {
      window_at_ = at;
      filled_ =
          read_(at, std::span(window_).first(std::min<uint64_t>(window_.size(), bytes_ - at)));
      if (filled_ < bytes) End(at + filled_, "it became shorter while it was read,");
    }
    return std::span(window_).subspan(at - window_at_, bytes);
  }
  TarBlock Block(uint64_t at) { return At(at, kTarBlock).first<kTarBlock>(); }

  std::string Content(uint64_t at, uint64_t bytes) {
    std::string content;
    while (bytes > 0) {
      const auto piece = At(at, std::min<uint64_t>(bytes, kTarBlock));
      content.append(reinterpret_cast<const char*>(piece.data()), piece.size());
      at += piece.size();
      bytes -= piece.size();
    }
    return content;
  }

  TarHeader Header() {
    const TarBlock block = Block(at_);
    try {
      return ParseTarHeader(block);
    } catch (const std::runtime_error& error) {
      End(at_, std::string("the header has ") + error.what() + ",");
    }
  }

  // False: the end mark.
  bool Member() {
    if (at_ == bytes_) End(at_, "it ends without an end mark,");
    if (bytes_ - at_ < kTarBlock) End(at_, "it ends in the middle of a header,");
    if (IsZero(Block(at_))) {
      LookBehind();
      return false;
    }
    const TarHeader header = Header();
    uint64_t data = at_ + kTarBlock;
    for (bool goes_on = header.goes_on; goes_on; data += kTarBlock) {
      if (bytes_ - data < kTarBlock) End(data, "it ends in the middle of a header,");
      goes_on = Block(data)[504] != 0;
    }
    const bool extra = std::string_view("xXgLK").find(header.type) != std::string_view::npos;
    const uint64_t size = !HasData(header.type) ? 0
                          : extra               ? header.bytes
                                                : pax_.size.value_or(header.bytes);
    const std::string name = long_name_ ? *long_name_ : pax_.path.value_or(header.name);
    if (size > bytes_ - data) End(bytes_, "it ends in the middle of \"" + Printable(name) + "\",");
    if (extra) {
      TakeExtra(header.type, data, size);
    } else {
      if (IsFile(header.type) && !pax_.sparse) Add(name, data, size);
      long_name_.reset();
      pax_ = {};
    }
    // The last member's padding may be missing.
    at_ = std::min(bytes_, data + (size + kTarBlock - 1) / kTarBlock * kTarBlock);
    return true;
  }

  void Add(const std::string& name, uint64_t data, uint64_t size) {
    contents_.members.push_back(
        {name, data, size, size <= kShortContent ? Content(data, size) : std::string()});
  }

  // What is said of the member behind: its name or its size. A global header ('g') would hold for
  // all members; what it may say of use here, nobody writes.
  void TakeExtra(char type, uint64_t data, uint64_t size) {
    if (type == 'g' || type == 'K') return;
    if (size > kMostExtra) End(at_, "a name or its like has " + std::to_string(size) + " bytes,");
    std::string content = Content(data, size);
    if (type == 'L') {
      long_name_ = content.substr(0, content.find('\0'));
      return;
    }
    try {
      pax_ = ParsePax(content);
    } catch (const std::runtime_error& error) {
      End(at_, std::string("the header has ") + error.what() + ",");
    }
  }

  // Nothing but zeros follows the end mark, unless tar files were put one behind the other.
  void LookBehind() {
    uint64_t at = at_;
    for (; bytes_ - at >= kTarBlock && at - at_ < kMostPadding; at += kTarBlock) {
      if (!IsZero(Block(at))) End(at, "something follows its end mark,");
    }
  }

  const ReadBytes& read_;
  const uint64_t bytes_;
  uint64_t at_ = 0;
  std::optional<std::string> long_name_;
  PaxRecords pax_;
  TarContents contents_;
  std::array<uint8_t, 4096> window_;
  uint64_t window_at_ = 0;
  size_t filled_ = 0;
};

}  // namespace

TarContents ReadTar(const ReadBytes& read, uint64_t bytes) { return Pass(read, bytes).Run(); }

}  // namespace flowtrain::data
