// Entry points of org.heapspan.nativerdd.BoundaryLibrary. They open programs, run their driver side and their stages,
// and manage the memory of batches. Failures are returned as text or numbers; the only Java exceptions are those of the
// hosts.

#include <fcntl.h>
#include <jni.h>
#include <xmmintrin.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "jni/rdd_host.h"
#include "jni/rdd_task_host.h"
#include "rdd/byte_planes.h"
#include "vm/dynamic_loader.h"

namespace {

using heapspan::jni::address_of;
using heapspan::jni::HostCall;
using heapspan::jni::OpenStage;
using heapspan::jni::pointer_of;

// Indexes into the array that BoundaryLibrary.openStage takes.
enum StageValue : std::size_t {
  kKernel,
  kPartition,
  kAttempt,
  kInputCount,
  kOutputPartitions,
  kCapturesAddress,
  kCapturesSize,
  kFreeStorageBytes,
  kStage,
  kStageValues,
};

// Alignment of batches that the host allocates: that of malloc, more than the boundary demands.
static_assert(alignof(std::max_align_t) >= 8);

const heapspan_program& program_at(jlong address) { return *pointer_of<const heapspan_program>(address); }

// Copies the error to Java if the program wrote one.
void report(JNIEnv* env, heapspan_status status, const heapspan_error& error, jbyteArray target) {
  if (status == HEAPSPAN_PROGRAM_FAILED) {
    env->SetByteArrayRegion(target, 0, sizeof error, reinterpret_cast<const jbyte*>(&error));
  }
}

// Text that may not be modified UTF-8: as bytes.
jbyteArray bytes_of(JNIEnv* env, const char* text) {
  const auto length = static_cast<jsize>(std::strlen(text));
  jbyteArray bytes = env->NewByteArray(length);
  if (bytes != nullptr) {
    env->SetByteArrayRegion(bytes, 0, length, reinterpret_cast<const jbyte*>(text));
  }
  return bytes;
}

}  // namespace

extern "C" {

// Looks up the methods of the hosts. Returns whether all are there; otherwise a Java exception says which is not.
JNIEXPORT jboolean JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_findMethods(JNIEnv* env, jclass,
                                                                                   jclass program_host,
                                                                                   jclass task_host) {
  return heapspan::jni::find_driver_methods(env, program_host) && heapspan::jni::find_task_methods(env, task_host)
             ? JNI_TRUE
             : JNI_FALSE;
}

// Whether the processor and the operating system have all that x86-64-v3 stands for and that gcc makes use of.
JNIEXPORT jboolean JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_hasProcessorLevel3(JNIEnv*, jclass) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                 __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("lzcnt") &&
                 __builtin_cpu_supports("movbe") && __builtin_cpu_supports("f16c")
             ? JNI_TRUE
             : JNI_FALSE;
}

