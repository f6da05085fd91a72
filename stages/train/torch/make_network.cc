#include "stages/train/torch/make_network.h"

#include <flowtrain/error.h>

#include "model/camoxpert.h"
#include "model/network_provider.h"
#include "stages/train/network_refused.h"
#include "stages/train/torch/camoxpert_options.h"
#include "stages/train/torch/without_backtrace.h"

namespace flowtrain::train {
namespace {

constexpr char kNetwork[] = "model/network";

using NetworkPtr = std::shared_ptr<model::SegmentationNetwork>;

NetworkPtr MakeCamoXpert(const ModelParams& params) {
  try {
    return model::MakeCamoXpert(CamoXpertOptionsOf(params));
  } catch (const std::invalid_argument& error) {
    throw NetworkRefused("model", error.what());
  }
}

const model::NetworkProvider& Find(const ProvidedLookup& find, const std::string& name) {
  try {
    return *static_cast<const model::NetworkProvider*>(find(model::NetworkProvider::kInterface, name));
  } catch (const Error& error) {
    throw NetworkRefused(kNetwork, error.what());
  }
}

NetworkPtr MakeProvided(const ProvidedLookup& find, const ModelParams& params) {
  const model::NetworkProvider& provider = Find(find, params.network);
  model::NetworkOptions options(params.options, params.choices);
  NetworkPtr network;
  std::string place = kNetwork, why = "the plugin made no network";
  try {
    network = WithoutBacktrace([&] { return provider.Make(options); });
    options.RefuseUnread();
  } catch (const model::BadOption& error) {
    network.reset();
    place = "model/" + error.place();
    why = error.what();
  } catch (const std::exception& error) {
    why = error.what();
  }
  if (network == nullptr) throw NetworkRefused(place, params.network + ": " + why);
  return network;
}

}  // namespace

void RefuseMisplaced(const ModelParams& params) {
  const std::string name = params.Misplaced();
  if (name.empty()) return;
  const char* owner = params.network == kCamoXpert ? "a plugin's network" : kCamoXpert;
  throw NetworkRefused("model/" + name, std::string("is for ") + owner + ", and the network is \"" +
                                            params.network + "\": leave it out");
}

NetworkPtr MakeNetwork(const ProvidedLookup& find, const ModelParams& params) {
  RefuseMisplaced(params);
  return params.network == kCamoXpert ? MakeCamoXpert(params) : MakeProvided(find, params);
}

}  // namespace flowtrain::train
