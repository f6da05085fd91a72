#include "config/fakes.h"

#include <flowtrain/stage.h>

#include <memory>

namespace flowtrain::config {
namespace {

struct Nothing {};
struct FilesParams {
  Path root;
  std::vector<std::string> sets;
  int limit = 0;
};
void Files(Declaration<FilesParams>& d) {
  d.Type("data.files", "");
  d.Yields("image", Encoded());
  d.Yields("mask", Encoded());
  d.Yields("class", Label());
  d.Param("root", &FilesParams::root, "").Required();
  d.Param("sets", &FilesParams::sets, "");
  d.Param("limit", &FilesParams::limit, "").Min(0).Affects(Effect::kRuntime);
}
// As data.files, but for what it yields: no class, and a mask of pixels.
void Tiles(Declaration<Nothing>& d) {
  d.Type("data.tiles", "");
  d.Yields("image", Encoded());
  d.Yields("mask", Pixels(8, 8, 1));
}
// Yields what its parameters ask for.
struct RowsParams {
  std::string target = "label";
};
void Rows(Declaration<RowsParams>& d) {
  d.Type("data.rows", "");
  d.Yields("image", Encoded());
  d.Yields("mask", Encoded(), [](const RowsParams& p) { return p.target == "mask"; });
  d.Yields("label", Label(), [](const RowsParams& p) {
    if (p.target == "odd") throw Error("no rows are odd");
    return p.target == "label";
  });
  d.Param("target", &RowsParams::target, "").Choices({"label", "mask", "odd"});
}
struct MixParams {
  std::map<std::string, double> weights;
};
void Mix(Declaration<MixParams>& d) {
  d.Type("data.mix", "");
  d.TakesSources();
  d.Param("weights", &MixParams::weights, "").BySource().Min(0).Required();
}
void Decode(Declaration<Nothing>& d) {
  d.Type("image.decode", "");
  d.Makes("image", Flow::kEncoded, [](const Nothing&) { return Pixels(0, 0, 3); });
  d.Makes("mask", Flow::kEncoded, [](const Nothing&) { return Pixels(0, 0, 1); }).Optional();
}

struct Flip {
  static constexpr const char* kTagKey = "op";
  static constexpr const char* kTag = "flip";
  static constexpr const char* kHelp = "";
  double p = 0.5;
  static void Declare(Fields<Flip>& f) { f.Param("p", &Flip::p, "").Range(0, 1).WasNamed("share"); }
};
struct Jitter {
  static constexpr const char* kTag = "jitter";
  static constexpr const char* kHelp = "";
  double brightness = 0.1;
  int workers = 1;
  static void Declare(Fields<Jitter>& f) {
    f.Param("brightness", &Jitter::brightness, "").Min(0);
    f.Param("workers", &Jitter::workers, "").Affects(Effect::kRuntime);
  }
};
// A source that takes others, with a file of its own.
struct ChosenParams {
  Path list;
  std::vector<std::variant<Flip, Jitter>> ops;
};
void Chosen(Declaration<ChosenParams>& d) {
  d.Type("data.chosen", "");
  d.TakesSources();
  d.Param("list", &ChosenParams::list, "").Required();
  d.Param("ops", &ChosenParams::ops, "");
}
struct AugmentParams {
  std::optional<std::array<int, 2>> size;
  std::string mode = "fast";
  bool exact = false;
  std::vector<std::variant<Flip, Jitter>> ops;
  Bytes cache{64 << 20};
  Duration pause{0.5};
  double gamma = 1;
  std::string note;
};
void Augment(Declaration<AugmentParams>& d) {
  d.Type("image.augment", "");
  d.Param("size", &AugmentParams::size, "").Range(1, 4096).Unit("px");
  d.Param("mode", &AugmentParams::mode, "").Choices({"fast", "careful"});
  d.Param("exact", &AugmentParams::exact, "");
  d.Param("ops", &AugmentParams::ops, "").Sizes(0, 3);
  d.Param("cache", &AugmentParams::cache, "").Min(1024).Affects(Effect::kRuntime);
  d.Param("pause", &AugmentParams::pause, "").Above(0).Affects(Effect::kRuntime);
  d.Param("gamma", &AugmentParams::gamma, "").WasNamed("power", "0.3").Above(0);
  d.Param("note", &AugmentParams::note, "").Affects(Effect::kRuntime);
  const auto sized = [](const AugmentParams& p) {
    return p.size ? Pixels((*p.size)[0], (*p.size)[1], 0) : Pixels(0, 0, 0);
  };
  d.Makes("image", Flow::kImage, sized);
  d.Makes("mask", Flow::kImage, sized).Optional();
}
void FlipStage(Declaration<Nothing>& d) {
  d.Type("image.flip", "");
  d.Edits("image");
  d.Edits("depth").Optional();
}
void Upload(Declaration<Nothing>& d) { d.Type("train.upload", ""); }
void Mixup(Declaration<Nothing>& d) {
  d.Type("train.mixup", "");
  d.EditsBatch();
}

struct Model {
  std::string backbone = "small";
  std::string head = "linear";
  std::optional<Path> weights;
  static void Declare(Fields<Model>& f) {
    f.Param("backbone", &Model::backbone, "").Choices({"small", "base"}).Affects(Effect::kTraining);
    f.Param("head", &Model::head, "").Provided("tests.Head/1", {"linear"}).Affects(Effect::kRuntime);
    f.Param("weights", &Model::weights, "").Affects(Effect::kRuntime);
  }
};
struct NetParams {
  double lr = 1e-3;
  std::string loss = "plain";
  std::vector<std::string> extras;
  Model model;
};
void Net(Declaration<NetParams>& d) {
  d.Type("train.net", "");
  d.Input("train", {"image", "mask"});
  d.Input("val", {"image", "mask"}).Optional();
  d.Param("lr", &NetParams::lr, "").Above(0).Affects(Effect::kTraining).PerPhase();
  d.Param("loss", &NetParams::loss, "").Provided("tests.Loss/1", {"plain", "weighted"}).Affects(Effect::kRuntime);
  d.Param("extras", &NetParams::extras, "").Provided("tests.Loss/1", {"plain"}).Affects(Effect::kRuntime);
  d.Param("model", &NetParams::model, "").Affects(Effect::kTraining);
}
void Null(Declaration<Nothing>& d) {
  d.Type("monitor.null", "");
  d.Input("in");
}
void Preview(Declaration<Nothing>& d) {
  d.Type("monitor.preview", "");
  d.Input("in", {"image"});
  d.Observer();
}

class Fakes final : public Registrar {
 public:
  Fakes() {
    Declare(StageKind::kSource, Files);
    Declare(StageKind::kSource, Tiles);
    Declare(StageKind::kSource, Rows);
    Declare(StageKind::kSource, Mix);
    Declare(StageKind::kSource, Chosen);
    Declare(StageKind::kTransform, Decode);
    Declare(StageKind::kTransform, Augment);
    Declare(StageKind::kTransform, FlipStage);
    Declare(StageKind::kBatchTransform, Upload);
    Declare(StageKind::kBatchTransform, Mixup);
    Declare(StageKind::kConsumer, Net);
    Declare(StageKind::kConsumer, Null);
    Declare(StageKind::kConsumer, Preview);
  }
  void Register(StageDeclaration declaration) override {
    types.emplace(declaration.type, std::move(declaration));
  }
  std::map<std::string, StageDeclaration> types;

