#include "model/train/trainer_options.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace flowtrain::model {
namespace {

template <typename T>
void Require(bool allowed, const char* name, T value, const char* range) {
  if (allowed) return;
  std::ostringstream message;
  message << "trainer option " << name << " = " << value << "; allowed: " << range;
  throw std::invalid_argument(message.str());
}

void RequireWeight(const char* name, double value) {
  Require(std::isfinite(value) && value >= 0, name, value, ">= 0");
}

}  // namespace

void CheckOptions(const TrainerOptions& options) {
  RequireWeight("loss.bce", options.loss.bce);
  RequireWeight("loss.iou", options.loss.iou);
  RequireWeight("loss.edge", options.loss.edge);
  RequireWeight("loss.deep", options.loss.deep);
  RequireWeight("weight_decay", options.weight_decay);
  Require(std::isfinite(options.clip) && options.clip > 0, "clip", options.clip, "> 0");
  Require(options.ema_decay >= 0 && options.ema_decay < 1, "ema_decay", options.ema_decay,
          ">= 0 and < 1");
  const WarmupCosine& s = options.schedule;
  Require(std::isfinite(s.lr) && s.lr > 0, "lr", s.lr, "> 0");
  Require(s.min_lr >= 0 && s.min_lr <= s.lr, "min_lr", s.min_lr, "0 to lr");
  Require(s.total_steps >= 1, "total_steps", s.total_steps, ">= 1");
  Require(s.warmup_steps >= 0 && s.warmup_steps <= s.total_steps, "warmup_steps", s.warmup_steps,
          "0 to total_steps");
  Require(options.cpu_threads >= 1, "cpu_threads", options.cpu_threads, ">= 1");
}

}  // namespace flowtrain::model
