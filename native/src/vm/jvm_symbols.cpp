#include "vm/jvm_symbols.h"

#include <dlfcn.h>

// glibc 2.34 moved these from libdl into libc under a new version; the old version exists in every glibc, so a library
// built on a new system still loads on an old one.
#if defined(__x86_64__) && defined(__GLIBC__)
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
#endif

namespace heapspan::vm {

const void* jvm_symbol(const char* name) {
  // RTLD_NOLOAD: only the JVM that runs us, never another one from the library path. Not closed: that adds one to the
  // count of a library that stays until the process ends. Not kept in a static: its guard would need libstdc++.
  void* const libjvm = dlopen("libjvm.so", RTLD_NOLOAD | RTLD_LAZY);
  return libjvm == nullptr ? nullptr : dlsym(libjvm, name);
}

}  // namespace heapspan::vm
