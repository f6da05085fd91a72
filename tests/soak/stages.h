// The stages of a soak: empty bodies, but for what the scene injects.
#pragma once

#include <flowtrain/stage.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "soak/live.h"

namespace flowtrain::soak {

// Passes fences a while after they were made.
class LateFences {
 public:
  LateFences();
  ~LateFences();  // passes those that are left
  FencePtr Make();

 private:
  class LateFence;
  void Loop();

  std::mutex mutex_;  // protects both below
  std::deque<std::shared_ptr<LateFence>> waiting_;
  bool ending_ = false;
  std::condition_variable changed_;
  std::thread thread_;
};

// By type; they work on `live`, which outlives them.
std::map<std::string, StageDeclaration> DeclareStages(Live& live);

}  // namespace flowtrain::soak
