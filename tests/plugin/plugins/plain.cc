// A shared library that is no plugin. Were it opened, its constructor would end the test.
#include <cstdlib>

__attribute__((constructor)) static void OnOpen() { std::abort(); }
extern "C" __attribute__((visibility("default"))) int Answer() { return 42; }