 private:
  template <class P>
  void Declare(StageKind kind, void (*declare)(Declaration<P>&)) {
    AddDeferred<P>(kind, declare, [](const P&) { return std::unique_ptr<Stage>(); });
  }
};

}  // namespace

Lookup FakeLookup() {
  const auto stage = [](const std::string& type, std::vector<std::string>& known,
                        std::string& why) -> const StageDeclaration* {
    static const Fakes forever;  // declarations outlive the graphs that name them
    if (const auto found = forever.types.find(type); found != forever.types.end())
      return &found->second;
    for (const auto& [name, declaration] : forever.types) known.push_back(name);
    why = "searched /plugins";
    return nullptr;
  };
  const auto why_not_provided = [](const std::string& interface, const std::string& name) {
    return name.starts_with("acme.") ? "" : "nothing provides \"" + name + "\" as " + interface;
  };
  return {stage, why_not_provided};
}

ValidatedGraph LoadFake(const std::string& text, LoadOptions options, const Variables& variables) {
  options.getenv = [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  return LoadText(text, "g.json", options, FakeLookup());
}

std::vector<std::string> FaultsOf(const std::string& text, LoadOptions options,
                                  const Variables& variables) {
  std::vector<std::string> faults;
  try {
    LoadFake(text, std::move(options), variables);
  } catch (const GraphError& error) {
    for (const Fault& fault : error.faults())
      faults.push_back(fault.pointer + ": " + fault.message);
  }
  return faults;
}

std::string GraphText::str() const {
  const auto params = [](const std::string& p) { return p.empty() ? p : ", " + p; };
  return "{" + top + "\n\"stages\": {\n\"files\": {\"type\": \"data.files\"" + params(files) +
         "},\n\"decode\": {\"type\": \"image.decode\"},\n" +
         "\"augment\": {\"type\": \"image.augment\"" + params(augment) +
         "},\n\"staging\": {\"type\": \"staging\"" + params(staging) + "},\n" +
         "\"net\": {\"type\": \"train.net\"" + params(net) + "}" + params(more_stages) +
         "},\n\"edges\": [" + edges + "]" + params(after) + "}";
}

bool Has(const std::vector<std::string>& faults, const std::string& pointer,
         const std::string& part) {
  for (const std::string& fault : faults) {
    if (fault.starts_with(pointer + ": ") && fault.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace flowtrain::config
