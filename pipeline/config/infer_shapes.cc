#include "pipeline/config/infer_shapes.h"

#include <algorithm>
#include <exception>

#include "pipeline/config/nearest.h"
#include "pipeline/config/pointer.h"

namespace flowtrain::config {
namespace {

const char* FlowText(Flow::Kind kind) {
  switch (kind) {
    case Flow::kEncoded:
      return "encoded bytes";
    case Flow::kImage:
      return "an image";
    case Flow::kLabel:
      return "a label";
  }
  return "";
}

// With an image's size where it is known.
std::string FlowText(const Flow& flow) {
  std::string text = FlowText(flow.kind);
  if (flow.kind != Flow::kImage) return text;
  const auto number = [](int n) { return n > 0 ? std::to_string(n) : std::string("?"); };
  return text + " of " + number(flow.height) + " x " + number(flow.width) + " x " + number(flow.channels);
}

// What stands under a name.
struct Standing {
  std::string name;
  Flow flow;
  int maker = -1;    // index among the chain's transforms; -1: the source
  bool sure = true;  // false: its maker's parameters are at fault, so its size says nothing
};

class Walk {
 public:
  Walk(const ChainPath& chain, const std::vector<StageEntry>& entries, Faults& faults)
      : chain_(chain), entries_(entries), faults_(faults) {}

  InferredRows Run() {
    standing_ = Yields(chain_.source);
    for (size_t i = 0; i < chain_.transforms.size(); ++i)
      Step(entries_[chain_.transforms[i]], static_cast<int>(i));
    for (const Standing& standing : standing_) Stage(standing);
    return std::move(result_);
  }

 private:
  // What a source gives: what its rules say, and of one that draws from others what those all give.
  std::vector<Standing> Yields(size_t source) {
    std::vector<Standing> all;
    size_t first = entries_.size();
    for (const Upstream& upstream : chain_.upstream) {
      if (upstream.into != source) continue;
      std::vector<Standing> one = Yields(upstream.source);
      if (first == entries_.size()) {
        first = upstream.source;
        all = std::move(one);
      } else {
        Compare(source, first, all, upstream.source, one);
        Compare(source, upstream.source, one, first, all);
      }
    }
    std::swap(standing_, all);
    Step(entries_[source], -1);
    std::swap(standing_, all);
    return all;
  }

  // Each thing that `a` yields, `b` has to yield alike. A difference in both is said once, of `a`.
  void Compare(size_t mix, size_t a, const std::vector<Standing>& of_a, size_t b,
               const std::vector<Standing>& of_b) {
    const auto name = [this](size_t stage) { return "\"" + entries_[stage].name + "\""; };
    for (const Standing& thing : of_a) {
      const auto other = std::find_if(of_b.begin(), of_b.end(),
                                      [&](const Standing& s) { return s.name == thing.name; });
      std::string yields;
      if (other == of_b.end()) {
        yields = " does not";
      } else if (a < b && thing.sure && other->sure && FlowText(thing.flow) != FlowText(other->flow)) {
        yields = " yields it as " + FlowText(other->flow);
      }
      if (yields.empty()) continue;
      result_.sure = false;
      faults_.Add(entries_[mix].pointer, "what " + name(mix) + " draws from has to yield alike: " +
                                             name(a) + " yields \"" + thing.name + "\" as " +
                                             FlowText(thing.flow) + ", " + name(b) + yields);
    }
  }

  Standing* Find(const std::string& name) {
    const auto found = std::find_if(standing_.begin(), standing_.end(),
                                    [&](const Standing& s) { return s.name == name; });
    return found == standing_.end() ? nullptr : &*found;
  }

  void Step(const StageEntry& entry, int index) {
    for (const FlowRule& rule : entry.declaration->flows) Apply(entry, rule, index);
  }

  void Apply(const StageEntry& entry, const FlowRule& rule, int index) {
    Standing* before = Find(rule.name);
    if (rule.kind != FlowRule::kYields && !Meets(entry, rule, before)) return;
    if (rule.kind == FlowRule::kEdits) return;
    Standing after{rule.name, {}, index, entry.params_good};
    try {
      if (entry.params_good && rule.given && !rule.given(entry.params)) return;
      after.flow = rule.made(entry.params);
    } catch (const std::exception& error) {
      if (entry.params_good)
        faults_.Add(entry.pointer,
                    "can't tell what it makes of \"" + rule.name + "\": " + error.what());
      after.sure = false;
    }
    if (before == nullptr) {
      standing_.push_back(after);
      return;
    }
    // A stage that works on any image can't know how many channels come in.
    if (before->flow.kind == Flow::kImage && after.flow.channels == 0)
      after.flow.channels = before->flow.channels;
    *before = after;
  }

