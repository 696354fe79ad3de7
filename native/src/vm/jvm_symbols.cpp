#include "vm/jvm_symbols.h"

#include "vm/dynamic_loader.h"

namespace heapspan::vm {

const void* jvm_symbol(const char* name) {
  // RTLD_NOLOAD: only the JVM that runs us, never another one from the library path. Not closed: that adds one to the
  // count of a library that stays until the process ends. Not kept in a static: its guard would need libstdc++.
  void* const libjvm = dlopen("libjvm.so", RTLD_NOLOAD | RTLD_LAZY);
  return libjvm == nullptr ? nullptr : dlsym(libjvm, name);
}

}  // namespace heapspan::vm
