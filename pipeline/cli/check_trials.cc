#include "pipeline/cli/check_trials.h"

#include <flowtrain/testing/declarations.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "pipeline/cli/check_outcome.h"

namespace flowtrain::cli {
namespace {

constexpr uint64_t kSamples = 12;
constexpr uint64_t kSeed = 42;
constexpr uint8_t kFill = 0xCD, kOtherFill = 0x3A;  // what memory holds before it is written
constexpr int kThreads = 4;
constexpr std::chrono::milliseconds kThreadsTime{1000};  // longer finds rarer races

// Stands before the checked stage and asks what it wants of the image, as a decoder does.
class Asker final : public Transform {
 public:
  struct Params {};
  static void Declare(Declaration<Params>& d) { d.Type("check.asker", "Asks for plans."); }
  explicit Asker(const Params&) {}
  void Process(Sample&, Context& context) const override { context.Plan({480, 640, 3}); }
};

class Trials {
 public:
  Trials(const StageDeclaration& declaration, const Value& params,
         const ProvidedLookup& find, const EncodedFiles& files, const Say& say)
      : declaration_(declaration), params_(params), find_(find), files_(files), say_(say) {}

  void Run() {
    if (!Open() || !Taken()) return;
    CheckSerial();
    CheckForms();
    const bool deterministic =
        Same("a new instance, in another order", NewRunner(kFill).get(), true,
             "not deterministic: with the same seed, in another order: ") &&
        Same("memory of other content", NewRunner(kOtherFill).get(), false,
             "it leaves bytes unwritten that it gave out, or reads memory before it writes it: ");
    const uint64_t calls = deterministic ? OnThreads() : 0;
    const size_t broken = Broken();
    if (deterministic)
      Same("good samples after broken ones", runner_.get(), false, "after broken samples: ");
    say_("done", std::to_string(kSamples) + " samples one by one and in another order" +
                     (calls > 0 ? ", " + std::to_string(calls) + " on " + std::to_string(kThreads) +
                                      " threads"
                                : "") +
                     ", " + std::to_string(broken) + " broken ones");
  }

 private:
  void Fault(const std::string& text) { say_("fault", text); }

  std::unique_ptr<testing::StageRunner> NewRunner(uint8_t fill) {
    auto runner = std::make_unique<testing::StageRunner>(kSeed, fill);
    runner->open().find_elsewhere = find_;
    runner->Add(testing::DeclarationOf<Asker>()).Add(declaration_, params_);
    return runner;
  }

  bool Open() {
    say_("trial", "making and opening it");
    try {
      runner_ = NewRunner(kFill);
      return true;
    } catch (const testing::Refused& refused) {
      say_("skip", "it refuses to open: \"" + refused.parameter() + "\" " + refused.what());
    } catch (const std::exception& error) {
      ThrowIfLimit(error);
      Fault(std::string("it can't be opened: ") + error.what());
    } catch (...) {
      Fault("it can't be opened: it threw something that is no std::exception");
    }
    return false;
  }

  // Finds samples that it takes, and what it makes of them.
  bool Taken() {
    std::string why;
    bool refused = false;  // as bad, which a stage may do with what is made here
    for (const auto channels : {SampleMaker::Channels::kRgbAndMask, SampleMaker::Channels::kGray}) {
      say_("trial", "good samples, one by one");
      maker_ = std::make_unique<SampleMaker>(declaration_, files_, channels);
      expected_.clear();
      for (uint64_t i = 0; i < kSamples; ++i) expected_.push_back(RunGood(*runner_, i));
      const bool any = std::any_of(expected_.begin(), expected_.end(),
                                   [](const Outcome& o) { return o.end == Outcome::kDone; });
      if (any) return true;
      refused |= std::any_of(expected_.begin(), expected_.end(),
                             [](const Outcome& o) { return o.end == Outcome::kBadSample; });
      if (why.empty()) why = EndText(expected_[0]);
    }
    if (!refused) {
      Fault("it takes no sample, and calls none of them bad: " + why);
      return false;
    }
    say_("skip", "it takes none of the samples that are made here (\"" + why +
                     "\"); give it encoded content with --sample NAME=FILE");
    return false;
  }

  Outcome RunGood(testing::StageRunner& runner, uint64_t index) const {
    testing::TestAllocator images;
    Sample sample = maker_->Good(index, images);
    return RunOnce(runner, sample, maker_->names());
  }

  static std::string Name(uint64_t index) {
    return "sample " + std::to_string(index) + " (" + SampleMaker::SizeText(index) + "): ";
  }

