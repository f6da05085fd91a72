// Each stage fails in one way on samples that are not as it expects, or says something else than it
// does.
#include <csignal>
#include <thread>

#include "invert.h"

namespace {

using namespace flowtrain;

// Believes what the bytes say.
class Crashes final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) {
    d.Type("fragile.crashes", "");
    d.Makes("image", Flow::kEncoded, [](const Params&) { return Pixels(1, 1, 1); });
  }
  explicit Crashes(const Params&) {}
  void Process(Sample& sample, Context&) const override {
    if (sample.encoded("image").size == 0) std::raise(SIGSEGV);
    sample.MakeImage("image", 1, 1, 1).row(0)[0] = sample.encoded("image").data[0];
  }
};

// Ends the run where a sample is at fault.
class Ends final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) {
    d.Type("fragile.ends", "");
    d.Makes("image", Flow::kEncoded, [](const Params&) { return Pixels(1, 1, 1); });
  }
  explicit Ends(const Params&) {}
  void Process(Sample& sample, Context&) const override {
    if (sample.encoded("image").size < 100) throw Error("too short");
    sample.MakeImage("image", 1, 1, 1).row(0)[0] = 0;
  }
};

class Hangs final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) { DeclareInvert(d, "fragile.hangs"); }
  explicit Hangs(const Params&) {}
  void Process(Sample& sample, Context&) const override {
    while (sample.image("image").channels == 4) std::this_thread::sleep_for(std::chrono::hours(1));
  }
};

// Makes an image and leaves half of it as it was.
class Leaves final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) {
    d.Type("fragile.leaves", "");
    d.Makes("image", Flow::kImage, [](const Params&) { return Pixels(4, 4, 3); });
  }
  explicit Leaves(const Params&) {}
  void Process(Sample& sample, Context&) const override {
    const Image& image = sample.MakeImage("image", 4, 4, 3);
    for (int y = 0; y < 2; ++y) std::fill_n(image.row(y), image.row_bytes(), uint8_t{1});
  }
};

class Lies final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) {
    d.Type("fragile.lies", "");
    d.Makes("image", Flow::kImage, [](const Params&) { return Pixels(8, 8, 3); });
  }
  explicit Lies(const Params&) {}
  void Process(Sample& sample, Context&) const override {
    const Image& image = sample.MakeImage("image", 4, 4, 3);
    for (int y = 0; y < 4; ++y) std::fill_n(image.row(y), image.row_bytes(), uint8_t{1});
  }
};

class ThrowsInt final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) { DeclareInvert(d, "fragile.throws_int"); }
  explicit ThrowsInt(const Params&) {}
  void Process(Sample& sample, Context&) const override {
    if (sample.image("image").channels == 2) throw 7;
  }
};

// Keeps what a broken sample was.
class Spoiled final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) { DeclareInvert(d, "fragile.spoiled"); }
  explicit Spoiled(const Params&) {}
  void Process(Sample& sample, Context&) const override {
    Image& image = sample.image("image");
    if (image.channels == 4) spoiled_ = true;
    if (spoiled_) Invert(image);
  }

 private:
  mutable bool spoiled_ = false;
};

class Always final : public Transform {
 public:
  using Params = NoParams;
  static void Declare(Declaration<Params>& d) { DeclareInvert(d, "fragile.always"); }
  explicit Always(const Params&) {}
  void Process(Sample&, Context&) const override { throw Error("not today"); }
};

}  // namespace

FLOWTRAIN_PLUGIN("fragile", "1.0", r) {
  r.Add<Crashes>();
  r.Add<Ends>();
  r.Add<Hangs>();
  r.Add<Leaves>();
  r.Add<Lies>();
  r.Add<ThrowsInt>();
  r.Add<Spoiled>();
  r.Add<Always>();
}
