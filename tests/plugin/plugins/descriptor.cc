// A descriptor with one field wrong, as the build says.
#include <flowtrain/stage.h>

#ifndef ABI
#define ABI kAbiVersion
#endif
#ifndef SIZE
#define SIZE sizeof(PluginDescriptor)
#endif
#ifndef MAGIC
#define MAGIC kPluginMagic
#endif
#ifndef TAG
#define TAG FLOWTRAIN_BUILD_TAG
#endif

namespace flowtrain {
extern "C" FLOWTRAIN_API const PluginDescriptor flowtrain_plugin;
extern "C" const PluginDescriptor flowtrain_plugin = {
    MAGIC, SIZE, ABI, TAG, NAME, "1.0", [](Registrar&) { throw Error("must not be called"); }};
}  // namespace flowtrain
