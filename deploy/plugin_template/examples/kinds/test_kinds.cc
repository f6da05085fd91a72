// Each kind of stage alone, without a graph.
#undef NDEBUG
#include <flowtrain/testing/batch_context.h>
#include <flowtrain/testing/consumer_runner.h>
#include <flowtrain/testing/declarations.h>
#include <flowtrain/testing/stage_runner.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

using namespace flowtrain;

namespace {

const testing::CollectingRegistrar& Kinds() {
  static const auto plugin = testing::LoadPlugin(PLUGINS "/libflowtrain_kinds.so");
  return plugin;
}

Sample Stripes(uint64_t index) {
  testing::TestOpenContext open;
  testing::TestReadContext read;
  const Value params{Value::Object{{"count", 8}, {"size", Value::List{8, 12}}}};
  const auto source = testing::Make<Source>(Kinds().Find("kinds.stripes"), params, open);
  assert(source->Size() == 8);
  Sample sample;
  sample.id.index = index;
  source->Read(index, sample, read);
  return sample;
}

void ASourceGivesSamplesByIndex() {
  assert(Stripes(0).label("period") == 2);
  assert(Stripes(3).label("period") == 5);
  const Sample sample = Stripes(1);
  assert(sample.encoded("image").size == 8 + 8 * 12);
}

void UnpackMakesThePictureAndRefusesWhatIsNone() {
  testing::StageRunner runner;
  runner.Add(Kinds().Find("kinds.unpack"));
  Sample sample = Stripes(1);
  runner.Process(sample);
  const Image& image = sample.image("image");
  assert(image.height == 8 && image.width == 12 && image.channels == 1);
  assert(image.row(7)[0] == 255 && image.row(7)[1] == 0 && image.row(7)[3] == 255);
  Sample broken;
  broken.set_encoded("image", Buffer::Allocate(5));
  try {
    runner.Process(broken);
  } catch (const BadSample& bad) {
    assert(bad.reason() == "no raw image");
    return;
  }
  assert(!"the broken sample passed");
}

void AWindowIsPlannedBeforeItsImageIsMade() {
  testing::StageRunner runner;
  const Value params{Value::Object{{"size", Value::List{4, 4}}, {"share", 0.5}}};
  runner.Add(Kinds().Find("kinds.unpack")).Add(Kinds().Find("kinds.window"), params);
  Sample sample = Stripes(0);
  runner.Process(sample);
  assert(runner.planned()->region.width == 0.5 && runner.planned()->height == 4);
  const Image& image = sample.image("image");
  assert(image.height == 4 && image.width == 4);
  // unpack made the window only: at most one pixel more each way than 4 x 6, besides the 4 x 4.
  assert(runner.image_bytes() <= 5 * 7 + 4 * 4);
}

// Where what was made of the image is less than all of it, the window still is where it should be.
void StripesKeepTheirPeriodInAWindow() {
  const Value params{Value::Object{{"size", Value::List{4, 6}}, {"share", 0.5}}};
  for (uint64_t i = 0; i < 8; ++i) {
    testing::StageRunner both(5);
    both.Add(Kinds().Find("kinds.unpack")).Add(Kinds().Find("kinds.window"), params);
    Sample sample = Stripes(i);
    sample.id.position = i;
    both.Process(sample);
    const Image& image = sample.image("image");
    const auto period = static_cast<int>(sample.label("period"));
    int first = 0;
    while (first < image.width && image.row(0)[first] == 0) ++first;
    // A window of 6 of 12 columns at full size holds stripes at the period of the whole.
    for (int x = first; x + period < image.width; x += period) assert(image.row(0)[x + period] == 255);
  }
}

Batch Bytes(const std::vector<uint8_t>& values, int rows, int filled, uint64_t index) {
  const auto memory = std::make_shared<std::vector<uint8_t>>(values);
  const auto a_row = static_cast<int64_t>(values.size()) / rows;
  BatchContent content;
  content.index = index;
  content.rows = filled;
  content.ids.resize(static_cast<size_t>(filled));
  content.tensors = {{"image", DType::kU8, {rows, 1, a_row, 1}, memory->data()}};
  content.on_release = [memory](std::vector<FencePtr>) {};
  return Batch::Create(std::move(content));
}

InputInfo InfoOf(const Batch& batch, uint64_t batches) {
  InputInfo info;
  info.batches_per_epoch = batches;
  info.tensors = batch.content().tensors;
  info.connected = true;
  return info;
}

void ABatchTransformWritesIntoTheResidentItWasGiven() {
  const Batch in = Bytes({0, 51, 255, 102}, 2, 2, 0);
  testing::TestOpenContext open;
  open.inputs["in"] = InfoOf(in, 1);
  const auto stage = testing::Make<BatchTransform>(
      Kinds().Find("kinds.to_float"), Value(Value::Object{{"residents", 2}}), open);
  testing::TestBatchContext first(0), second(1);
  const Batch a = stage->Process(in, first);
  const Batch b = stage->Process(in, second);
  assert(a.tensor("image").dtype == DType::kF32 && a.rows() == 2);
  assert(a.tensor("image").data != b.tensor("image").data);
  assert(std::abs(a.tensor("image").as<float>()[1] - 0.2F) < 1e-6F);
  assert(a.tensor("image").as<float>()[2] == 1.0F);
}

void AConsumerGoesOnFromWhatItSaved() {
  testing::TestOpenContext open;
  const auto to_float = [&](const Batch& bytes) {
    open.inputs["in"] = InfoOf(bytes, 1);
    // Each has a stage of its own, which has to outlive its batches.
    static std::vector<std::unique_ptr<BatchTransform>> stages;
    stages.push_back(testing::Make<BatchTransform>(Kinds().Find("kinds.to_float"), {}, open));
    testing::TestBatchContext context;
    return stages.back()->Process(bytes, context);
  };
  const Batch light = to_float(Bytes({255, 255, 255, 255}, 2, 2, 0));
  const Batch dark = to_float(Bytes({0, 0, 255, 255}, 2, 1, 1));  // the second row is not filled
  const auto make = [&] { return testing::Make<Consumer>(Kinds().Find("kinds.mean"), {}, open); };
  const auto run = [&](Consumer& stage, std::vector<Batch> batches) {
    testing::TestRunContext context(".");
    context.inputs["in"] = InfoOf(light, 2);
    context.batches["in"] = std::move(batches);
    stage.Run(context);
    return context.summary.empty() ? "" : context.summary[0].second;
  };
  const auto undisturbed = make();
  assert(run(*undisturbed, {light, dark}).starts_with("0.666"));
  const auto stopped = make(), resumed = make();
  assert(run(*stopped, {light}).empty());
  State state(".", {});
  stopped->Save(state);
  resumed->Load(state);
  assert(run(*resumed, {dark}).starts_with("0.666"));
}

}  // namespace

int main() {
  ASourceGivesSamplesByIndex();
  UnpackMakesThePictureAndRefusesWhatIsNone();
  AWindowIsPlannedBeforeItsImageIsMade();
  StripesKeepTheirPeriodInAWindow();
  ABatchTransformWritesIntoTheResidentItWasGiven();
  AConsumerGoesOnFromWhatItSaved();
  std::puts("kinds: 6 tests passed");
}
