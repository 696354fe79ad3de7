// Entry points of org.heapspan.vm.CarvingLibrary. Failures are returned as text or numbers; nothing throws.

#include <jni.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "carving/carver.h"
#include "vm/class_view.h"
#include "vm/hotspot_facts.h"
#include "vm/jvm_symbols.h"
#include "vm/vm_tables.h"
#include "vm/young_space.h"

namespace {

using heapspan::carving::CarveRequest;
using heapspan::carving::CarvingContext;
using heapspan::carving::CpuPath;
using heapspan::carving::Decline;
using heapspan::vm::ClassLayout;
using heapspan::vm::ClassView;
using heapspan::vm::HotSpotFacts;
using heapspan::vm::LayoutHelper;
using heapspan::vm::Status;
using heapspan::vm::VmTables;

// The context, and what only its opening and the discovery of classes need.
struct Workshop {
  CarvingContext context;
  ClassLayout classes;
};

// Indexes into the array that CarvingLibrary.open fills.
enum Value : std::size_t {
  kClassPointerOffset,
  kMaxObjectBytes,
  kCpuPath,
  kOtherCompiler,
  kClassWordsChangeAtOnce,
  kRegionsCanBePinned,
  kValueCount,
};

// Indexes into the array that CarvingLibrary.describeClass returns; offsets of references follow.
enum ClassValue : std::size_t { kLayoutHelper, kReferenceType, kFirstReferenceOffset };

Workshop& workshop_at(jlong address) { return *reinterpret_cast<Workshop*>(address); }

Status open(Workshop& workshop, CpuPath limit, jlong* values) {
  VmTables tables;
  HotSpotFacts facts;
  if (const Status status = tables.open(heapspan::vm::jvm_symbol); !status.is_ok()) {
    return status;
  }
  if (const Status status = heapspan::vm::read_hotspot_facts(tables, facts); !status.is_ok()) {
    return status;
  }
  if (const Status status = workshop.classes.open(tables); !status.is_ok()) {
    return status;
  }
  CarvingContext& context = workshop.context;
  if (const Status status = context.young.open(tables, facts.collector); !status.is_ok()) {
    return status;
  }
  const CpuPath path = heapspan::carving::best_cpu_path(limit);
  context.model = heapspan::vm::ObjectModel(facts);
  context.kernels = heapspan::carving::relocation_kernels(path, facts.compressed_references, facts.reference_shift);
  const std::uint64_t max_object_bytes = context.young.max_object_bytes();
  values[kClassPointerOffset] = static_cast<jlong>(workshop.classes.class_pointer_in_mirror);
  values[kMaxObjectBytes] = static_cast<jlong>(max_object_bytes > INT64_MAX ? INT64_MAX : max_object_bytes);
  values[kCpuPath] = static_cast<jlong>(path);
  values[kOtherCompiler] = facts.other_compiler;
  values[kClassWordsChangeAtOnce] = context.model.changes_class_at_once();
  // src/hotspot/share/gc/g1/g1HeapRegion.hpp (heapRegion.hpp in JDK 22): JNI critical sections no longer lock G1 out.
  values[kRegionsCanBePinned] =
      tables.field_of_either("G1HeapRegion", "HeapRegion", "_pinned_object_count").has_value();
  return Status::ok();
}

// The door of JDK 22 and later calls this without leaving the state of running Java code.
std::int64_t carve_without_transition(std::int64_t holder_reference, std::int64_t request_address) {
  auto& request = *reinterpret_cast<CarveRequest*>(request_address);
  return static_cast<std::int64_t>(
      heapspan::carving::carve_in_window(static_cast<std::uint64_t>(holder_reference), request, nullptr));
}

}  // namespace

