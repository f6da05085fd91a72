// What the engine costs beside a bare loop of threads over the same stages, in one process, by turns.
//   engine_bench [--rounds N] [--samples N] [--only empty]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/graph_loop.h"

namespace flowtrain::bench {
namespace {

struct Options {
  int rounds = 11;
  uint64_t samples = 600;
  bool only_empty = false;
};

double PerSample(double seconds, const Cost& cost) { return seconds / static_cast<double>(cost.samples); }

void Print(const char* what, const Median& m) {
  std::printf("  %-34s %.3f  [%.3f, %.3f]\n", what, m.median, m.low, m.high);
}

// Decode and resize, with 1 and 2 workers.
void CompareWithBare(const char* name, const std::vector<File>& files, const Options& options,
                     plugin::Loader& loader) {
  GraphSettings settings;
  settings.transforms =
      R"("decode": {"type": "image.decode"}, "augment": {"type": "image.augment", "size": [224, 224]}, )";
  settings.chain = "decode -> augment -> ";
  const Stages stages = OpenStages(settings, loader);
  std::vector<double> graph_gain, bare_gain;
  std::vector<double> wall_one[2];  // bare, graph with one worker
  for (const int workers : {1, 2}) {
    settings.workers = workers;
    settings.samples = options.samples * static_cast<uint64_t>(workers);
    std::vector<double> cpu, wall, bare_cpu_ms;
    for (int round = 0; round < options.rounds; ++round) {
      Cost bare, graph;
      const auto run_bare = [&] { bare = RunBare(stages, files, workers, settings.samples); };
      const auto run_graph = [&] { graph = RunGraph(settings, files, loader); };
      if (round % 2 == 0) run_bare(), run_graph(); else run_graph(), run_bare();
      cpu.push_back(PerSample(bare.cpu_s, bare) / PerSample(graph.cpu_s, graph));
      wall.push_back(PerSample(bare.wall_s, bare) / PerSample(graph.wall_s, graph));
      bare_cpu_ms.push_back(1e3 * PerSample(bare.cpu_s, bare));
      const double walls[2] = {PerSample(bare.wall_s, bare), PerSample(graph.wall_s, graph)};
      if (workers == 1) {
        wall_one[0].push_back(walls[0]);
        wall_one[1].push_back(walls[1]);
      } else {
        bare_gain.push_back(wall_one[0][round] / walls[0]);
        graph_gain.push_back(wall_one[1][round] / walls[1]);
      }
    }
    std::printf("%s, %d worker%s: bare %.3f ms of CPU a sample\n", name, workers, workers > 1 ? "s" : "",
                MedianOf(bare_cpu_ms).median);
    Print("bare/graph, CPU time", MedianOf(cpu));
    Print("bare/graph, wall time", MedianOf(wall));
  }
  std::printf("%s, 2 workers against 1\n", name);
  Print("gain of the bare loop", MedianOf(bare_gain));
  Print("gain of the graph", MedianOf(graph_gain));
}

// Samples without bytes through one transform that does nothing; with the read-ahead of files, and with
// one that suits samples as small, so that I/O threads are woken for many at once.
void EmptyBodies(const Options& options, plugin::Loader& loader) {
  GraphSettings settings;
  settings.transforms = R"("empty": {"type": "bench.empty"}, )";
  settings.chain = "empty -> ";
  settings.batch = 1024;
  settings.samples = options.samples * 500;
  for (const int workers : {1, 2}) {
    settings.workers = workers;
    const int read_aheads[] = {256, 16};
    std::vector<double> wall[2], cpu[2];
    for (int round = 0; round < options.rounds; ++round) {
      for (int i = 0; i < 2; ++i) {
        settings.source = R"(, "read_ahead": )" + std::to_string(read_aheads[i]);
        const Cost cost = RunGraph(settings, {}, loader);
        wall[i].push_back(1e6 * PerSample(cost.wall_s, cost));
        cpu[i].push_back(1e6 * PerSample(cost.cpu_s, cost));
      }
    }
    for (int i = 0; i < 2; ++i) {
      std::printf("empty bodies, %d worker%s, read-ahead %d, us a sample\n", workers, workers > 1 ? "s" : "", read_aheads[i]);
      Print("wall time", MedianOf(wall[i]));
      Print("CPU time of all threads", MedianOf(cpu[i]));
    }
  }
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--rounds") == 0) options.rounds = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--samples") == 0) options.samples = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--only") == 0) options.only_empty = std::strcmp(argv[i + 1], "empty") == 0;
  }
  plugin::Registry registry;
  plugin::Loader loader(registry, {FLOWTRAIN_PLUGINS});
  if (options.only_empty) {
    EmptyBodies(options, loader);
    return 0;
  }
  CompareWithBare("made JPEGs", MadeJpegs(64), options, loader);
  if (const char* data = std::getenv("FLOWTRAIN_TEST_DATA")) {
    const std::vector<File> photographs = JpegsOf(data + std::string("/davis"), 64);
    if (!photographs.empty()) CompareWithBare("photographs", photographs, options, loader);
  }
  EmptyBodies(options, loader);
  return 0;
}

}  // namespace
}  // namespace flowtrain::bench

int main(int argc, char** argv) { return flowtrain::bench::Main(argc, argv); }
