// Why a network can't be made, with the parameter at fault. Free of LibTorch: thrown by the half that has
// it, caught by both.
#pragma once

#include <stdexcept>
#include <string>

namespace flowtrain::train {

class NetworkRefused : public std::invalid_argument {
 public:
  // place: under the stage, "model/top_k".
  NetworkRefused(std::string place, const std::string& why)
      : std::invalid_argument(why), place_(std::move(place)) {}
  const std::string& place() const { return place_; }

 private:
  std::string place_;
};

}  // namespace flowtrain::train
