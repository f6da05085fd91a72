// Names that people bring from PyTorch: what they are told, and the page that shows them.
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "config/fakes.h"
#include "pipeline/config/pytorch_names.h"

namespace flowtrain::config {
namespace {

// The rows of the page's table, "| `name` | of | here |", but for its head.
std::vector<std::string> RowsOfPage() {
  std::ifstream page(STAGES_README);
  REQUIRE(page);
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) rows.push_back(line);
  }
  return rows;
}

}  // namespace

TEST_CASE("a name of PyTorch's DataLoader is answered with what it is here, on any stage") {
  GraphText source, staging;
  source.files += R"(, "num_workers": 4)";
  const auto faults = FaultsOf(source.str());
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].starts_with(
      "/stages/files/num_workers: unknown parameter: \"num_workers\" is PyTorch DataLoader's; "
      "here: \"run/threads\" (or --threads) threads compute, \"source/io_threads\" read"));
  CHECK(faults[0].find("; allowed: \"type\", \"root\"") != std::string::npos);
  staging.staging += R"(, "prefetch_factor": 2)";
  CHECK(Has(FaultsOf(staging.str()), "/stages/staging/prefetch_factor",
            "\"prefetch_factor\" is PyTorch DataLoader's; here: \"source/read_ahead\""));
}

TEST_CASE("a transform of torchvision in the place of an op is answered with the op") {
  GraphText text;
  text.augment += R"(, "ops": [{"op": "RandomHorizontalFlip", "p": 0.5}])";
  CHECK(Has(FaultsOf(text.str()), "/stages/augment/ops/0/op",
            "no choice: \"RandomHorizontalFlip\" is torchvision's; here: op \"flip\" of "
            "\"image.augment\"; allowed: "));
}

TEST_CASE("a name of PyTorch's that is a parameter here is that parameter") {
  GraphText text;
  text.files += R"(, "sampler": {"shuffle": true, "rank": 1, "world_size": 2})";
  CHECK(FaultsOf(text.str()).empty());
}

TEST_CASE("the table of stages/README.md has the rows that graphs are answered with") {
  const std::vector<std::string> page = RowsOfPage();
  std::vector<std::string> due;
  for (const PyTorchName& row : PyTorchNames()) {
    due.push_back(std::string("| `") + row.name + "` | " + row.of + " | " + row.here + " |");
  }
  REQUIRE(page.size() == due.size());
  for (size_t i = 0; i < due.size(); ++i) CHECK(page[i] == due[i]);
}

}  // namespace flowtrain::config
