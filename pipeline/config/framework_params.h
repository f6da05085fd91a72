// What the framework itself lets a graph set: on sources, on staging, and beside the stages. Declared
// with the same means as a plugin's parameters, so that checking, defaults and help are the same.
#pragma once

#include <optional>
#include <string>

#include <flowtrain/declaration.h>

namespace flowtrain::config {

struct SamplerParams {
  bool shuffle = false;
  int rank = 0;
  int world_size = 1;
  static void Declare(Fields<SamplerParams>& f) {
    f.Param("shuffle", &SamplerParams::shuffle, "Draw every epoch in a new order, from the seed and the epoch.");
    f.Param("rank", &SamplerParams::rank, "Which share of the epoch this process reads.").Min(0);
    f.Param("world_size", &SamplerParams::world_size, "Into how many shares an epoch is split.").Min(1);
  }
};

// Of every source, beside its own parameters.
struct SourceParams {
  SamplerParams sampler;
  int io_threads = 2;
  int read_ahead = 0;
  Bytes read_ahead_bytes{256ull << 20};
  std::string cache = "none";
  Bytes cache_bytes{0};
  Path cache_dir;
  std::string on_bad = "auto";
  static void Declare(Fields<SourceParams>& f) {
    f.Param("sampler", &SourceParams::sampler, "In which order samples are drawn.");
    f.Param("io_threads", &SourceParams::io_threads, "Threads that read; they never compute.").Range(1, 256).Affects(Effect::kRuntime);
    f.Param("read_ahead", &SourceParams::read_ahead, "Samples read ahead of decoding; 0: twice the I/O threads, at least 16.").Range(0, 100000).Affects(Effect::kRuntime);
    f.Param("read_ahead_bytes", &SourceParams::read_ahead_bytes, "Encoded bytes read ahead, at most.").Min(1).Affects(Effect::kRuntime);
    f.Param("cache", &SourceParams::cache, "Where the encoded bytes that were read are kept, so that later epochs need not go to storage: not at all, in memory for as long as the run lives, or in files of a local folder, for later runs too.").Choices({"none", "ram", "disk"}).Affects(Effect::kRuntime);
    f.Param("cache_bytes", &SourceParams::cache_bytes, "How much is kept at most. 0: half of the memory that is free; on disk nine tenths of what is free there.").Min(0).Affects(Effect::kRuntime);
    f.Param("cache_dir", &SourceParams::cache_dir, "Folder of the cache on disk; empty: \"files\" in the user's cache folder. Runs may share one.").Affects(Effect::kRuntime);
    f.Param("on_bad", &SourceParams::on_bad, "A sample that can't be decoded: replaced by another one, its row marked and left out of metrics, or the end of the run; auto: replaced where shuffled, else marked.").Choices({"auto", "replace", "mark", "fail"});
  }
};

// Of every sample transform, beside its own parameters.
struct TransformParams {
  std::string rng_key;
  static void Declare(Fields<TransformParams>& f) {
    f.Param("rng_key", &TransformParams::rng_key, "Which random stream the stage draws from; empty: its type and place in the chain.");
  }
};

// The stage `staging`: where samples become batches.
inline constexpr const char* kStagingHelp =
    "Where samples become batches: rows of page-locked slots.";
struct StagingParams {
  int batch = 1;
  int slots = 4;
  std::string last_batch = "drop";
  bool pinned = true;
  static void Declare(Fields<StagingParams>& f) {
    f.Param("batch", &StagingParams::batch, "Samples in a batch.").Range(1, 65536).Required();
    f.Param("slots", &StagingParams::slots, "Batches in memory at once: filling, waiting and in use.").Range(1, 1024).Affects(Effect::kRuntime);
    f.Param("last_batch", &StagingParams::last_batch, "What becomes of an epoch's remainder: left out, a smaller batch, or filled up with the epoch's first samples (marked).").Choices({"drop", "partial", "pad"});
    f.Param("pinned", &StagingParams::pinned, "Page-lock the memory where a CUDA driver is present, so that copies to the GPU run beside its work.").Affects(Effect::kRuntime);
  }
};

struct MetricsParams {
  std::string listen;
  bool required = false;
  static void Declare(Fields<MetricsParams>& f) {
    f.Param("listen", &MetricsParams::listen, "Address and port that serve /metrics; empty: none.").Affects(Effect::kRuntime);
    f.Param("required", &MetricsParams::required, "End the run when the port can't be had, instead of saying so and going on.").Affects(Effect::kRuntime);
  }
};

struct RunParams {
  Path dir{"runs"};
  int keep = 3;
  int threads = 0;
  Duration stall_timeout{300};
  double max_bad_share = 0.1;
  static void Declare(Fields<RunParams>& f) {
    f.Param("dir", &RunParams::dir, "Where run folders are made.").Affects(Effect::kRuntime);
    f.Param("keep", &RunParams::keep, "Checkpoints kept: the newest ones; the best one stays besides.").Range(1, 1000000).Affects(Effect::kRuntime);
    f.Param("threads", &RunParams::threads, "Compute workers; 0: the CPUs granted, less one for a trainer on a GPU.").Range(0, 1024).Affects(Effect::kRuntime);
    f.Param("stall_timeout", &RunParams::stall_timeout, "A consumer that waits this long while nothing moves ends the run with a report.").Above(0).Affects(Effect::kRuntime);
    f.Param("max_bad_share", &RunParams::max_bad_share, "The run ends when more than this share of the samples read can't be decoded (looked at from 100 samples on).").Range(0, 1).Affects(Effect::kRuntime);
  }
};

// What stands at the top beside stages and edges, declared like a stage's parameters.
struct Top {
  std::string name;
  int64_t seed = 0;
  MetricsParams metrics;
  RunParams run;
  static void Declare(Fields<Top>& f) {
    f.Param("name", &Top::name,
            "The graph's name, in run folders and metrics; default: the file's.");
    f.Param("seed", &Top::seed, "What all random numbers follow from.").Min(0);
    f.Param("metrics", &Top::metrics, "How the run can be watched.").Affects(Effect::kRuntime);
    f.Param("run", &Top::run, "How the run is carried out.").Affects(Effect::kRuntime);
  }
};

}  // namespace flowtrain::config
