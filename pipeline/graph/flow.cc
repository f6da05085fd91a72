#include "pipeline/graph/flow.h"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "pipeline/graph/start_thread.h"
#include "pipeline/graph/tsan.h"

namespace flowtrain::graph {
namespace {

namespace tf = oneapi::tbb::flow;

// Marks for tsan.h. No members: reading a member needs the order that they give.
char puts_order, bodies_order;

struct Permit {};
// None is lightweight: such a body runs inside the put, on an I/O thread, and under the write lock of its
// predecessor's list of successors (oneTBB 2021.8, broadcast_cache::try_put_task): one at a time, however
// many workers. A function_node hands the task of its one successor to the thread it runs on, which goes
// on with it at once: a sample stays on its core all the same.
using BindNode = tf::function_node<Permit, Work*>;  // null: there was nothing to do after all
using TransformNode = tf::function_node<Work*, Work*>;
using FinishNode = tf::function_node<Work*, tf::continue_msg>;

// Idle Works, the warmest on top.
class WorkPool {
 public:
  Work* Take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      all_.push_back(std::make_unique<Work>());
      idle_.reserve(all_.capacity());  // so that Return allocates nothing
      return all_.back().get();
    }
    Work* work = idle_.back();
    idle_.pop_back();
    return work;
  }
  void Return(Work* work) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(work);
  }
  std::vector<Work::Running> running() const {
    const std::lock_guard lock(mutex_);
    std::vector<Work::Running> running;
    for (const auto& work : all_) {
      if (const Work::Running now = work->running(); now.stage >= 0) running.push_back(now);
    }
    return running;
  }

 private:
  mutable std::mutex mutex_;  // protects both
  std::vector<std::unique_ptr<Work>> all_;
  std::vector<Work*> idle_;
};

// oneTBB's workers have the name of whoever happened to start them, an I/O thread's for example.
class Namer final : public oneapi::tbb::task_scheduler_observer {
 public:
  explicit Namer(oneapi::tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
  ~Namer() override { observe(false); }
  void on_scheduler_entry(bool worker) override {
    if (worker) pthread_setname_np(pthread_self(), "ft-worker");
  }
};

struct ChainPath {
  const ChainStages* stages = nullptr;
  std::unique_ptr<BindNode> bind;
  std::vector<std::unique_ptr<TransformNode>> transforms;
  std::unique_ptr<FinishNode> finish;
  tf::receiver<Work*>* first = nullptr;  // after bind
};

}  // namespace

struct Flow::Parts {
  // oneTBB would run no more workers than the CPUs it sees, whatever an arena asks for.
  Parts(Gate& g, int workers)
      : gate(g), control(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<size_t>(workers) + 1), arena(workers, 1), namer(arena) {}

  Gate& gate;
  WorkPool works;
  oneapi::tbb::global_control control;
  oneapi::tbb::task_arena arena;
  Namer namer;
  oneapi::tbb::task_group_context context{oneapi::tbb::task_group_context::isolated};  // the graph's
  std::optional<tf::graph> graph;
  std::vector<ChainPath> paths;
  Finish finish;
  std::thread runner;
  std::mutex mutex;  // protects done
  std::condition_variable changed;
  bool done = false;
  bool reserved = false;

  void Build(int chain, const ChainStages& stages);
  Work* Begin(int chain) noexcept;
  void End(Work* work) noexcept;
  // In a catch: what oneTBB can't do (it has no memory, it can't start a thread) ends the run.
  void Fail() noexcept { gate.Stop(WithPlace(kName, "")); }
};

// The sample is chosen when the body starts. Workers prefer tasks they spawned themselves, so that a sample
// chosen at the put could sit there while younger ones pass it.
Work* Flow::Parts::Begin(int chain) noexcept {
  try {
    std::optional<Unit> unit = gate.Bind(chain);
    if (!unit) return nullptr;
    Work* work = works.Take();
    work->Begin(*paths[chain].stages, std::move(*unit));
    return work;
  } catch (...) {
    Fail();
    return nullptr;
  }
}

