#include "metrics/fill.h"

#include <cmath>
#include <string>
#include <tuple>

namespace flowtrain::testing {

std::vector<metrics::Reading> Fill(metrics::RunMetrics& metrics, int moment,
                                   const std::string& without) {
  struct Work {
    const char* stage;
    double duration, wait, blocked;
    int items;
  };
  for (const Work& w : {Work{"decode", 4e-3, 1e-3, 0, 80}, Work{"augment", 1.5e-3, 2e-4, 0, 80},
                        Work{"staging", 2e-4, 0, 0.01, 5}, Work{"upload", 9e-3, 0.03, 0.02, 5}}) {
    metrics::StageSeries series = metrics.Stage(w.stage);
    for (int i = 0; i < w.items; ++i) {
      series.duration.Observe(w.duration * (0.5 + (i % 10) / 9.0));
      series.wait.Observe(w.wait * (i % 3));
      series.ok.Add(1);
    }
    series.blocked.Add(w.blocked);
  }
  metrics::SourceSeries files = metrics.Source("files");
  for (int i = 0; i < 80; ++i) {
    files.stage.duration.Observe(6e-4);
    files.stage.ok.Add(1);
    files.read_bytes.Add(52e3);
  }
  files.stage.blocked.Add(0.6);
  metrics.PullWait("trainer", "train").Add(0.08 + 0.05 * std::sin(moment * 0.3));
  metrics.BadSamples("can't be decoded").Add(moment % 20 == 0 ? 1 : 0);
  metrics.SetRunInfo({{"name", "cod10k-demo"}, {"graph", "cod10k.json"}});
  metrics.SetBuildInfo({{"version", "0.1.0"}, {"compiler", "g++ 12"}});

  Instruments& trainer = metrics.ForStage("trainer");
  for (int i = 0; i < 5; ++i) {
    trainer.histogram("trainer_step_seconds", "Time of one training step.", {}).Observe(0.18);
    for (const char* phase : {"forward", "backward", "optimizer"})
      trainer.histogram("trainer_phase_seconds", "Time of a part of the step.", {{"phase", phase}})
          .Observe(0.06);
  }
  trainer.counter("samples_total", "Samples trained on.", {}).Add(80);
  trainer.gauge("epoch", "The epoch, from 1.", {}).Set(1 + moment / 20);
  trainer.gauge("loss", "The loss of the last step.", {{"part", "total"}})
      .Set(0.4 + 1.2 * std::exp(-moment / 15.0));
  trainer.gauge("loss", "The loss of the last step.", {{"part", "boundary"}}).Set(0.1);
  trainer.gauge("learning_rate", "The learning rate.", {{"group", "0"}}).Set(2.5e-4);
  trainer.gauge("gradient_norm", "Norm of the gradient before clipping.", {}).Set(0.7);
  trainer.gauge("metric", "A metric of the last validation.", {{"name", "iou"}}).Set(0.71);
  for (int expert = 0; expert < 4 && without != "flowtrain_expert_usage_ratio"; ++expert)
    trainer
        .gauge("expert_usage_ratio", "Share of the samples an expert got.",
               {{"layer", "decoder.3"}, {"expert", std::to_string(expert)}})
        .Set(0.1 + 0.1 * expert);

  std::vector<metrics::Reading> out;
  if (moment > 0) return out;
  for (auto [name, used, capacity] : {std::tuple{"slots", 3.0, 4.0},
                                      {"compute", 4.0, 4.0},
                                      {"device", 1.0, 2.0},
                                      {"read_ahead_bytes", 4.1e6, 268435456.0},
                                      {"read_ahead", 11.0, 16.0}})
    out.push_back(metrics.AddPool(
        name, [used = used] { return used; }, [capacity = capacity] { return capacity; }));
  out.push_back(metrics.AddQueue(
      "upload", [] { return 1.0; }, [] { return 4.0; }));
  return out;
}

}  // namespace flowtrain::testing
