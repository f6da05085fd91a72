#include "stages/train/bench/command.h"

#include <CLI/CLI.hpp>

#include "stages/train/bench/options.h"
#include "stages/train/torch_half.h"

namespace flowtrain::train {
namespace {

void AddOptions(CLI::App& app, BenchOptions& o) {
  app.add_option("--device", o.device, "auto, cpu, cuda or cuda:N.")->capture_default_str();
  app.add_option("--precision", o.precision, "auto (bf16 on a GPU), float32 or bf16.")
      ->check(CLI::IsMember({"auto", "float32", "bf16"}))
      ->capture_default_str();
  app.add_option("--backbone", o.backbone, "An EdgeNeXt.")->capture_default_str();
  app.add_option("--encoder", o.encoder, "gate or sdta.")->check(CLI::IsMember({"gate", "sdta"}))->capture_default_str();
  app.add_option("--batch", o.batch, "Images a batch (default: 32 on a GPU, 64 for resnet50, 2 on a CPU).")->check(CLI::Range(1, 1 << 20));
  app.add_option("--size", o.size, "Side of the images in pixels (default: 352 on a GPU, 224 for resnet50, 96 on a CPU).")
      ->check(CLI::Range(32, 1 << 14));
  app.add_option("--rounds", o.rounds, "Of each measurement (default: 50 on a GPU, 7 on a CPU).")
      ->check(CLI::Range(1, 1 << 20));
  auto* const infer = app.add_flag("--infer", o.infer, "Measure inference at batches of 1 to 32.");
  auto* const step = app.add_option("--step", o.step, "Measure training steps of camoxpert or resnet50, a line of JSON a block.")
                         ->check(CLI::IsMember({"camoxpert", "resnet50"}))
                         ->excludes(infer);
  app.add_option("--routing", o.routing,
                 "With --step camoxpert: balanced (every expert gets as many images), known (the same, and known to the "
                 "host beforehand) or learned.")
      ->check(CLI::IsMember({"balanced", "known", "learned"}))
      ->needs(step)
      ->capture_default_str();
  app.add_flag("!--no-graphs", o.recorded, "With --step: launch every kernel one by one, no CUDA graphs.")->needs(step);
  app.add_option("--blocks", o.blocks, "With --step: how many times --rounds steps.")->check(CLI::Range(1, 1 << 20))->needs(step);
  app.add_flag("--on-line", o.on_line, "With --step: each block when a line comes in.")->needs(step);
  app.add_option("--trace", o.trace, "With --step: a file for a Chrome trace of five steps.")->needs(step);
}

}  // namespace

int BenchModel::Run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  BenchOptions options;
  CLI::App app(Help(), "flowtrain bench model");
  AddOptions(app, options);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return app.exit(error, out, err) == 0 ? 0 : 2;
  }
  RunBench(options, out);
  return 0;
}

}  // namespace flowtrain::train
