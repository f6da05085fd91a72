// The known name that a mistyped one most likely means. Pure functions.
#pragma once

#include <string>
#include <vector>

namespace flowtrain::config {

// The closest of `known` by edit distance (insertions, deletions, substitutions, swapped
// neighbours); empty where none is close: more than a third of the letters wrong.
std::string Nearest(const std::string& name, const std::vector<std::string>& known);

// What to say after a name that is not among `known`: `, did you mean "root"? Allowed: "root",
// "split"`, or `; allowed: "root", "split"` where none is close.
std::string Hint(const std::string& name, const std::vector<std::string>& known);

// `"a", "b"`; "none" where there are none.
std::string Quoted(const std::vector<std::string>& names);

}  // namespace flowtrain::config
