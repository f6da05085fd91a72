// Marks what libflowtrain_api.so exports. Included by every other header of the API.
#pragma once

#define FLOWTRAIN_API __attribute__((visibility("default")))

namespace flowtrain {

// Raised whenever a plugin built against older headers could misbehave with newer ones.
inline constexpr int kAbiVersion = 8;

}  // namespace flowtrain
