#include "pipeline/cli/check.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include "pipeline/cli/check_arguments.h"
#include "pipeline/cli/check_outcome.h"
#include "pipeline/cli/check_trials.h"
#include "pipeline/cli/exit_codes.h"
#include "pipeline/cli/text_table.h"
#include "pipeline/config/check_params.h"
#include "pipeline/config/nearest.h"
#include "pipeline/plugin/loader.h"
#include "pipeline/plugin/process_limits.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {
namespace {

// In the child: the plugin's stages, or why it was refused.
void ListStages(const Library& library, const Say& say) {
  plugin::Registry registry;
  plugin::Loader loader(registry, {library.folder});
  if (!loader.Load(library.plugin)) {
    say("refused", loader.refused().empty() ? "it can't be opened" : loader.refused()[0].reason);
    return;
  }
  for (const auto& [type, stage] : registry.stages()) {
    say("version", stage.plugin.version);
    say(stage.declaration.kind == StageKind::kTransform ? "transform" : "other", type);
    if (stage.declaration.kind != StageKind::kTransform) {
      say("kind", StageKindName(stage.declaration.kind));
      continue;
    }
    for (const std::string& name : SampleMaker::EncodedNames(stage.declaration)) say("encoded", name);
  }
  for (const auto& [key, provided] : registry.provided()) {
    say("version", provided.plugin.version);
    say("provided", key.second + "  provided as " + key.first);
  }
}

// The checked library's folder, then those where a run finds what other plugins provide.
std::vector<std::filesystem::path> FoldersOf(const Library& library) {
  std::vector<std::filesystem::path> folders = plugin::SearchPath({});
  folders.insert(folders.begin(), library.folder);
  return folders;
}

// In the child: the trials of one transform.
void TryStageOnce(const Library& library, const std::string& type, const Value* given,
                  const EncodedFiles& files, const Say& say) {
  plugin::Registry registry;
  plugin::Loader loader(registry, FoldersOf(library));
  loader.Load(library.plugin);
  const StageDeclaration& declaration = registry.Find(type)->declaration;
  config::Faults faults("--params " + type);
  const Value params = config::CheckParams(declaration.params,
                                           given ? *given : Value(Value::Object{}), "", {}, faults);
  try {
    faults.ThrowIfAny();
  } catch (const config::GraphError& error) {
    if (given != nullptr) {
      for (const config::Fault& fault : error.faults()) say("usage", fault.ToString());
      return;
    }
    std::string why;
    for (const config::Fault& fault : error.faults())
      why += (why.empty() ? "" : "; ") + (fault.pointer.empty() ? "" : fault.pointer + ": ") +
             fault.message;
    return say("skip", why + " (give it: --params " + type + "='{...}')");
  }
  TryTransform(declaration, params, plugin::MakeProvidedLookup(loader), files, say);
}

void TryStage(const Library& library, const std::string& type, const Value* given,
              const EncodedFiles& files, const Say& say) {
  try {
    try {
      TryStageOnce(library, type, given, files, say);
    } catch (const std::exception& error) {
      ThrowIfLimit(error);
      throw;
    }
  } catch (const LimitReached& limit) {
    say("limit", limit.what());
  }
}

class Checking {
 public:
  Checking(const CheckOptions& options, std::ostream& out, std::ostream& err)
      : options_(options), out_(out), err_(err) {}

  int Run() {
    const Library library = LibraryOf(options_.library);
    const EncodedFiles files = ReadSamples(options_.samples);
    const std::map<std::string, Value> params = ReadParams(options_.params);
    if (!List(library)) return kFailed;
    for (const auto& [type, value] : params) {
      std::vector<std::string> types;
      for (const Listed& stage : stages_) types.push_back(stage.type);
      if (std::find(types.begin(), types.end(), type) == types.end()) {
        throw Usage{"--params " + type + ": the plugin has no stage \"" + type + "\"" +
                    config::Hint(type, types)};
      }
    }
    for (const auto& [name, contents] : files) {
      if (std::find(encoded_.begin(), encoded_.end(), name) == encoded_.end()) {
        throw Usage{"--sample " + name + ": no transform of this plugin takes encoded \"" + name + "\"" +
                    config::Hint(name, encoded_)};
      }
    }
    out_ << library.plugin << ' ' << version_ << "  (" << library.path.string() << ")\n";
    for (const Listed& stage : stages_) {
      if (stage.kind.empty()) {
        const auto given = params.find(stage.type);
        Try(library, stage.type, given == params.end() ? nullptr : &given->second, files);
      } else {
        Line(stage.type, "not run", "a " + stage.kind + "; only transforms are tried");
      }
    }
    for (const std::string& provided : provided_) out_ << "  " << provided << '\n';
    if (usage_) return kUsage;
    out_ << tried_ << (tried_ == 1 ? " stage" : " stages") << " tried, " << failed_ << " failed, "
         << stages_.size() - static_cast<size_t>(tried_) << " not run\n";
    const std::string memory = plugin::MemoryLimit();
    if (failed_ > 0 && !memory.empty()) out_ << "note" << memory << ": too little memory makes plugins fail\n";
    return failed_ > 0 || limited_ ? kFailed : 0;
  }

