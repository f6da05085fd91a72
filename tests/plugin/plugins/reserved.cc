// Declares a parameter that the framework has.
#include <flowtrain/stage.h>

class Greedy final : public flowtrain::Source {
 public:
  struct Params {
    int io_threads = 1;
  };
  static void Declare(flowtrain::Declaration<Params>& d) {
    d.Type("reserved.greedy", "");
    d.Param("io_threads", &Params::io_threads, "Its own.");
  }
  explicit Greedy(const Params&) {}
  uint64_t Size() const override { return 1; }
  void Read(uint64_t, flowtrain::Sample&, flowtrain::ReadContext&) const override {}
};

FLOWTRAIN_PLUGIN("reserved", "1.0", r) { r.Add<Greedy>(); }
