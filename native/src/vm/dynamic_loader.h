#ifndef HEAPSPAN_VM_DYNAMIC_LOADER_H
#define HEAPSPAN_VM_DYNAMIC_LOADER_H

// dlopen and its relatives, in versions that every glibc has.

#include <dlfcn.h>

// glibc 2.34 moved these from libdl into libc under a new version; the old version exists in every glibc, so a library
// built on a new system still loads on an old one.
#if defined(__x86_64__) && defined(__GLIBC__)
__asm__(".symver dlclose, dlclose@GLIBC_2.2.5");
__asm__(".symver dlerror, dlerror@GLIBC_2.2.5");
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
#endif

#endif