 private:
  struct Listed {
    std::string type, kind;  // kind: of what is no transform
  };

  void Line(const std::string& type, const std::string& verdict, const std::string& text) {
    out_ << Paragraph("  " + type + "  " + verdict, 6, text, OutputWidth());
    out_.flush();
  }

  bool List(const Library& library) {
    std::string refused;
    const std::string end = RunInChild([&](const Say& say) { ListStages(library, say); },
                                       [&](const std::string& kind, const std::string& text) {
                                         if (kind == "refused") refused = text;
                                         if (kind == "version") version_ = text;
                                         if (kind == "transform" || kind == "other")
                                           stages_.push_back({text, ""});
                                         if (kind == "kind") stages_.back().kind = text;
                                         if (kind == "encoded" && std::find(encoded_.begin(), encoded_.end(), text) == encoded_.end())
                                           encoded_.push_back(text);
                                         if (kind == "provided") provided_.push_back(text);
                                       },
                                       options_.timeout_s);
    if (!end.empty()) refused = "it " + end + " while it was loaded" + plugin::MemoryLimit();
    if (refused.empty() && stages_.empty() && provided_.empty())
      refused = "it registers no stage and provides nothing";
    if (!refused.empty()) out_ << library.path.string() << ": FAILED: " << refused << '\n';
    return refused.empty();
  }

  void Try(const Library& library, const std::string& type, const Value* params,
           const EncodedFiles& files) {
    std::vector<std::string> faults;
    std::string trial = "loading", skip, done, limit;
    bool usage = false;
    const std::string end =
        RunInChild([&](const Say& say) { TryStage(library, type, params, files, say); },
                   [&](const std::string& kind, const std::string& text) {
                     if (kind == "trial") trial = text;
                     if (kind == "fault") faults.push_back(text);
                     if (kind == "skip") skip = text;
                     if (kind == "limit") limit = text;
                     if (kind == "done") done = text;
                     if (kind == "usage") {
                       err_ << text << '\n';
                       usage = true;
                     }
                   },
                   options_.timeout_s);
    if (!limit.empty()) {
      limited_ = true;
      return Line(type, "not run", limit);
    }
    if (!end.empty()) faults.push_back(end + " in the trial: " + trial);
    usage_ = usage_ || usage;
    if (usage) return;
    if (faults.empty() && !skip.empty()) return Line(type, "not run", skip);
    ++tried_;
    if (faults.empty()) return Line(type, "ok", done);
    ++failed_;
    out_ << "  " << type << "  FAILED\n";
    for (const std::string& fault : faults) out_ << Paragraph("    -", 6, fault, OutputWidth());
    out_.flush();
  }

  const CheckOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  std::string version_;
  std::vector<Listed> stages_;
  std::vector<std::string> encoded_;  // what transforms take encoded, by name
  std::vector<std::string> provided_;
  int tried_ = 0, failed_ = 0;
  bool usage_ = false;
  bool limited_ = false;  // a limit of this process stopped a trial
};

}  // namespace

int Check(const CheckOptions& options, std::ostream& out, std::ostream& err) {
  try {
    return Checking(options, out, err).Run();
  } catch (const Usage& usage) {
    err << usage.why << '\n';
    return kUsage;
  }
}

void AddCheck(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "check", "Try a plugin's transforms: same bytes every time, threads, broken samples.");
  const auto options = std::make_shared<CheckOptions>();
  command->add_option("library", options->library, "The plugin, libflowtrain_NAME.so.")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--params", options->params,
                   "Parameters of one stage, as in a graph: blur.box='{\"radius\": 2}'; may be "
                   "repeated.")
      ->type_name("TYPE=JSON")
      ->allow_extra_args(false);
  command
      ->add_option("--sample", options->samples,
                   "Encoded content to try it with, where it takes no PNG: image=photo.webp; may "
                   "be repeated.")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  command->add_option("--timeout", options->timeout_s, "Seconds that a single trial may take.")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 86400));
  command->callback([options, &exit_code] { exit_code = Check(*options, std::cout, std::cerr); });
}

}  // namespace flowtrain::cli
