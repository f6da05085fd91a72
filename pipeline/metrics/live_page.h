// The page at "/": live_page.html, built into the program.
#pragma once

namespace flowtrain::metrics {

extern const char kLivePage[];

}  // namespace flowtrain::metrics
