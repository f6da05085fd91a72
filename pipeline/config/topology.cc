#include "pipeline/config/topology.h"

#include <algorithm>
#include <map>
#include <utility>

namespace flowtrain::config {
namespace {

class Topology {
 public:
  Topology(const std::vector<StageEntry>& entries, const Links& links, Faults& faults)
      : entries_(entries),
        links_(links),
        faults_(faults),
        readers_(entries.size()),
        inputs_(entries.size()) {
    for (const Link& link : links.all) {
      readers_[link.from].push_back(&link);
      inputs_[link.to].push_back(&link);
    }
  }

  void Check() {
    CheckPorts();
    for (size_t i = 0; i < entries_.size(); ++i) {
      CheckReaders(i);
      CheckConnected(i);
    }
    CheckCycles();
    CheckConsumers();
  }

  std::vector<ChainPath> Chains() const {
    std::vector<ChainPath> chains;
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].role != Role::kSource) continue;
      ChainPath chain{i, {}, {}, i};
      if (!AddUpstream(i, chain)) continue;
      for (size_t at = i; chain.transforms.size() <= entries_.size() && readers_[at].size() == 1;) {
        at = readers_[at][0]->to;
        if (inputs_[at].size() != 1) break;
        if (entries_[at].role == Role::kTransform) chain.transforms.push_back(at);
        if (entries_[at].role == Role::kStaging) chain.staging = at;
        if (entries_[at].role != Role::kTransform) break;
      }
      if (chain.staging != i) chains.push_back(std::move(chain));
    }
    return chains;
  }

 private:
  const std::string& Name(size_t stage) const { return entries_[stage].name; }

  // False: what leads into a source that needs others is at fault.
  bool AddUpstream(size_t into, ChainPath& chain) const {
    if (!entries_[into].takes_sources()) return true;
    std::vector<size_t> sources;
    for (const Link* link : inputs_[into]) sources.push_back(link->from);
    std::sort(sources.begin(), sources.end());
    for (const size_t source : sources) {
      // More than there are: they run in a circle.
      if (entries_[source].role != Role::kSource || chain.upstream.size() > entries_.size()) return false;
      if (!AddUpstream(source, chain)) return false;
      chain.upstream.push_back({source, into});
    }
    return !sources.empty() && !links_.excused[into];
  }

  void CheckPorts() {
    std::map<std::pair<size_t, std::string>, const Link*> taken;
    for (const Link& link : links_.all) {
      if (entries_[link.to].role == Role::kUnknown || entries_[link.to].takes_sources()) continue;
      const auto [first, fresh] = taken.emplace(std::pair(link.to, link.port), &link);
      if (fresh) continue;
      const std::string input = link.port.empty() ? Name(link.to) : Name(link.to) + "." + link.port;
      faults_.Add(link.pointer, "two edges lead into \"" + input + "\": from \"" +
                                    Name(first->second->from) + "\" (" + first->second->pointer +
                                    ") and from \"" + Name(link.from) + "\"; an input takes one");
    }
  }

  void CheckReaders(size_t i) {
    const auto& readers = readers_[i];
    if (entries_[i].gives_samples() && readers.size() > 1) {
      faults_.Add(readers[1]->pointer, "\"" + Name(i) + "\" feeds both \"" + Name(readers[0]->to) +
                                           "\" and \"" + Name(readers[1]->to) +
                                           "\"; samples go one way: share batches, after staging");
    }
    const StageDeclaration* declaration = entries_[i].declaration;
    if (declaration == nullptr || !declaration->edits_batch) return;
    for (const Link* input : inputs_[i]) {
      for (const Link* other : readers_[input->from]) {
        if (other == input) continue;
        faults_.Add(input->pointer, "\"" + Name(i) + "\" writes into the batches of \"" +
                                        Name(input->from) +
                                        "\", so it must be their only reader; \"" +
                                        Name(other->to) + "\" reads them too");
        break;
      }
    }
  }

  void CheckConnected(size_t i) {
    const StageEntry& entry = entries_[i];
    if (entry.role == Role::kUnknown || links_.excused[i]) return;
    if (readers_[i].empty() && inputs_[i].empty()) {
      faults_.Add(entry.pointer, "no edge leads to or from \"" + entry.name + "\"");
      return;
    }
    if (entry.role != Role::kConsumer && readers_[i].empty()) {
      faults_.Add(entry.pointer,
                  entry.gives_samples()
                      ? "no stage reads the samples of \"" + entry.name +
                            "\"; a chain of samples ends in a stage of type \"staging\""
                      : "no stage reads the batches of \"" + entry.name + "\"");
    }
    if (entry.takes_samples() && inputs_[i].empty()) {
      faults_.Add(entry.pointer, "no edge leads into \"" + entry.name +
                                     "\"; a chain of samples starts at a source");
    }
    if (entry.takes_sources() && inputs_[i].empty())
      faults_.Add(entry.pointer, "no edge leads into \"" + entry.name +
                                     "\"; it draws from other sources, at least one");
    if (!entry.takes_batches()) return;
    for (const InputPort& port : entry.declaration->inputs) {
      const bool connected = std::any_of(inputs_[i].begin(), inputs_[i].end(),
                                         [&](const Link* link) { return link->port == port.name; });
      if (!connected && !port.optional)
        faults_.Add(entry.pointer, "no edge leads into its input \"" + port.name + "\"");
    }
  }

  void CheckCycles() {
    std::vector<int> state(entries_.size(), 0);  // 0 new, 1 on the path, 2 done
    std::vector<size_t> path;
    for (size_t i = 0; i < entries_.size(); ++i) Visit(i, state, path);
  }

  void Visit(size_t at, std::vector<int>& state, std::vector<size_t>& path) {
    if (state[at] != 0) return;
    state[at] = 1;
    path.push_back(at);
    for (const Link* link : readers_[at]) {
      if (state[link->to] == 1) {
        std::string circle;
        for (auto it = std::find(path.begin(), path.end(), link->to); it != path.end(); ++it)
          circle += Name(*it) + " -> ";
        faults_.Add(link->pointer, "the edges run in a circle: " + circle + Name(link->to));
      }
      Visit(link->to, state, path);
    }
    path.pop_back();
    state[at] = 2;
  }

  void CheckConsumers() {
    if (entries_.empty()) return;
    bool observers = false;
    for (const StageEntry& entry : entries_) {
      if (entry.role == Role::kUnknown) return;
      if (entry.role != Role::kConsumer) continue;
      if (!entry.declaration->observer) return;
      observers = true;
    }
    faults_.Add("/stages", observers ? "every consumer in it only observes; the run needs one that "
                                       "decides when it ends, such as monitor.null or a trainer"
                                     : "there is no consumer in it; the run needs one that takes "
                                       "the batches, such as monitor.null or a trainer");
  }

  const std::vector<StageEntry>& entries_;
  const Links& links_;
  Faults& faults_;
  std::vector<std::vector<const Link*>> readers_,
      inputs_;  // by stage: the links out of it, into it
};

}  // namespace

std::vector<ChainPath> CheckTopology(const std::vector<StageEntry>& entries, const Links& links,
                                     Faults& faults) {
  Topology topology(entries, links, faults);
  topology.Check();
  return topology.Chains();
}

}  // namespace flowtrain::config
