// What a stage may ask of the framework, one context per call. Implemented by the engine and by the
// stage test runner; authors only use them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <flowtrain/batch.h>
#include <flowtrain/error.h>
#include <flowtrain/export.h>
#include <flowtrain/metrics.h>
#include <flowtrain/rng.h>
#include <flowtrain/sample.h>
#include <flowtrain/source_file.h>
#include <flowtrain/value.h>

namespace flowtrain {

class Source;

// A source that another one draws from: open, and it stays so until that one is closed.
struct NamedSource {
  std::string name;  // in the graph
  const Source& source;
};

// What arrives at an input of a batch stage, known before the first batch.
struct InputInfo {
  int batch = 0;                  // rows of a full batch
  uint64_t batches_per_epoch = 0;
  uint64_t samples_per_epoch = 0;
  std::vector<Tensor> tensors;    // names, types, shapes; no data
  bool connected = false;         // an optional input may have no edge
};

// Which phase of the run this is. A graph without phases is one, and its consumers' own parameters say
// when it ends.
struct PhaseInfo {
  int index = 0, count = 1;
  std::string name;          // empty: the graph has no phases
  uint64_t first_epoch = 0;  // epochs that earlier phases had
  uint64_t epochs = 0;       // after how many of this phase Run is to return; 0: the graph has no phases
};

// How what plugins provide is found: interface and name -> the thing. Throws Error.
using ProvidedLookup = std::function<void*(const std::string& interface, const std::string& name)>;

class FLOWTRAIN_API OpenContext {
 public:
  virtual ~OpenContext();
  // Ends the start with an error that names the parameter's place in the graph file.
  [[noreturn]] virtual void Refuse(const std::string& parameter, const std::string& why) = 0;
  virtual void Info(const std::string& message) = 0;
  virtual void Warn(const std::string& message) = 0;
  // Progress of a long Open. Throws Cancelled when the run was told to stop: call it often.
  virtual void Progress(const std::string& what, uint64_t done, uint64_t total) = 0;
  virtual uint64_t seed() const = 0;
  virtual const PhaseInfo& phase() const = 0;
  virtual std::filesystem::path cache_dir() const = 0;  // the user's, made when first asked for
  virtual const InputInfo& input(std::string_view name) const = 0;  // batch stages only
  virtual Instruments& metrics() = 0;
  virtual int granted_cpus() const = 0;
  // Of a source that TakesSources: those that lead into it, in the order of the file.
  virtual std::span<const NamedSource> sources() const { return {}; }
  // What a plugin provides under `name` ("acme.warm" opens libflowtrain_acme.so if need be), for as
  // long as the process lives. Throws Error, with the names there are, where there is none.
  template <class I>
  I& Find(const std::string& name) {
    return *static_cast<I*>(FindProvided(I::kInterface, name));
  }
  virtual void* FindProvided(const std::string& interface, const std::string& name) = 0;
  // Of a consumer: the run goes on from a checkpoint, and Load comes after Open. What only a new
  // run begins with need not be there then.
  virtual bool resuming() const { return false; }
};

// How a source comes by bytes: from the run's cache, or from storage. Both calls throw Transient for
// storage faults (retried by the caller), BadSample for what is no regular file or has more than 1 GiB,
// Error for a file that is not there, Cancelled when the run stops; they count the bytes.
class FLOWTRAIN_API ReadContext {
 public:
  virtual ~ReadContext();
  // The whole file.
  virtual Buffer ReadFile(const std::filesystem::path& path) = 0;
  // Throws Error also where the file, if it must be read, is not the one that the piece was found in.
  virtual Buffer ReadPart(const FilePart& part) = 0;
  virtual bool stopping() const = 0;
};

class FLOWTRAIN_API Context {
 public:
  virtual ~Context();
  // This stage's random numbers for this sample: the same in Plan and in every call of Process.
  virtual Rng& rng() = 0;
  // Memory of the worker, at least `bytes`, 64-byte aligned, valid until Process returns; `which`
  // tells several blocks apart. Content is what an earlier sample left.
  virtual std::span<uint8_t> Scratch(size_t bytes, int which = 0) = 0;
  // What the stages after this one want of the image (decoders ask before they decode).
  virtual View Plan(const ImageInfo& info) = 0;
  // Warnings are logged once per distinct message and counted.
  virtual void Warn(const std::string& message) = 0;
};

class FLOWTRAIN_API BatchContext {
 public:
  virtual ~BatchContext();
  // Which of the stage's resident outputs this batch may fill: 0 .. residents-1. It was free (its
  // batch dropped, its fences passed) when Process was called.
  virtual int resident() const = 0;
  // The output batch: identities of `in`, new tensors, `ready` for its readers.
  virtual Batch Derive(const Batch& in, std::vector<Tensor> tensors, FencePtr ready) = 0;
  virtual bool stopping() const = 0;
};

// What the progress line shows. Fields left at their default are not shown.
struct ProgressReport {
  uint64_t epoch = 0, epochs = 0;      // epoch counts from 1 here
  uint64_t step = 0, steps = 0;        // of the epoch
  uint64_t total_steps = 0, done_steps = 0;  // of the run
  double loss = -1;
  std::string phase = "train";         // "train", "val"
  bool has_loss = false;
};

class FLOWTRAIN_API RunContext {
 public:
  virtual ~RunContext();
  // The next batch of an input, in order; blocks. Empty: the run stops (interrupt, error, or for an
  // observer the end). The time spent here is what the metrics call starvation.
  virtual Batch Pull(std::string_view input) = 0;
  // Training has taken in this batch, and every earlier one of this input, for good: a resumed run
  // starts after it. (Commit once per optimizer step, or once at the end of a validation: whatever was
  // pulled but not committed comes again.)
  virtual void Commit(const Batch& batch, std::string_view input) = 0;
  virtual const InputInfo& input(std::string_view name) const = 0;
  virtual const PhaseInfo& phase() const = 0;
  // True once the run is to end early: look at it in loops that don't pull.
  virtual bool stopping() const = 0;
  // Writes a checkpoint now: calls this consumer's Save. `metric`: the number by which checkpoints
  // are ranked, higher is better (NaN: unranked). A failure is logged, and the run goes on: false.
  virtual bool Checkpoint(const std::string& tag, double metric) = 0;
  // One line of metrics.jsonl: an object.
  virtual void Record(Value fields) = 0;
  virtual void Progress(const ProgressReport& report) = 0;
  // Lines for the summary at the end ("best IoU", "0.83").
  virtual void Summary(const std::string& name, const std::string& value) = 0;
  virtual void Info(const std::string& message) = 0;
  virtual void Warn(const std::string& message) = 0;
  virtual Instruments& metrics() = 0;
  virtual std::filesystem::path run_dir() const = 0;
};

}  // namespace flowtrain
