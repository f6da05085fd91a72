// What the engine costs beside a bare loop of threads over the same stages, in one process, by turns.
//   engine_bench [--rounds N] [--turns N] [--samples N] [--only empty]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/graph_loop.h"
#include "bench/held_to_cpus.h"
#include "pipeline/memory/freed_memory.h"

namespace flowtrain::bench {
namespace {

struct Options {
  int rounds = 11;
  int turns = 8;  // of each side in a round, so that what else the machine does falls on both alike
  uint64_t samples = 300;  // a worker and turn
  bool only_empty = false;
};

double PerSample(double seconds, const Cost& cost) { return seconds / static_cast<double>(cost.samples); }

void Print(const char* what, const Median& m) {
  std::printf("  %-34s %.3f  [%.3f, %.3f]\n", what, m.median, m.low, m.high);
}

// What one number of workers gave in the rounds so far.
struct Rounds {
  std::vector<double> cpu, wall;  // bare/graph
  std::vector<double> bare_cpu_ms, bare_wall, graph_wall;
};

void AddRound(const GraphSettings& settings, const Stages& stages, const std::vector<File>& files,
              int turns, plugin::Loader& loader, Rounds& rounds) {
  const HeldToCpus held(settings.workers);
  Cost bare, graph;
  const auto run_bare = [&] { bare += RunBare(stages, files, settings.workers, settings.samples); };
  const auto run_graph = [&] { graph += RunGraph(settings, files, loader); };
  for (int turn = 0; turn < turns; ++turn) {
    if (turn % 2 == 0) run_bare(), run_graph(); else run_graph(), run_bare();
  }
  rounds.cpu.push_back(PerSample(bare.cpu_s, bare) / PerSample(graph.cpu_s, graph));
  rounds.wall.push_back(PerSample(bare.wall_s, bare) / PerSample(graph.wall_s, graph));
  rounds.bare_cpu_ms.push_back(1e3 * PerSample(bare.cpu_s, bare));
  rounds.bare_wall.push_back(PerSample(bare.wall_s, bare));
  rounds.graph_wall.push_back(PerSample(graph.wall_s, graph));
}

std::vector<double> Ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return ratios;
}

// Decode and resize, with 1 and 2 workers by turns.
void CompareWithBare(const char* name, const std::vector<File>& files, const Options& options,
                     plugin::Loader& loader) {
  GraphSettings settings;
  settings.transforms =
      R"("decode": {"type": "image.decode"}, "augment": {"type": "image.augment", "size": [224, 224]}, )";
  settings.chain = "decode -> augment -> ";
  const Stages stages = OpenStages(settings, loader);
  Rounds by_workers[2];
  for (int round = 0; round < options.rounds; ++round) {
    for (const int workers : {1, 2}) {
      settings.workers = workers;
      settings.samples = options.samples * static_cast<uint64_t>(workers);
      AddRound(settings, stages, files, options.turns, loader, by_workers[workers - 1]);
    }
  }
  for (const int workers : {1, 2}) {
    const Rounds& rounds = by_workers[workers - 1];
    std::printf("%s, %d worker%s: bare %.3f ms of CPU a sample\n", name, workers, workers > 1 ? "s" : "",
                MedianOf(rounds.bare_cpu_ms).median);
    Print("bare/graph, CPU time", MedianOf(rounds.cpu));
    Print("bare/graph, wall time", MedianOf(rounds.wall));
  }
  const auto& [one, two] = by_workers;
  const std::vector<double> bare = Ratios(one.bare_wall, two.bare_wall);
  const std::vector<double> graph = Ratios(one.graph_wall, two.graph_wall);
  std::printf("%s, 2 workers against 1\n", name);
  Print("gain of the bare loop", MedianOf(bare));
  Print("gain of the graph", MedianOf(graph));
  Print("graph/bare", MedianOf(Ratios(graph, bare)));
}

// Samples without bytes through one transform that does nothing; with the read-ahead of files, and with
// one that suits samples as small, so that I/O threads are woken for many at once.
void EmptyBodies(const Options& options, plugin::Loader& loader) {
  GraphSettings settings;
  settings.transforms = R"("empty": {"type": "bench.empty"}, )";
  settings.chain = "empty -> ";
  settings.batch = 1024;
  settings.samples = options.samples * 1000;
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
  memory::KeepFreedMemory();  // as flowtrain does; for both sides
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--rounds") == 0) options.rounds = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--turns") == 0) options.turns = std::atoi(argv[i + 1]);
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
