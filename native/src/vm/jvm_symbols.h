#pragma once

namespace heapspan::vm {

// Address of a symbol that the loaded libjvm.so exports, or null.
const void* jvm_symbol(const char* name);

}  // namespace heapspan::vm
