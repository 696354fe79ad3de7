// Entry points of org.heapspan.vm.NativeLibrary. No exception can leave: C++ exceptions are off, Java ones are turned
// into the text that is returned.

#include <jni.h>

#include <cstddef>

#include "vm/cpu_features.h"
#include "vm/hotspot_facts.h"
#include "vm/jvm_symbols.h"
#include "vm/vm_tables.h"

namespace {

using heapspan::vm::HotSpotFacts;
using heapspan::vm::Status;
using heapspan::vm::VmTables;

// Grows whenever an entry point changes its meaning; the same number as in NativeLibrary.java.
constexpr jint kInterfaceVersion = 2;

// Indexes into the array that org.heapspan.vm.HotSpotFacts reads.
enum Fact : std::size_t {
  kCompressedReferences,
  kReferenceShift,
  kReferenceBase,
  kCompressedClassPointers,
  kClassPointerShift,
  kClassPointerBase,
  kCompactHeaders,
  kObjectAlignment,
  kCollector,
  kCollectionCounter,
  kFactCount,
};

// Text of the pending exception, which is cleared. Never null.
jstring take_exception(JNIEnv* env) {
  jthrowable thrown = env->ExceptionOccurred();
  env->ExceptionClear();
  if (thrown != nullptr) {
    jclass type = env->GetObjectClass(thrown);
    jmethodID to_string = env->GetMethodID(type, "toString", "()Ljava/lang/String;");
    auto text = to_string == nullptr ? nullptr : static_cast<jstring>(env->CallObjectMethod(thrown, to_string));
    if (!env->ExceptionCheck() && text != nullptr) {
      return text;
    }
    env->ExceptionClear();
  }
  return env->NewStringUTF("JNI call failed without an exception");
}

}  // namespace

extern "C" {

// Module.implAddExports(String, Module): src/java.base/share/classes/java/lang/Module.java, JDK 9 to 25. JNI knows no
// access control, so this needs neither a flag nor the consent of java.base. Fallback: the next means of access.
JNIEXPORT jstring JNICALL Java_org_heapspan_vm_NativeLibrary_exportInternals(JNIEnv* env, jclass, jint version,
                                                                             jobject from, jobject to) {
  if (version != kInterfaceVersion) {
    return env->NewStringUTF("the native library belongs to another version of Heapspan; use the one of this jar");
  }
  jclass module = env->GetObjectClass(from);
  jmethodID add_exports = env->GetMethodID(module, "implAddExports", "(Ljava/lang/String;Ljava/lang/Module;)V");
  if (add_exports == nullptr) {
    return take_exception(env);
  }
  jstring package = env->NewStringUTF("jdk.internal.misc");
  if (package == nullptr) {
    return take_exception(env);
  }
  env->CallVoidMethod(from, add_exports, package, to);
  return env->ExceptionCheck() ? take_exception(env) : nullptr;
}

JNIEXPORT jstring JNICALL Java_org_heapspan_vm_NativeLibrary_readHotSpotFacts(JNIEnv* env, jclass, jlongArray facts) {
  VmTables tables;
  HotSpotFacts found;
  Status status = tables.open(heapspan::vm::jvm_symbol);
  if (status.is_ok()) {
    status = heapspan::vm::read_hotspot_facts(tables, found);
  }
  if (!status.is_ok()) {
    return env->NewStringUTF(status.why());
  }
  jlong values[kFactCount] = {};
  values[kCompressedReferences] = found.compressed_references;
  values[kReferenceShift] = found.reference_shift;
  values[kReferenceBase] = static_cast<jlong>(found.reference_base_address);
  values[kCompressedClassPointers] = found.compressed_class_pointers;
  values[kClassPointerShift] = found.class_pointer_shift;
  values[kClassPointerBase] = static_cast<jlong>(found.class_pointer_base_address);
  values[kCompactHeaders] = found.compact_headers;
  values[kObjectAlignment] = found.object_alignment_bytes;
  values[kCollector] = static_cast<jlong>(found.collector);
  values[kCollectionCounter] = static_cast<jlong>(found.collection_counter_address);
  env->SetLongArrayRegion(facts, 0, kFactCount, values);
  return env->ExceptionCheck() ? take_exception(env) : nullptr;
}

JNIEXPORT jint JNICALL Java_org_heapspan_vm_NativeLibrary_cpuFeatures(JNIEnv*, jclass) {
  return heapspan::vm::cpu_features();
}

}  // extern "C"
