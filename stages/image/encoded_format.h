// What a buffer of encoded bytes is, told by its first bytes and never by its name. Any thread.
#pragma once

#include <cstdint>
#include <span>

namespace flowtrain::image {

enum class EncodedFormat : uint8_t { kEmpty, kJpeg, kPng, kPnm, kOther };

EncodedFormat SniffFormat(std::span<const uint8_t> bytes);

// For messages: "BMP", "WebP", ..., "no known image format".
const char* FormatName(std::span<const uint8_t> bytes);

}  // namespace flowtrain::image
