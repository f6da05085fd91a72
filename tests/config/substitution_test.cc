// ${NAME} and ${NAME:-default}.
#include <doctest/doctest.h>

#include "config/fakes.h"

namespace flowtrain::config {
namespace {

std::string Root(const std::string& written, const Variables& variables) {
  GraphText text;
  text.files = R"("root": ")" + written + "\"";
  return LoadFake(text.str(), {}, variables).chains.at(0).source.params.At("root").AsString();
}

}  // namespace

TEST_CASE("a variable is replaced wherever it stands in a string") {
  CHECK(Root("${A}", {{"A", "/data"}}) == "/data");
  CHECK(Root("${A}/x/${B}.d", {{"A", "/data"}, {"B", "c"}}) == "/data/x/c.d");
  CHECK(Root("$A {A} $", {}) == "$A {A} $");
  CHECK(Root("${A}", {{"A", "${B}"}, {"B", "no"}}) == "${B}");  // a value is taken as it is
}

TEST_CASE("a default stands in for a variable that is unset or empty") {
  CHECK(Root("${A:-/d}", {}) == "/d");
  CHECK(Root("${A:-/d}", {{"A", ""}}) == "/d");
  CHECK(Root("${A:-/d}", {{"A", "/e"}}) == "/e");
  CHECK(Root("x${A:-}", {}) == "x");
}

TEST_CASE("a variable that is unset and has no default is a fault that names it") {
  GraphText text;
  text.files = R"("root": "${A}/${B}")";
  CHECK(FaultsOf(text.str(), {}, {{"B", ""}}) ==
        std::vector<std::string>{"/stages/files/root: the environment variable A is unset or "
                                 "empty; set it, or write ${A:-default}",
                                 "/stages/files/root: the environment variable B is unset or "
                                 "empty; set it, or write ${B:-default}"});
}

TEST_CASE("what looks like a variable and is none is a fault") {
  GraphText text;
  text.files = R"("root": "${A")";
  CHECK(Has(FaultsOf(text.str()), "/stages/files/root", "\"${\" without \"}\""));
  text.files = R"("root": "${9 x}")";
  CHECK(Has(FaultsOf(text.str()), "/stages/files/root", "\"9 x\" is no variable's name"));
}

TEST_CASE("edges are substituted too") {
  GraphText text;
  text.edges = R"("files -> decode -> augment -> staging -> net.${PORT:-train}")";
  CHECK(FaultsOf(text.str()).empty());
}

}  // namespace flowtrain::config
