// Doctest beside LibTorch: c10 defines macros of doctest's names, which must go first.
// Include this after torch/torch.h, in place of doctest.h.
#pragma once

#undef CHECK
#undef CHECK_EQ
#undef CHECK_NE
#undef CHECK_LT
#undef CHECK_LE
#undef CHECK_GT
#undef CHECK_GE
#include <doctest/doctest.h>
