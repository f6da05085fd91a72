// The options of a network of one's own, as a graph gives them. Whoever makes the network reads
// them here; one that nobody reads is no option of that network, and is refused. Free of LibTorch;
// on the thread that makes the network.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace flowtrain::model {

// What networks are provided as (model/network_provider.h).
inline constexpr const char* kNetworkInterface = "flowtrain.model.Network/1";

// An option that can't be taken.
class BadOption : public std::invalid_argument {
 public:
  // place: "options/NAME" or "choices/NAME", where it stands in the graph.
  BadOption(std::string place, const std::string& why)
      : std::invalid_argument(why), place_(std::move(place)) {}
  const std::string& place() const { return place_; }

 private:
  std::string place_;
};

class NetworkOptions {
 public:
  using Numbers = std::map<std::string, double>;
  using Words = std::map<std::string, std::string>;
  NetworkOptions(Numbers numbers, Words words)
      : numbers_(std::move(numbers)), words_(std::move(words)) {}

  // The number that is given, else `otherwise`, which need not be in the range. Throws BadOption
  // outside of it, and on a fraction where an integer is asked for.
  int64_t Integer(const std::string& name, int64_t otherwise, int64_t least, int64_t most);
  double Number(const std::string& name, double otherwise, double least, double most);
  // The word that is given, else the first of those allowed. Throws BadOption on another one.
  const std::string& Choice(const std::string& name, const std::vector<std::string>& allowed);

  // Throws BadOption that names an option nobody has asked for, and those somebody has.
  void RefuseUnread() const;

 private:
  Numbers numbers_;
  Words words_;  // with the defaults of those that were asked for
  std::set<std::string> read_numbers_, read_words_;
};

}  // namespace flowtrain::model
