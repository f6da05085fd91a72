// A function run in a child, and how its end is told.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "pipeline/cli/child_process.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <stdexcept>

using flowtrain::cli::RunInChild;
using flowtrain::cli::Say;

namespace {

void Nothing(const std::string&, const std::string&) {}

}  // namespace

TEST_CASE("what a child throws is told, and never reaches the parent's code") {
  const pid_t parent = getpid();
  std::string end;
  try {
    end = RunInChild([](const Say&) { throw std::runtime_error("the cause"); }, Nothing, 10);
  } catch (...) {
    if (getpid() != parent) _exit(0);  // in the child: as if all had been well
    throw;
  }
  CHECK(end == "threw: the cause");
  CHECK(RunInChild([](const Say&) { throw 7; }, Nothing, 10) == "threw: something that is no std::exception");
  CHECK(RunInChild([](const Say&) {}, Nothing, 10).empty());
}
