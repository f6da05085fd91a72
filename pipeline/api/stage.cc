#include <flowtrain/stage.h>

namespace flowtrain {

Stage::~Stage() = default;
Source::~Source() = default;
uint64_t Source::Fingerprint() const { return 0; }
Transform::~Transform() = default;
bool Transform::Plan(const ImageInfo&, Rng&, View&) const { return false; }
BatchTransform::~BatchTransform() = default;
Consumer::~Consumer() = default;
void Consumer::EnterPhase(const Consumer&, OpenContext&) {}
void Consumer::Save(State&) const {}
void Consumer::Load(const State&) {}

OpenContext::~OpenContext() = default;
ReadContext::~ReadContext() = default;
Context::~Context() = default;
BatchContext::~BatchContext() = default;
RunContext::~RunContext() = default;
Registrar::~Registrar() = default;
void Registrar::Offer(Provision provision) {
  throw Error("\"" + provision.name + "\" can't be provided here: only stages are registered");
}
Fence::~Fence() = default;
ImageAllocator::~ImageAllocator() = default;
Counter::~Counter() = default;
Gauge::~Gauge() = default;
Histogram::~Histogram() = default;
Instruments::~Instruments() = default;

}  // namespace flowtrain
