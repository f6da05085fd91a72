#include "stages/data/list.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include "stages/data/class_labels.h"
#include "stages/data/common_folder.h"
#include "stages/data/folders.h"
#include "stages/data/in_parallel.h"
#include "stages/data/look_for.h"
#include "stages/data/names.h"
#include "stages/data/read_files.h"
#include "stages/data/repeated_rows.h"
#include "stages/data/target.h"

namespace flowtrain::data {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMostListBytes = 1ull << 30;  // some ten million lines

std::string Content(const fs::path& path, OpenContext& context) {
  std::error_code error = LookFor(path);  // before it is opened: a FIFO would wait for its writer
  if (error) context.Refuse("file", LookFault(path, error));
  const std::string name = Printable(path.native());
  const uintmax_t bytes = fs::file_size(path, error);
  if (!error && bytes > kMostListBytes) {
    context.Refuse("file", name + " holds " + std::to_string(bytes) + " bytes, more than the " +
                               std::to_string(kMostListBytes) + " that are read");
  }
  std::ifstream file(path, std::ios::binary);
  std::string content(error ? 0 : static_cast<size_t>(bytes), '\0');
  if (error || !file.read(content.data(), static_cast<std::streamsize>(content.size()))) {
    if (!error) error = {errno, std::generic_category()};
    context.Refuse("file", name + " can't be read: " + error.message());
  }
  return content;
}

}  // namespace

void List::Declare(Declaration<Params>& d) {
  d.Type(
      "data.list",
      "Images and their labels or masks as a file lists them, a line a sample: CSV or TSV with a "
      "header, or JSON lines.");
  d.Param(
       "file", &Params::file,
       "The list. A line whose image an earlier one names is a sample of its own, and said, with "
       "another label or mask too.")
      .Required();
  DeclareTarget(d);
  d.Param("root", &Params::root,
          "The folder that relative paths in the list begin at; empty: the list's own.");
  d.Param("format", &Params::format,
          "How the list is written; auto: as its extension says, else CSV.")
      .Choices({"auto", "csv", "tsv", "jsonl"});
  d.Param("image_column", &Params::image_column,
          "The column, or key of a JSON object, that holds the image's path.");
  d.Param("target_column", &Params::target_column,
          "The one that holds the label or the mask's path; empty: \"label\" or \"mask\".");
  d.Param(
      "class_names", &Params::class_names,
      "Classes by label, where labels are names: give each split's list the same. Empty: labels "
      "are whole numbers from 0, or the names that stand in the list, in their order.");
  d.Param("classes", &Params::classes,
          "How many classes there may be: a label that is not below is refused. 0: as many as "
          "there are.")
      .Range(0, static_cast<int64_t>(kMostClasses));
}

Manifest List::Parsed(OpenContext& context) const {
  const fs::path file = params_.file.text;
  const ManifestFormat format = params_.format == "csv"     ? ManifestFormat::kCsv
                                : params_.format == "tsv"   ? ManifestFormat::kTsv
                                : params_.format == "jsonl" ? ManifestFormat::kJsonLines
                                                            : FormatOfFile(file.native());
  const std::string target = params_.target_column.empty() ? params_.target : params_.target_column;
  return ParseManifest(Content(file, context), format, {params_.image_column, target});
}

