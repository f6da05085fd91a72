#include "stages/train/torch/make_network.h"

#include "model/camoxpert.h"
#include "model/network_provider.h"
#include "stages/train/torch/camoxpert_options.h"
#include "stages/train/torch/without_backtrace.h"

namespace flowtrain::train {
namespace {

constexpr char kNetwork[] = "model/network";

using NetworkPtr = std::shared_ptr<model::SegmentationNetwork>;

NetworkPtr MakeCamoXpert(OpenContext& context, const ModelParams& params) {
  NetworkPtr network;
  try {
    network = model::MakeCamoXpert(CamoXpertOptionsOf(params));
  } catch (const std::invalid_argument& error) {
    context.Refuse("model", error.what());
  }
  return network;
}

const model::NetworkProvider& Find(OpenContext& context, const std::string& name) {
  const model::NetworkProvider* provider = nullptr;
  try {
    provider = &context.Find<model::NetworkProvider>(name);
  } catch (const Error& error) {
    // Without a dot it was to be the one that is flowtrain's own.
    const bool own = name.find('.') == std::string::npos;
    context.Refuse(kNetwork, own ? "\"" + name + "\" is no network: did you mean \"" + kCamoXpert +
                                       "\", or <plugin>.<network>? " + error.what()
                                 : error.what());
  }
  return *provider;
}

NetworkPtr MakeProvided(OpenContext& context, const ModelParams& params) {
  const model::NetworkProvider& provider = Find(context, params.network);
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
  if (network == nullptr) context.Refuse(place, params.network + ": " + why);
  return network;
}

}  // namespace

NetworkPtr MakeNetwork(OpenContext& context, const ModelParams& params) {
  if (const std::string name = params.Misplaced(); !name.empty()) {
    const char* owner = params.network == kCamoXpert ? "a plugin's network" : kCamoXpert;
    context.Refuse("model/" + name, std::string("is for ") + owner + ", and the network is \"" +
                                        params.network + "\": leave it out");
  }
  return params.network == kCamoXpert ? MakeCamoXpert(context, params)
                                      : MakeProvided(context, params);
}

}  // namespace flowtrain::train
