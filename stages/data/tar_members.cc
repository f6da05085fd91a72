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
constexpr uint64_t kMostPadding = 16 << 20;  // behind the end mark; tar fills up to 10 KiB

bool HasData(char type) { return type < '1' || type > '6'; }  // links, devices, folders have none

// Nothing for what is no member: folders ('D': GNU's, with a list of files) and a volume's label.
std::optional<MemberKind> KindOf(char type) {
  switch (type) {
    case '0':
    case '7':
      return MemberKind::kFile;
    case '1':
      return MemberKind::kHardLink;
    case '2':
      return MemberKind::kSymbolicLink;
    case '3':
    case '4':
      return MemberKind::kDevice;
    case '5':
    case 'D':
    case 'V':
      return std::nullopt;
    case '6':
      return MemberKind::kFifo;
    case 'S':
      return MemberKind::kSparse;
    default:
      return MemberKind::kUnknown;
  }
}

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

  // False: the end.
  bool Member() {
    if (at_ == bytes_) End(at_, "it ends without an end mark,");
    if (bytes_ - at_ < kTarBlock) End(at_, "it ends in the middle of a header,");
    if (IsZero(Block(at_)) && !GoesOn()) return false;
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
    if (size > bytes_ - data) End(bytes_, "it ends in the middle of \"" + Clipped(name) + "\",");
    if (extra) {
      TakeExtra(header.type, data, size);
    } else {
      if (const auto kind = KindOf(header.type))
        Add(name, data, size,
            *kind == MemberKind::kFile && pax_.sparse ? MemberKind::kSparse : *kind);
      long_name_.reset();
      pax_ = {};
    }
    // The last member's padding may be missing.
    at_ = std::min(bytes_, data + (size + kTarBlock - 1) / kTarBlock * kTarBlock);
    return true;
  }

  void Add(const std::string& name, uint64_t data, uint64_t size, MemberKind kind) {
    const bool file = kind == MemberKind::kFile, is_short = file && size <= kShortContent;
    contents_.members.push_back(
        {name, data, file ? size : 0, is_short ? Content(data, size) : std::string(), kind});
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

  // Whether another tar file stands behind the end mark and its padding ("cat a.tar b.tar"): at_ is
  // at its first header then.
  bool GoesOn() {
    long_name_.reset();
    pax_ = {};
    const auto rest = [this] {
      return Count(bytes_ - at_, "byte", "bytes") + " behind its end mark ";
    };
    for (const uint64_t mark = at_; at_ < bytes_;) {
      if (at_ - mark >= kMostPadding) End(at_, rest() + "and many zeros are not looked at,");
      const auto block = At(at_, std::min<uint64_t>(kTarBlock, bytes_ - at_));
      if (!IsZero(block)) {
        if (block.size() == kTarBlock && IsTarHeader(block.first<kTarBlock>())) return true;
        End(at_, rest() + "are no tar file and not read,");
      }
      at_ += block.size();
    }
    return false;
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