// A worker that is through with a sample goes on with the next one where there is any: no permit, no
// reservation, no look for a warm Work. Not inside this body, so that what is put has its turn too.
void Flow::Parts::End(Work* work) noexcept {
  try {
    std::optional<Unit> next = finish(*work);
    if (!next) return works.Return(work);
    const ChainPath& path = paths[next->chain];
    work->Begin(*path.stages, std::move(*next));
    BeforeOthers(&puts_order);
    path.first->try_put(work);
  } catch (...) {
    Fail();  // the put may have been taken all the same: the Work stays where it is
  }
}

void Flow::Parts::Build(int chain, const ChainStages& stages) {
  ChainPath& path = paths[chain];
  path.stages = &stages;
  path.bind = std::make_unique<BindNode>(*graph, tf::unlimited, [this, chain](const Permit&) noexcept {
    AfterOthers(&puts_order);
    return Begin(chain);
  });
  path.finish = std::make_unique<FinishNode>(*graph, tf::unlimited, [this](Work* work) noexcept {
    if (work != nullptr) End(work);
    BeforeOthers(&bodies_order);
    return tf::continue_msg();
  });
  TransformNode* last = nullptr;
  for (size_t stage = 0; stage < stages.transforms.size(); ++stage) {
    path.transforms.push_back(
        std::make_unique<TransformNode>(*graph, tf::unlimited, [stage = static_cast<int>(stage)](Work* work) noexcept {
          if (stage == 0) AfterOthers(&puts_order);
          if (work != nullptr) work->Process(stage);
          return work;
        }));
    if (last == nullptr) {
      tf::make_edge(*path.bind, *path.transforms.back());
    } else {
      tf::make_edge(*last, *path.transforms.back());
    }
    last = path.transforms.back().get();
  }
  if (last == nullptr) {
    tf::make_edge(*path.bind, *path.finish);
    path.first = path.finish.get();
  } else {
    tf::make_edge(*last, *path.finish);
    path.first = path.transforms.front().get();
  }
}

Flow::Flow(Gate& gate, const std::vector<std::unique_ptr<ChainStages>>& chains, int workers,
           Finish finish)
    : parts_(std::make_unique<Parts>(gate, workers)) {
  parts_->finish = std::move(finish);
  parts_->paths.resize(chains.size());
  // A graph belongs to the arena it is made in: the whole run computes in this one.
  parts_->arena.execute([&] {
    parts_->graph.emplace(parts_->context);
    for (size_t chain = 0; chain < chains.size(); ++chain) parts_->Build(static_cast<int>(chain), *chains[chain]);
  });
}

Flow::~Flow() = default;

void Flow::Start() {
  Parts& parts = *parts_;
  parts.graph->reserve_wait();
  parts.reserved = true;
  // The runner is one of the arena's workers; without one that waits, a machine whose parallelism is
  // limited to 1 would never run a task.
  parts.runner = StartThread("ft-runner", [&parts] {
    try {
      parts.arena.execute([&parts] { parts.graph->wait_for_all(); });
    } catch (...) {
      parts.Fail();  // what given_up has told of
    }
    AfterOthers(&bodies_order);
    const std::lock_guard lock(parts.mutex);
    parts.done = true;
    parts.changed.notify_all();
  });
}

bool Flow::End(std::chrono::steady_clock::duration limit) {
  Parts& parts = *parts_;
  if (parts.reserved) {
    parts.graph->release_wait();
    parts.reserved = false;
  }
  if (!parts.runner.joinable()) return true;
  {
    std::unique_lock lock(parts.mutex);
    if (!parts.changed.wait_for(lock, limit, [&] { return parts.done; })) return false;
  }
  parts.runner.join();
  return true;
}

bool Flow::given_up() const { return parts_->context.is_group_execution_cancelled(); }

std::vector<Work::Running> Flow::running() const { return parts_->works.running(); }

void Flow::Reserve() { parts_->graph->reserve_wait(); }

void Flow::Put(int chain) {
  const struct Release {  // also where oneTBB can't start a worker and throws
    tf::graph& graph;
    ~Release() { graph.release_wait(); }
  } release{*parts_->graph};
  BeforeOthers(&puts_order);
  try {
    parts_->paths[chain].bind->try_put(Permit{});
  } catch (...) {
    std::rethrow_exception(WithPlace(kName, ""));
  }
}

}  // namespace flowtrain::graph
