// The four kinds of stage. A plugin author includes this header and nothing else of flowtrain.
//
// Life of a stage: constructed from its parameters, Open once (single-threaded), then its calls as
// stated at each kind, Close once after the last of them. Stages are const after Open where calls are
// concurrent; scratch memory and random numbers come from the context.
#pragma once

#include <cstdint>

#include <flowtrain/batch.h>
#include <flowtrain/context.h>
#include <flowtrain/declaration.h>
#include <flowtrain/error.h>
#include <flowtrain/export.h>
#include <flowtrain/fingerprint.h>
#include <flowtrain/plugin.h>
#include <flowtrain/sample.h>
#include <flowtrain/state.h>

namespace flowtrain {

class FLOWTRAIN_API Stage {
 public:
  Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  virtual ~Stage();
  virtual void Open(OpenContext&) {}
  virtual void Close() noexcept {}
};

// Gives samples by index. Read is called concurrently, on I/O threads, in any order.
class FLOWTRAIN_API Source : public Stage {
 public:
  ~Source() override;
  virtual uint64_t Size() const = 0;  // after Open; > 0
  // Fills what the declaration says it Yields. Throw BadSample: replaced; Transient: retried;
  // anything else ends the run.
  virtual void Read(uint64_t index, Sample& sample, ReadContext& context) const = 0;
  // A hash (Fingerprinter) of what each index names, in the order of the indices: the sample's paths
  // within the source and its label. Of nothing that may change while each index names the same: no
  // times, no folder that all lies in, no sample's bytes. A resumed run may have other Paths in the
  // source's parameters, so it must cover all that they decide: of a file of calibrations, say, its
  // content. The same on every machine and in every run.
  // Called once, after Open: a resume over other samples of the same Size is refused by it. 0: not
  // known, then only Size is compared.
  virtual uint64_t Fingerprint() const;
};

// Turns one sample into another. Process is called concurrently, on compute workers.
class FLOWTRAIN_API Transform : public Stage {
 public:
  ~Transform() override;
  virtual void Process(Sample& sample, Context& context) const = 0;
  // Narrows what is wanted of an image before it is decoded, drawing from `rng` just as Process will
  // (both start at the same numbers). False: no plan, and later stages are not asked.
  virtual bool Plan(const ImageInfo& info, Rng& rng, View& view) const;
};

// Turns one batch into another, in order, on its own thread.
class FLOWTRAIN_API BatchTransform : public Stage {
 public:
  ~BatchTransform() override;
  virtual Batch Process(const Batch& batch, BatchContext& context) = 0;
};

// Takes batches in, on its own thread: a trainer, a preview, a null sink. The run ends when its
// consumers (but observers) have returned from Run.
class FLOWTRAIN_API Consumer : public Stage {
 public:
  ~Consumer() override;
  // Called once, or once a phase: it returns when RunContext::phase() is through, and holds no batch then.
  virtual void Run(RunContext& context) = 0;
  // Before Run is called for a later phase. `planned` is what the graph would make for that phase, of the
  // same class and not opened: take over its parameters that are declared PerPhase. What arrives at the
  // inputs may have changed too.
  virtual void EnterPhase(const Consumer& planned, OpenContext& context);
  // Save is called in RunContext::Checkpoint and after Run; Load after Open, before any batch.
  virtual void Save(State& state) const;
  virtual void Load(const State& state);
};

template <class S>
void Registrar::Add() {
  using P = typename S::Params;
  Declaration<P> declaration;
  S::Declare(declaration);
  constexpr StageKind kind = std::is_base_of_v<Source, S>           ? StageKind::kSource
                             : std::is_base_of_v<Transform, S>      ? StageKind::kTransform
                             : std::is_base_of_v<BatchTransform, S> ? StageKind::kBatchTransform
                                                                    : StageKind::kConsumer;
  static_assert(std::is_base_of_v<Stage, S>);
  Register(std::move(declaration).Finish(kind, [](const P& p) -> std::unique_ptr<Stage> { return std::make_unique<S>(p); }));
}

template <class P>
void Registrar::AddDeferred(StageKind kind, void (*declare)(Declaration<P>&), std::function<std::unique_ptr<Stage>(const P&)> create) {
  Declaration<P> declaration;
  declare(declaration);
  Register(std::move(declaration).Finish(kind, std::move(create)));
}

}  // namespace flowtrain
