// A stage made and opened from its declaration, as the engine would: defaults filled in, unknown
// and missing parameters refused. For tests; one thread.
#pragma once

#include <flowtrain/stage.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace flowtrain::testing {

// `params` with every default of the declaration. Throws Error for an unknown or a missing one.
// Ranges are not checked: that is validation's work, tested with it.
Value WithDefaults(const StageDeclaration& declaration, const Value& params);

// What OpenContext::Refuse throws here.
class Refused final : public Error {
 public:
  Refused(std::string parameter, const std::string& why)
      : Error(why), parameter_(std::move(parameter)) {}
  const std::string& parameter() const { return parameter_; }

 private:
  std::string parameter_;
};

// Stages run on several threads write to one instrument.
class TestCounter final : public Counter {
 public:
  void Add(double amount) override { std::atomic_ref(value).fetch_add(amount); }
  double value = 0;
};
class TestGauge final : public Gauge {
 public:
  void Set(double v) override { std::atomic_ref(value).store(v); }
  double value = 0;
};
class TestHistogram final : public Histogram {
 public:
  void Observe(double v) override {
    const std::lock_guard lock(mutex_);
    values.push_back(v);
  }
  std::vector<double> values;

 private:
  std::mutex mutex_;  // protects values
};

// Instruments by name; labels are not told apart.
class TestInstruments final : public Instruments {
 public:
  Counter& counter(const std::string& name, const std::string&, const Labels&) override {
    return counters[name];
  }
  Gauge& gauge(const std::string& name, const std::string&, const Labels&) override {
    return gauges[name];
  }
  Histogram& histogram(const std::string& name, const std::string&, const Labels&) override {
    return histograms[name];
  }
  std::map<std::string, TestCounter> counters;
  std::map<std::string, TestGauge> gauges;
  std::map<std::string, TestHistogram> histograms;
};

class TestOpenContext final : public OpenContext {
 public:
  [[noreturn]] void Refuse(const std::string& parameter, const std::string& why) override {
    throw Refused(parameter, why);
  }
  void Info(const std::string& message) override { infos.push_back(message); }
  void Warn(const std::string& message) override { warnings.push_back(message); }
  void Progress(const std::string& what, uint64_t done, uint64_t total) override;
  uint64_t seed() const override { return seed_value; }
  const PhaseInfo& phase() const override { return phase_info; }
  std::filesystem::path cache_dir() const override;  // throws Error where the test set no `cache`
  const InputInfo& input(std::string_view name) const override;
  Instruments& metrics() override { return instruments; }
  int granted_cpus() const override { return 1; }
  std::span<const NamedSource> sources() const override { return upstream; }
  void* FindProvided(const std::string& interface, const std::string& name) override;
  bool resuming() const override { return resumes; }
  // Lets stages find `thing`; what a plugin provides is CollectingRegistrar::provisions.
  template <class I>
  void Provide(std::string name, std::shared_ptr<I> thing) {
    provisions.push_back({I::kInterface, std::move(name), [thing = std::move(thing)] { return thing; }});
  }

  std::vector<Provision> provisions;
  ProvidedLookup find_elsewhere;  // what `provisions` lacks; null: nowhere
  uint64_t seed_value = 42;
  bool resumes = false;
  PhaseInfo phase_info;
  std::filesystem::path cache;
  std::map<std::string, InputInfo, std::less<>> inputs;
  std::vector<NamedSource> upstream;  // what a source that TakesSources draws from
  // Progress throws Cancelled from this call on; 0: never.
  uint64_t cancel_at_progress = 0;
  uint64_t progress_calls = 0;
  std::vector<std::string> infos, warnings;
  TestInstruments instruments;

 private:
  std::vector<std::shared_ptr<void>> found_;  // live as long as this
};

// Reads files as they are.
class TestReadContext final : public ReadContext {
 public:
  Buffer ReadFile(const std::filesystem::path& path) override;
  Buffer ReadPart(const FilePart& part) override;
  bool stopping() const override { return false; }
  std::vector<std::filesystem::path> files;  // that were read, in order
};

// Makes the stage and opens it. S: Source, Transform, ...
std::unique_ptr<Stage> MakeStage(const StageDeclaration& declaration, const Value& params,
                                 OpenContext& context);
template <class S>
std::unique_ptr<S> Make(const StageDeclaration& declaration, const Value& params,
                        OpenContext& context) {
  std::unique_ptr<Stage> stage = MakeStage(declaration, params, context);
  auto* typed = dynamic_cast<S*>(stage.get());
  if (typed == nullptr) throw Error(declaration.type + " is a " + StageKindName(declaration.kind));
  stage.release();
  return std::unique_ptr<S>(typed);
}

}  // namespace flowtrain::testing
