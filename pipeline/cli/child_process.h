// Runs a function in a forked child, so that what crashes or hangs there is only reported. For a
// process with one thread; main thread.
#pragma once

#include <functional>
#include <string>

namespace flowtrain::cli {

// Gives words to the parent: a kind and a text, at once.
using Say = std::function<void(const std::string& kind, const std::string& text)>;

// How the child ended; empty: it returned from `body`. Otherwise "crashed (SIGSEGV)", "ended with
// exit code 3", "threw: why" or "said nothing for 30 s and was ended". `heard` is called here, in the order in
// which the child spoke. What the child prints goes to standard error.
std::string RunInChild(const std::function<void(const Say&)>& body, const Say& heard,
                       int silence_limit_s);

}  // namespace flowtrain::cli