extern "C" {

JNIEXPORT jint JNICALL Java_org_heapspan_vm_CarvingLibrary_workshopBytes(JNIEnv*, jclass) { return sizeof(Workshop); }

JNIEXPORT jint JNICALL Java_org_heapspan_vm_CarvingLibrary_requestBytes(JNIEnv*, jclass) {
  return sizeof(CarveRequest);
}

JNIEXPORT jstring JNICALL Java_org_heapspan_vm_CarvingLibrary_open(JNIEnv* env, jclass, jlong workshop_address,
                                                                   jint cpu_path_limit, jlongArray values) {
  Workshop* const workshop = new (reinterpret_cast<void*>(workshop_address)) Workshop();
  jlong found[kValueCount] = {};
  const Status status = open(*workshop, static_cast<CpuPath>(cpu_path_limit), found);
  if (!status.is_ok()) {
    return env->NewStringUTF(status.why());
  }
  env->SetLongArrayRegion(values, 0, kValueCount, found);
  return nullptr;
}

JNIEXPORT void JNICALL Java_org_heapspan_vm_CarvingLibrary_complete(JNIEnv*, jclass, jlong workshop_address,
                                                                    jlong number_array_word, jlong object_array_word,
                                                                    jlong base_offsets, jlong nanos_per_tick) {
  CarvingContext& context = workshop_at(workshop_address).context;
  context.number_array_word = static_cast<std::uint64_t>(number_array_word);
  context.object_array_word = static_cast<std::uint64_t>(object_array_word);
  context.object_array_base_offset = static_cast<std::uint32_t>(base_offsets & 0xff);
  context.byte_array_base_offset = static_cast<std::uint32_t>(base_offsets >> 8 & 0xff);
  context.nanos_per_tick = static_cast<std::uint64_t>(nanos_per_tick);
}

// Null if the class contradicts itself.
JNIEXPORT jintArray JNICALL Java_org_heapspan_vm_CarvingLibrary_describeClass(JNIEnv* env, jclass,
                                                                              jlong workshop_address,
                                                                              jlong class_address) {
  const Workshop& workshop = workshop_at(workshop_address);
  const ClassView view(workshop.classes, static_cast<std::uint64_t>(class_address));
  const LayoutHelper helper = view.layout_helper();
  jint head[kFirstReferenceOffset] = {helper.value(), 0};
  if (!helper.is_instance()) {
    jintArray result = env->NewIntArray(kFirstReferenceOffset);
    if (result != nullptr) {
      env->SetIntArrayRegion(result, 0, kFirstReferenceOffset, head);
    }
    return result;
  }
  head[kReferenceType] = view.reference_type();
  const std::uint32_t run_count = view.reference_run_count();
  const std::uint32_t slot_bytes = workshop.context.model.reference_bytes();
  std::uint64_t slot_count = 0;
  if (run_count > heapspan::vm::kMaxReferenceRuns) {
    return nullptr;
  }
  for (std::uint32_t i = 0; i < run_count; i++) {
    const ClassView::ReferenceRun run = view.reference_run(i);
    slot_count += run.count;
    if (run.offset < 0 || static_cast<std::uint64_t>(run.offset) + static_cast<std::uint64_t>(run.count) * slot_bytes >
                              helper.instance_bytes()) {
      return nullptr;
    }
  }
  if (slot_count * slot_bytes > helper.instance_bytes()) {
    return nullptr;
  }
  jintArray result = env->NewIntArray(static_cast<jsize>(kFirstReferenceOffset + slot_count));
  if (result == nullptr) {
    return nullptr;
  }
  env->SetIntArrayRegion(result, 0, kFirstReferenceOffset, head);
  jsize next = kFirstReferenceOffset;
  for (std::uint32_t i = 0; i < run_count; i++) {
    const ClassView::ReferenceRun run = view.reference_run(i);
    for (std::uint32_t k = 0; k < run.count; k++) {
      const auto offset = static_cast<jint>(run.offset + static_cast<std::int32_t>(k * slot_bytes));
      env->SetIntArrayRegion(result, next++, 1, &offset);
    }
  }
  return result;
}

JNIEXPORT jlong JNICALL Java_org_heapspan_vm_CarvingLibrary_ticks(JNIEnv*, jclass) {
  return static_cast<jlong>(heapspan::carving::ticks());
}

JNIEXPORT jlong JNICALL Java_org_heapspan_vm_CarvingLibrary_newReference(JNIEnv* env, jclass, jobject object) {
  return reinterpret_cast<jlong>(env->NewGlobalRef(object));
}

JNIEXPORT void JNICALL Java_org_heapspan_vm_CarvingLibrary_deleteReference(JNIEnv* env, jclass, jlong reference) {
  env->DeleteGlobalRef(reinterpret_cast<jobject>(reference));
}

// Address of a function (long, long) -> long.
JNIEXPORT jlong JNICALL Java_org_heapspan_vm_CarvingLibrary_carveFunction(JNIEnv*, jclass) {
  return reinterpret_cast<jlong>(&carve_without_transition);
}

// The door of JDK 17 and 21: no collection begins while a thread has critical access (GCLocker,
// src/hotspot/share/gc/shared/gcLocker.hpp, up to JDK 21). -Xcheck:jni gives out a copy instead, which is of no use.
JNIEXPORT jlong JNICALL Java_org_heapspan_vm_CarvingLibrary_carveLockingCollector(JNIEnv* env, jclass, jobject target,
                                                                                  jlong holder_reference,
                                                                                  jlong request_address) {
  auto array = static_cast<jarray>(target);
  void* const elements = env->GetPrimitiveArrayCritical(array, nullptr);
  if (elements == nullptr) {
    env->ExceptionClear();
    return static_cast<jlong>(Decline::kCollectorBusy);
  }
  auto& request = *reinterpret_cast<CarveRequest*>(request_address);
  const Decline result =
      heapspan::carving::carve_in_window(static_cast<std::uint64_t>(holder_reference), request, elements);
  env->ReleasePrimitiveArrayCritical(array, elements, result == Decline::kNone ? 0 : JNI_ABORT);
  return static_cast<jlong>(result);
}

}  // extern "C"
