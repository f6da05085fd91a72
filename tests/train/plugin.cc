#include "train/plugin.h"

#include <fstream>
#include <iterator>

namespace flowtrain::train::test {
namespace {

struct Opened {
  testing::CollectingRegistrar registrar;
  std::string maps;
};

Opened Open() {
  Opened opened{testing::LoadPlugin(FLOWTRAIN_TRAIN_PLUGIN), {}};
  std::ifstream maps("/proc/self/maps");
  opened.maps.assign(std::istreambuf_iterator<char>(maps), {});
  return opened;
}

const Opened g_opened = Open();

}  // namespace

const testing::CollectingRegistrar& Plugin() { return g_opened.registrar; }
const std::string& MapsAfterOpening() { return g_opened.maps; }

void SetAt(Value& target, const std::string& path, Value value) {
  const size_t slash = path.find('/');
  if (slash == std::string::npos) return target.Set(path, std::move(value));
  const std::string key = path.substr(0, slash);
  if (target.Find(key) == nullptr) target.Set(key, Value::Object{});
  SetAt(*target.Find(key), path.substr(slash + 1), std::move(value));
}

Value Tiny(const Value::Object& changes) {
  Value params{Value::Object{}};
  params.Set("model", Value::Object{{"backbone", "edgenext_xx_small"}, {"encoder", "gate"}});
  params.Set("optimizer", Value::Object{{"lr", 1e-3}, {"warmup_epochs", 0.5}});
  params.Set("epochs", 2);
  params.Set("log_every", 1);
  params.Set("device", "cpu");
  params.Set("cpu_threads", 1);
  for (const auto& [path, value] : changes) SetAt(params, path, value);
  return params;
}

}  // namespace flowtrain::train::test
