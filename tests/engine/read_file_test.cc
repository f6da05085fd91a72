// What a source may be pointed at besides files.
#include <doctest/doctest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;

TEST_CASE("a FIFO, a device, a socket or a folder in a sample's place is a bad sample that names it") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("flowtrain-read-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  const int socket_fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder / "socket").c_str(), sizeof address.sun_path - 1);
  REQUIRE(bind(socket_fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  const std::map<uint64_t, std::filesystem::path> odd{
      {2, folder / "fifo"}, {5, "/dev/zero"}, {9, folder / "socket"}, {11, folder}};
  Script script;
  script.on_read = [&](uint64_t index, ReadContext& context) {
    if (odd.count(index) > 0) context.ReadFile(odd.at(index));
  };
  script.run = TakeBatches(5);
  ScriptedRun run(script, {.source = "", .run = R"("threads": 2, "stall_timeout": 1, "max_bad_share": 1)"});
  const Result result = run.Run();
  CHECK(result.outcome.error == "");
  CHECK(result.outcome.kind == graph::Outcome::kDone);
  for (const auto& [index, path] : odd) {
    CAPTURE(path);
    const bool named = std::any_of(run.host.bad.begin(), run.host.bad.end(), [&, i = index, p = path](const auto& bad) {
      return bad.index == i && bad.reason == "no regular file" && Holds(bad.message, p.string());
    });
    CHECK(named);
  }
  close(socket_fd);
  std::filesystem::remove_all(folder);
}
