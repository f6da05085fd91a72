// What stands beside an image in a source that may give either: a label or a mask. One parameter,
// and the declaration follows it.
#pragma once

#include <flowtrain/stage.h>

#include <string>

namespace flowtrain::data {

// P has `std::string target`.
template <class P>
void DeclareTarget(Declaration<P>& d) {
  d.Yields("image", Encoded());
  d.Yields("label", flowtrain::Label(), [](const P& p) { return p.target == "label"; });
  d.Yields("mask", Encoded(), [](const P& p) { return p.target == "mask"; });
  d.Param("target", &P::target, "What stands beside each image.")
      .Choices({"label", "mask"})
      .Required();
}

}  // namespace flowtrain::data
