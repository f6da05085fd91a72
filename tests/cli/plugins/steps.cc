// A consumer that takes a step a batch, records it and writes checkpoints, as slowly as it is told
// to. The plugin starts a thread as it is opened: what libraries do that somebody links to.
#include <flowtrain/plugin.h>
#include <flowtrain/stage.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace {

using namespace flowtrain;

void Sleep(const Duration& time) {
  std::this_thread::sleep_for(std::chrono::duration<double>(time.seconds));
}

class Sink final : public Consumer {
 public:
  struct Params {
    int epochs = 1;
    int checkpoint_every = 1000000, fail_at = 0;
    Duration pause{0}, closing{0};
  };
  static void Declare(Declaration<Params>& d) {
    d.Type("steps.sink", "Takes a step a batch.");
    d.Param("epochs", &Params::epochs, "Epochs.").Min(1).Affects(Effect::kTraining);
    d.Param("checkpoint_every", &Params::checkpoint_every, "Steps between checkpoints.")
        .Min(1)
        .Affects(Effect::kRuntime);
    d.Param("fail_at", &Params::fail_at, "The step that fails; 0: none.").Min(0).Affects(Effect::kRuntime);
    d.Param("pause", &Params::pause, "How long a step takes.").Affects(Effect::kRuntime);
    d.Param("closing", &Params::closing, "How long it takes to go.").Affects(Effect::kRuntime);
    d.Input("in");
  }
  explicit Sink(const Params& params) : params_(params) {}
  ~Sink() override { Sleep(params_.closing); }

  void Run(RunContext& context) override {
    const auto all = static_cast<int64_t>(static_cast<uint64_t>(params_.epochs) *
                                          context.input("in").batches_per_epoch);
    while (step_ < all) {
      const Batch batch = context.Pull("in");
      if (!batch) return;
      Sleep(params_.pause);
      if (step_ + 1 == params_.fail_at) throw Error("this step fails, as it was told to");
      context.Commit(batch, "in");
      ++step_;
      Value line;
      line.Set("kind", "train");
      line.Set("step", step_);
      context.Record(std::move(line));
      if (step_ % params_.checkpoint_every == 0)
        context.Checkpoint("step-" + std::to_string(step_), std::nan(""));
    }
  }
  void Save(State& state) const override { state.Set("step", step_); }
  void Load(const State& state) override { step_ = state.Get("step").AsInteger(); }

 private:
  const Params params_;
  int64_t step_ = 0;
};

// Says something new of every sample, many times.
class Warns final : public Transform {
 public:
  struct Params {};
  static void Declare(Declaration<Params>& d) {
    d.Type("steps.warns", "Warns of every sample.");
    d.Edits("image");
  }
  explicit Warns(const Params&) {}
  void Process(Sample& sample, Context& context) const override {
    for (uint64_t i = 0; i < 20; ++i)
      context.Warn("odd thing number " + std::to_string(20 * sample.id.position + i));
  }
};

}  // namespace

FLOWTRAIN_PLUGIN("steps", "1.0", r) {
  std::thread([] {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }).detach();
  r.Add<Sink>();
  r.Add<Warns>();
}