// Children of this process do not get the file. Nothing happens if there is no such descriptor.
JNIEXPORT void JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_closeOnExec(JNIEnv*, jclass, jint descriptor) {
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// Opens a shared object, for as long as the process lives: batches and frozen stacks may still refer to it. The path
// ends with 0. Puts the address of the program's table into the array, and returns null; or says what is wrong.
JNIEXPORT jbyteArray JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_openProgram(JNIEnv* env, jclass,
                                                                                     jbyteArray path,
                                                                                     jlongArray table) {
  jbyte* name = env->GetByteArrayElements(path, nullptr);
  if (name == nullptr) {
    return nullptr;
  }
  // Code that runs now may change how this thread computes, in Java too: what gcc 12 links with -ffast-math makes 0 of
  // the smallest numbers.
  const unsigned floating_point_mode = _mm_getcsr();
  void* library = dlopen(reinterpret_cast<const char*>(name), RTLD_NOW | RTLD_LOCAL);
  _mm_setcsr(floating_point_mode);
  env->ReleaseByteArrayElements(path, name, JNI_ABORT);
  if (library == nullptr) {
    const char* why = dlerror();
    return bytes_of(env, why == nullptr ? "dlopen failed without a reason" : why);
  }
  using TableFunction = const heapspan_program* (*)();
  const auto function = reinterpret_cast<TableFunction>(dlsym(library, "heapspan_program_table"));
  if (function == nullptr) {
    dlclose(library);
    return bytes_of(env, "it has no symbol heapspan_program_table, so it is no native program");
  }
  const heapspan_program* program = function();
  if (program == nullptr || program->boundary_version != HEAPSPAN_BOUNDARY_VERSION ||
      program->struct_bytes < sizeof(heapspan_program)) {
    dlclose(library);
    return bytes_of(env, "it was built with headers of another version of Heapspan; build it again");
  }
  const jlong address = address_of(program);
  env->SetLongArrayRegion(table, 0, 1, &address);
  return nullptr;
}

// The compiler and the instruction set, for messages.
JNIEXPORT jbyteArray JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_compiler(JNIEnv* env, jclass, jlong program) {
  return bytes_of(env, program_at(program).compiler);
}

JNIEXPORT jbyteArray JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_cpuLevel(JNIEnv* env, jclass, jlong program) {
  return bytes_of(env, program_at(program).cpu_level);
}

// The arguments are one array, in which each ends with 0.
JNIEXPORT jint JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_runProgram(JNIEnv* env, jclass, jlong program,
                                                                              jobject host, jint default_parallelism,
                                                                              jbyteArray arguments,
                                                                              jbyteArray error_bytes) {
  const jsize length = env->GetArrayLength(arguments);
  jbyte* text = env->GetByteArrayElements(arguments, nullptr);
  if (text == nullptr) {
    return HEAPSPAN_HOST_FAILED;
  }
  jint count = 0;
  for (jsize i = 0; i < length; i++) {
    count += text[i] == 0 ? 1 : 0;
  }
  auto** words = static_cast<const char**>(std::malloc((static_cast<std::size_t>(count) + 1) * sizeof(const char*)));
  heapspan_status status = HEAPSPAN_PROGRAM_FAILED;
  heapspan_error error = {};
  if (words == nullptr) {
    std::strcpy(error.message, "no memory for the arguments");
  } else {
    const char* word = reinterpret_cast<const char*>(text);
    for (jint i = 0; i < count; i++) {
      words[i] = word;
      word += std::strlen(word) + 1;
    }
    words[count] = nullptr;
    status = heapspan::jni::run_program(env, program_at(program), host, default_parallelism, count, words, error);
  }
  if (!env->ExceptionCheck()) {
    report(env, status, error, error_bytes);
  }
  std::free(words);
  env->ReleaseByteArrayElements(arguments, text, JNI_ABORT);
  return status;
}

// Passes a batch to the receiver of a job that collects.
JNIEXPORT jint JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_receive(JNIEnv*, jclass, jlong function,
                                                                           jlong receiver, jint partition,
                                                                           jlong address, jlong size) {
  const auto receive = reinterpret_cast<heapspan_receiver>(static_cast<std::uintptr_t>(function));
  return receive(pointer_of<void>(receiver), partition,
                 {pointer_of<const void>(address), static_cast<std::uint64_t>(size)});
}

JNIEXPORT jint JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_openStage(JNIEnv* env, jclass, jlong program,
                                                                             jobject host, jlongArray values,
                                                                             jbyteArray error_bytes) {
  jlong numbers[kStageValues] = {};
  env->GetLongArrayRegion(values, 0, kStageValues, numbers);
  // From malloc: operator new would bring libstdc++ along.
  void* const memory = std::malloc(sizeof(OpenStage));
  heapspan_error error = {};
  if (memory == nullptr) {
    std::strcpy(error.message, "no memory for a stage");
    report(env, HEAPSPAN_PROGRAM_FAILED, error, error_bytes);
    return HEAPSPAN_PROGRAM_FAILED;
  }
  auto* const stage = new (memory) OpenStage;
  heapspan::jni::connect_task(*stage);
  stage->program = &program_at(program);
  stage->task.partition = static_cast<std::int32_t>(numbers[kPartition]);
  stage->task.attempt = static_cast<std::int32_t>(numbers[kAttempt]);
  stage->task.input_count = static_cast<std::int32_t>(numbers[kInputCount]);
  stage->task.output_partitions = static_cast<std::int32_t>(numbers[kOutputPartitions]);
  stage->task.captures = {pointer_of<const void>(numbers[kCapturesAddress]),
                          static_cast<std::uint64_t>(numbers[kCapturesSize])};
  stage->task.free_storage_bytes = static_cast<std::uint64_t>(numbers[kFreeStorageBytes]);
  heapspan_status status;
  {
    HostCall call(stage->host, env, host);
    status =
        stage->program->stage_open(static_cast<std::uint64_t>(numbers[kKernel]), &stage->task, &stage->stage, &error);
  }
  if (status == HEAPSPAN_OK && env->ExceptionCheck()) {
    // The program went on after a failure of the host, which it must not.
    jthrowable failure = env->ExceptionOccurred();
    env->ExceptionClear();
    {
      HostCall call(stage->host, env, host);
      stage->program->stage_close(stage->stage);
    }
    env->ExceptionClear();
    env->Throw(failure);
    status = HEAPSPAN_HOST_FAILED;
  }
  if (status != HEAPSPAN_OK) {
    std::free(stage);
    if (!env->ExceptionCheck()) {
      report(env, status, error, error_bytes);
    }
    return status;
  }
  if (!env->ExceptionCheck()) {
    const jlong address = address_of(stage);
    env->SetLongArrayRegion(values, kStage, 1, &address);
  }
  return status;
}

// Returns HEAPSPAN_END when the stage is done, HEAPSPAN_OK when there may be more to do.
JNIEXPORT jint JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_advanceStage(JNIEnv* env, jclass, jlong address,
                                                                                jobject host, jbyteArray error_bytes) {
  OpenStage& stage = *pointer_of<OpenStage>(address);
  heapspan_error error = {};
  std::int32_t done = 0;
  heapspan_status status;
  {
    HostCall call(stage.host, env, host);
    status = stage.program->stage_advance(stage.stage, &done, &error);
  }
  if (!env->ExceptionCheck()) {
    report(env, status, error, error_bytes);
  }
  return status == HEAPSPAN_OK && done != 0 ? static_cast<jint>(HEAPSPAN_END) : status;
}

JNIEXPORT void JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_closeStage(JNIEnv* env, jclass, jlong address,
                                                                              jobject host) {
  auto* stage = pointer_of<OpenStage>(address);
  {
    HostCall call(stage->host, env, host);
    stage->program->stage_close(stage->stage);
  }
  std::free(stage);
}

JNIEXPORT void JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_forgetBroadcast(JNIEnv*, jclass, jlong program,
                                                                                   jlong broadcast) {
  program_at(program).forget_broadcast(broadcast);
}

// 0 if there is no memory.
JNIEXPORT jlong JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_allocate(JNIEnv*, jclass, jlong size) {
  // Not address_of: gcc takes its pointer to const for a read of memory that nothing has been written to.
  return static_cast<jlong>(reinterpret_cast<std::uintptr_t>(std::malloc(static_cast<std::size_t>(size))));
}

JNIEXPORT void JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_free(JNIEnv*, jclass, jlong address) {
  std::free(pointer_of<void>(address));
}

// The next bytes of a batch as a compressed shuffle has them; the caller has checked that they are there. Returns false
// if the JVM gives no access to the array.
JNIEXPORT jboolean JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_toPlanes(JNIEnv* env, jclass, jlong batch,
                                                                                jlong batch_size, jlong begin,
                                                                                jbyteArray piece, jint size) {
  void* const bytes = env->GetPrimitiveArrayCritical(piece, nullptr);
  if (bytes == nullptr) {
    return JNI_FALSE;
  }
  heapspan::rdd::to_planes(pointer_of<const std::byte>(batch), static_cast<std::size_t>(batch_size),
                           static_cast<std::size_t>(begin), static_cast<std::size_t>(size),
                           static_cast<std::byte*>(bytes));
  env->ReleasePrimitiveArrayCritical(piece, bytes, 0);
  return JNI_TRUE;
}

// Takes what toPlanes has made.
JNIEXPORT jboolean JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_fromPlanes(JNIEnv* env, jclass, jlong batch,
                                                                                  jlong batch_size, jlong begin,
                                                                                  jbyteArray piece, jint size) {
  void* const bytes = env->GetPrimitiveArrayCritical(piece, nullptr);
  if (bytes == nullptr) {
    return JNI_FALSE;
  }
  heapspan::rdd::from_planes(pointer_of<std::byte>(batch), static_cast<std::size_t>(batch_size),
                             static_cast<std::size_t>(begin), static_cast<std::size_t>(size),
                             static_cast<const std::byte*>(bytes));
  env->ReleasePrimitiveArrayCritical(piece, bytes, JNI_ABORT);
  return JNI_TRUE;
}

JNIEXPORT jobject JNICALL Java_org_heapspan_nativerdd_BoundaryLibrary_buffer(JNIEnv* env, jclass, jlong address,
                                                                             jint size) {
  return env->NewDirectByteBuffer(pointer_of<void>(address), size);
}

}  // extern "C"
