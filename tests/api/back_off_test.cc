#include <doctest/doctest.h>
#include <flowtrain/back_off.h>

namespace flowtrain {
namespace {

using std::chrono::milliseconds;

TEST_CASE("what storage was at fault for is tried again, five times at most") {
  int tried = 0;
  const auto third = [&] { return ++tried < 3 ? throw Transient("away") : tried; };
  CHECK(WithBackOff(
            third, [] { return false; }, nullptr, milliseconds(1)) == 3);
  tried = 0;
  const auto never = [&]() -> int {
    ++tried;
    throw Transient("away");
  };
  CHECK_THROWS_WITH_AS(WithBackOff(
                           never, [] { return false; }, nullptr, milliseconds(1)),
                       "away (tried 6 times)", Error);
  CHECK(tried == 6);
}

TEST_CASE("a fault that stays is not tried again") {
  int tried = 0;
  const auto fails = [&]() -> int {
    ++tried;
    throw Error("no such file");
  };
  CHECK_THROWS_WITH_AS(WithBackOff(fails, [] { return false; }), "no such file", Error);
  CHECK(tried == 1);
}

TEST_CASE("a stop ends the wait for another try") {
  int tried = 0;
  const auto never = [&]() -> int {
    ++tried;
    throw Transient("away");
  };
  const auto stopping = [&] { return tried > 0; };
  CHECK_THROWS_AS(WithBackOff(never, stopping, nullptr, std::chrono::hours(1)), Cancelled);
  CHECK(tried == 1);
}

}  // namespace
}  // namespace flowtrain
