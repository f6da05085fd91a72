#include "stages/data/shard_label.h"

#include <algorithm>

#include "stages/data/class_labels.h"
#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // in UTF-8; nothing is seen of it

std::string Shown(std::string_view text) {
  if (!text.starts_with(kMark)) return Quoted(text);
  return "\"\\xef\\xbb\\xbf" + Quoted(text.substr(kMark.size())).substr(1);
}

std::string Found(const TarMember& member) {
  const std::string& text = member.content;
  if (member.bytes == 0) return "nothing";
  if (member.bytes > kShortContent) return Count(member.bytes, "byte", "bytes");
  const bool wide =
      text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || text.find('\0') != text.npos;
  return Shown(text) + (wide                      ? " (UTF-16?)"
                        : text.starts_with(kMark) ? " (a byte order mark)"
                                                  : "");
}

}  // namespace

ShardLabel LabelOf(const TarMember& member, uint64_t classes) {
  using Fault = ShardLabel::Fault;
  const std::string_view text = Trimmed(member.content);
  ShardLabel label;
  if (!IsWhole(text)) return {0, Fault::kNoInteger, Found(member)};
  const uint64_t below = classes == 0 ? kMostClasses : std::min(classes, kMostClasses);
  const bool fits = ParseInteger(text, label.value) && label.value >= 0 &&
                    static_cast<uint64_t>(label.value) < below;
  if (!fits) return {0, Fault::kOutOfRange, Quoted(text)};
  return label;
}

}  // namespace flowtrain::data