void List::FindMissingFiles(Manifest& manifest, OpenContext& context) const {
  // Waits for storage more than it computes; a piece is long enough to make up for its bookkeeping.
  constexpr int kThreads = 16;
  constexpr size_t kPiece = 64;
  const bool masks = params_.target == "mask";
  const std::vector<ManifestRow>& rows = manifest.rows;
  std::vector<std::error_code> images(rows.size()), targets(masks ? rows.size() : 0);
  const size_t pieces = (rows.size() + kPiece - 1) / kPiece;
  InParallel(
      pieces, static_cast<int>(std::min<size_t>(kThreads, pieces)),
      [&](uint64_t piece) {
        const size_t end = std::min(rows.size(), (piece + 1) * kPiece);
        for (size_t i = piece * kPiece; i < end; ++i) {
          images[i] = LookFor(root_ / rows[i].image);
          if (masks && !images[i]) targets[i] = LookFor(root_ / rows[i].target);
        }
      },
      [&](uint64_t done) { context.Progress("looking for the files of a list", done, pieces); });
  for (size_t i = 0; i < rows.size(); ++i) {
    if (images[i]) {
      manifest.faults.Add(rows[i].line, LookFault(root_ / rows[i].image, images[i]));
    } else if (masks && targets[i]) {
      manifest.faults.Add(rows[i].line, LookFault(root_ / rows[i].target, targets[i]));
    }
  }
}

void List::WarnOfRepetitions(OpenContext& context) const {
  const Repetitions found = FindRepetitions(rows_, labels_);
  if (found.same.count > 0) context.Warn(SameText(found.same, rows_, params_.target));
  if (found.contradicting.count > 0) {
    context.Warn(ContradictingText(found.contradicting, rows_, params_.target));
  }
}

void List::Open(OpenContext& context) {
  const fs::path file = params_.file.text;
  root_ = params_.root.text.empty() ? file.parent_path() : fs::path(params_.root.text);
  if (!params_.root.text.empty()) {
    try {
      RequireFolder(root_);
    } catch (const LayoutError& error) {
      context.Refuse("root", error.what());
    }
  }
  if (!params_.class_names.empty() && params_.target != "label") {
    context.Refuse("class_names", "goes with the target \"label\"");
  }
  std::vector<std::string> sorted = params_.class_names;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    context.Refuse("class_names", Quoted(*twice) + " stands twice");
  }
  Manifest manifest = Parsed(context);
  ClassLabels labels;
  if (params_.target == "label") {
    labels = LabelsOf(manifest.rows, params_.class_names, params_.classes, manifest.faults);
  }
  FindMissingFiles(manifest, context);
  const std::string name = Printable(file.native());
  if (manifest.faults.count() > 0) {
    context.Refuse("file", Count(manifest.faults.count(), "fault", "faults") + " in " + name +
                               ": " + manifest.faults.Text());
  }
  if (manifest.rows.empty()) context.Refuse("file", name + " lists no sample");
  rows_ = std::move(manifest.rows);
  labels_ = std::move(labels.values);
  if (params_.target == "label") {
    context.Info((labels.named ? "labels number the names of " : "labels are numbers of ") +
                 Count(labels.classes, "class", "classes"));
  }
  WarnOfRepetitions(context);
  context.Info(Count(rows_.size(), "sample", "samples") + " from " + name);
}

// Paths as they are written, relative to the root; absolute ones without what all of them have in
// common.
uint64_t List::Fingerprint() const {
  const bool masks = params_.target == "mask";
  const auto is_absolute = [](std::string_view path) { return path.starts_with('/'); };
  CommonFolder common;
  for (const ManifestRow& row : rows_) {
    if (is_absolute(row.image)) common.Add(row.image);
    if (masks && is_absolute(row.target)) common.Add(row.target);
  }
  const auto inside = [&](std::string_view path) {
    return is_absolute(path) ? common.Inside(path) : path;
  };
  Fingerprinter of;
  for (size_t i = 0; i < rows_.size(); ++i) {
    of.Add(inside(rows_[i].image));
    if (masks) {
      of.Add(inside(rows_[i].target));
    } else {
      of.Add(labels_[i]);
    }
  }
  return of.value();
}

void List::Read(uint64_t index, Sample& sample, ReadContext& context) const {
  const ManifestRow& row = rows_.at(index);
  ReadImage(root_ / row.image, sample, context);
  if (params_.target == "mask") {
    ReadMask(root_ / row.target, sample, context);
  } else {
    sample.set_label("label", labels_[index]);
  }
}

}  // namespace flowtrain::data