  void CheckSerial() {
    for (uint64_t i = 0; i < kSamples; ++i) {
      if (expected_[i].end == Outcome::kThrewNoException)
        return Fault(Name(i) + "it throws " + expected_[i].message + ": its reason is lost");
    }
  }

  // What it made is what its declaration says that it makes.
  void CheckForms() {
    for (const FlowRule& rule : declaration_.flows) {
      if (!rule.made) continue;
      const Flow flow = rule.made(params_);
      if (flow.kind != Flow::kImage || !flow.known()) continue;
      const std::string form = "image " + std::to_string(flow.height) + " x " +
                               std::to_string(flow.width) + " x " + std::to_string(flow.channels) +
                               " of 8 bits";
      for (uint64_t i = 0; i < kSamples; ++i) {
        for (const Outcome::Part& part : expected_[i].parts) {
          if (part.name != rule.name || part.form == form || !part.form.starts_with("image"))
            continue;
          return Fault(Name(i) + "\"" + part.name + "\" is " + part.form +
                       "; its declaration says " + form);
        }
      }
    }
  }

  bool Same(const std::string& trial, testing::StageRunner* runner, bool backwards,
            const std::string& what) {
    say_("trial", trial);
    for (uint64_t n = 0; n < kSamples; ++n) {
      const uint64_t i = backwards ? kSamples - 1 - n : n;
      const std::string difference = Difference(expected_[i], RunGood(*runner, i));
      if (difference.empty()) continue;
      Fault(what + Name(i) + difference);
      return false;
    }
    return true;
  }

  // One instance on several threads at once, each with its own sample; how many samples in all.
  uint64_t OnThreads() {
    const std::string trial = "one instance on " + std::to_string(kThreads) + " threads";
    say_("trial", trial);
    std::mutex mutex;  // protects the three below
    std::string first;
    std::exception_ptr ended;
    uint64_t calls = 0;
    std::barrier start(kThreads);
    const auto run = [&](uint64_t thread) {
      testing::StageRunner runner = runner_->Beside();
      uint64_t own = 0;
      start.arrive_and_wait();
      const auto until = std::chrono::steady_clock::now() + kThreadsTime;
      do {
        for (uint64_t n = 0; n < kSamples; ++n, ++own) {
          const uint64_t i = (n + 3 * thread) % kSamples;
          const std::string difference = Difference(expected_[i], RunGood(runner, i));
          if (difference.empty()) continue;
          const std::lock_guard lock(mutex);
          if (first.empty()) first = Name(i) + difference;
          return;
        }
      } while (std::chrono::steady_clock::now() < until);
      const std::lock_guard lock(mutex);
      calls += own;
    };
    const auto body = [&](uint64_t thread) {
      try {
        run(thread);
      } catch (...) {
        const std::lock_guard lock(mutex);
        ended = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> threads;
      try {
        for (uint64_t thread = 0; thread < kThreads; ++thread) threads.emplace_back(body, thread);
      } catch (const std::system_error& error) {
        for (size_t missing = threads.size(); missing < kThreads; ++missing) start.arrive_and_drop();
        ThrowIfLimit(error);
        throw;
      }
      // The time that it takes on purpose is no silence.
      const auto until = std::chrono::steady_clock::now() + kThreadsTime;
      while (std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(kThreadsTime / 5);
        say_("trial", trial);
      }
    }
    if (ended) std::rethrow_exception(ended);
    if (!first.empty())
      Fault("not safe on several threads: one instance on " + std::to_string(kThreads) +
            " threads: " + first);
    return calls;
  }

  size_t Broken() {
    const auto all = maker_->AllBroken();
    for (const SampleMaker::Broken& broken : all) {
      say_("trial", broken.what);
      testing::TestAllocator images;
      Sample sample = broken.make(images);
      const Outcome outcome = RunOnce(*runner_, sample, maker_->names());
      if (outcome.end == Outcome::kThrewNoException) {
        Fault(broken.what + ": it throws " + outcome.message + ": its reason is lost");
      } else if (broken.content && outcome.end == Outcome::kThrew) {
        Fault(broken.what + " ends the run (\"" + outcome.message +
              "\"); content at fault is a BadSample");
      }
    }
    return all.size();
  }

  const StageDeclaration& declaration_;
  const Value& params_;
  const ProvidedLookup& find_;
  const EncodedFiles& files_;
  const Say& say_;
  std::unique_ptr<testing::StageRunner> runner_;
  std::unique_ptr<SampleMaker> maker_;
  std::vector<Outcome> expected_;
};

}  // namespace

void TryTransform(const StageDeclaration& declaration, const Value& params,
                  const ProvidedLookup& find, const EncodedFiles& files, const Say& say) {
  Trials(declaration, params, find, files, say).Run();
}

}  // namespace flowtrain::cli