  // Whether the rule's name has what the rule needs; a fault where it should and hasn't.
  bool Meets(const StageEntry& entry, const FlowRule& rule, const Standing* before) {
    if (before == nullptr && rule.optional) return false;
    if (before != nullptr && before->flow.kind == rule.from) return true;
    if (before != nullptr && !before->sure) return true;
    std::string carried;
    for (const Standing& s : standing_)
      carried += (carried.empty() ? "\"" : ", \"") + s.name + "\" (" + FlowText(s.flow.kind) + ")";
    faults_.Add(entry.pointer, "\"" + entry.type + "\" needs \"" + rule.name + "\" as " +
                                   FlowText(rule.from) + "; at its place in the chain there is " +
                                   (carried.empty() ? "nothing" : carried));
    result_.sure = false;
    return before == nullptr;  // go on as if it had been there: what it makes is known
  }

  void Stage(const Standing& standing) {
    const StageEntry& staging = entries_[chain_.staging];
    const Flow& flow = standing.flow;
    if (!standing.sure) {
      result_.sure = false;
    } else if (flow.kind == Flow::kEncoded) {
      faults_.Add(staging.pointer,
                  "\"" + standing.name + "\" is still encoded when it reaches \"" + staging.name +
                      "\"; a stage that decodes it has to stand before, such as image.decode");
      result_.sure = false;
    } else if (!flow.known()) {
      UnknownSize(standing);
    } else if (flow.kind == Flow::kLabel) {
      result_.rows.push_back({standing.name, DType::kI64, {}, -1});
    } else {
      result_.rows.push_back(
          {standing.name, DType::kU8, {flow.height, flow.width, flow.channels}, standing.maker});
    }
  }

  void UnknownSize(const Standing& standing) {
    result_.sure = false;
    const StageEntry& staging = entries_[chain_.staging];
    const StageEntry& maker =
        entries_[standing.maker < 0 ? chain_.source
                                    : chain_.transforms[static_cast<size_t>(standing.maker)]];
    const std::string what = "no stage between \"" + maker.name + "\" and \"" + staging.name +
                             "\" gives \"" + standing.name + "\" a size: ";
    for (size_t i = chain_.transforms.size(); i-- > 0;) {
      // The one that could: it takes an image and has a size to set.
      const StageEntry& entry = entries_[chain_.transforms[i]];
      const auto& flows = entry.declaration->flows;
      const bool resizes = std::any_of(flows.begin(), flows.end(), [&](const FlowRule& r) {
        return r.kind == FlowRule::kMakes && r.from == Flow::kImage && r.name == standing.name;
      });
      if (!resizes || entry.params.Find("size") == nullptr) continue;
      faults_.Add(entry.pointer, what + "set \"size\" of \"" + entry.name + "\" (" +
                                     Join(entry.pointer, "size") + ")");
      return;
    }
    faults_.Add(staging.pointer,
                what + "add a stage that does, such as image.augment with \"size\"");
  }

  const ChainPath& chain_;
  const std::vector<StageEntry>& entries_;
  Faults& faults_;
  std::vector<Standing> standing_;
  InferredRows result_;
};

}  // namespace

InferredRows InferRows(const ChainPath& chain, const std::vector<StageEntry>& entries,
                       Faults& faults) {
  return Walk(chain, entries, faults).Run();
}

void CheckTensors(const std::vector<ChainPath>& chains, const std::vector<InferredRows>& rows,
                  const std::vector<StageEntry>& entries, const std::vector<Link>& links,
                  Faults& faults) {
  // Which chain a batch stage's output comes from; a batch transform has one input.
  std::vector<const InferredRows*> carried(entries.size(), nullptr);
  for (size_t i = 0; i < chains.size(); ++i) carried[chains[i].staging] = &rows[i];
  for (size_t round = 0; round < entries.size(); ++round) {
    for (const Link& link : links) {
      if (entries[link.to].role == Role::kBatchTransform && carried[link.to] == nullptr)
        carried[link.to] = carried[link.from];
    }
  }
  for (const Link& link : links) {
    const StageEntry& to = entries[link.to];
    const InferredRows* batch = carried[link.from];
    if (!to.takes_batches() || batch == nullptr || !batch->sure) continue;
    std::vector<std::string> names;
    for (const RowTensor& row : batch->rows) names.push_back(row.name);
    for (const InputPort& port : to.declaration->inputs) {
      if (port.name != link.port) continue;
      for (const std::string& tensor : port.tensors) {
        if (std::find(names.begin(), names.end(), tensor) != names.end()) continue;
        faults.Add(link.pointer, "the input \"" + to.name + "." + port.name +
                                     "\" needs the tensor \"" + tensor + "\"; the batches of \"" +
                                     entries[link.from].name + "\" carry " + Quoted(names));
      }
    }
  }
}

}  // namespace flowtrain::config
