#ifndef HEAPSPAN_JNI_RDD_HOST_H
#define HEAPSPAN_JNI_RDD_HOST_H

// What both hosts of native programs share: the driver's (rdd_driver_host.cpp) and a task's (rdd_task_host.cpp). A host
// is a table of C functions, each of which calls the method of a Java object with the same name.

#include <jni.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "heapspan/rdd/boundary.h"

namespace heapspan::jni {

// The Java object behind a table of calls, for as long as one call into the program lasts.
struct JavaHost {
  JNIEnv* env = nullptr;
  jobject object = nullptr;
  // What a method of the object threw; thrown again when the program has returned. A local reference of the call into
  // the program.
  jthrowable thrown = nullptr;

  // Says how a call to Java ended. The first exception counts: a program that failed may still release what it holds.
  heapspan_status settle() {
    if (!env->ExceptionCheck()) {
      return HEAPSPAN_OK;
    }
    jthrowable exception = env->ExceptionOccurred();
    env->ExceptionClear();
    if (thrown == nullptr) {
      thrown = exception;
    } else {
      env->DeleteLocalRef(exception);
    }
    return HEAPSPAN_HOST_FAILED;
  }
};

// Makes the object of a call known to the host, and throws what its methods threw when the call ends.
class HostCall {
 public:
  HostCall(JavaHost& host, JNIEnv* env, jobject object) : host_(host) {
    host_.env = env;
    host_.object = object;
    host_.thrown = nullptr;
  }
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  ~HostCall() {
    if (host_.thrown != nullptr) {
      host_.env->Throw(host_.thrown);
    }
    host_.thrown = nullptr;
    host_.object = nullptr;
    host_.env = nullptr;
  }

 private:
  JavaHost& host_;
};

inline jlong address_of(const void* pointer) { return static_cast<jlong>(reinterpret_cast<std::uintptr_t>(pointer)); }

template <typename T>
T* pointer_of(jlong address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

// Methods of the Java interfaces are looked up once, by these functions. False with a Java exception if one is missing.
bool find_driver_methods(JNIEnv* env, jclass program_host);
bool find_task_methods(JNIEnv* env, jclass task_host);

// Runs the driver side of a program.
heapspan_status run_program(JNIEnv* env, const heapspan_program& program, jobject program_host,
                            jint default_parallelism, jint argument_count, const char* const* arguments,
                            heapspan_error& error);

}  // namespace heapspan::jni

#endif
