// A command of the program that a plugin brings along. Registered as a thing provided:
//
//   r.Provide<Command>("train.bench_model", std::make_shared<BenchModel>());
//
// is `flowtrain bench model`: what follows the plugin's name, a space for each underscore.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <flowtrain/export.h>

namespace flowtrain {

class FLOWTRAIN_API Command {
 public:
  static constexpr const char* kInterface = "flowtrain.Command/1";
  virtual ~Command();
  virtual std::string Help() const = 0;  // one line, a sentence
  // arguments: what stands behind the command's words. On the main thread. Gives the program's exit
  // code: 0, 1 (it failed) or 2 (the arguments are not understood); what it throws is printed, and 1.
  virtual int Run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) = 0;
};

}  // namespace flowtrain
