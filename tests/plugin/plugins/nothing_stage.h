// A consumer that does nothing, for plugins at fault elsewhere.
#pragma once

#include <flowtrain/stage.h>

class NothingStage : public flowtrain::Consumer {
 public:
  struct Params {};
  explicit NothingStage(const Params&) {}
  void Run(flowtrain::RunContext&) override {}
};
