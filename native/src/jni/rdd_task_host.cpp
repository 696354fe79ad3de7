// Calls of a native program's stage into org.heapspan.nativerdd.TaskHost.

#include "jni/rdd_task_host.h"

namespace heapspan::jni {
namespace {

struct Methods {
  jmethodID next_batch;
  jmethodID batch_address;
  jmethodID batch_size;
  jmethodID release_batch;
  jmethodID rewind_input;
  jmethodID emit_batch;
  jmethodID write_map_output;
  jmethodID reserve_memory;
  jmethodID release_memory;
  jmethodID spill_create;
  jmethodID spill_write;
  jmethodID spill_read;
  jmethodID spill_delete;
  jmethodID is_cancelled;
  jmethodID broadcast_address;
  jmethodID broadcast_size;
  jmethodID accumulate;
};

Methods methods;

JavaHost& host_of(void* self) { return static_cast<OpenStage*>(self)->host; }

heapspan_status next_batch(void* self, std::int32_t input, heapspan_batch* batch) {
  JavaHost& host = host_of(self);
  const jlong id = host.env->CallLongMethod(host.object, methods.next_batch, static_cast<jint>(input));
  if (const heapspan_status status = host.settle(); status != HEAPSPAN_OK) {
    return status;
  }
  if (id < 0) {
    return HEAPSPAN_END;
  }
  const jlong address = host.env->CallLongMethod(host.object, methods.batch_address, id);
  if (const heapspan_status status = host.settle(); status != HEAPSPAN_OK) {
    return status;
  }
  const jlong size = host.env->CallLongMethod(host.object, methods.batch_size, id);
  batch->data = pointer_of<const void>(address);
  batch->size = static_cast<std::uint64_t>(size);
  batch->id = id;
  return host.settle();
}

void release_batch(void* self, std::int64_t id) {
  JavaHost& host = host_of(self);
  host.env->CallVoidMethod(host.object, methods.release_batch, static_cast<jlong>(id));
  host.settle();
}

heapspan_status rewind_input(void* self, std::int32_t input) {
  JavaHost& host = host_of(self);
  host.env->CallVoidMethod(host.object, methods.rewind_input, static_cast<jint>(input));
  return host.settle();
}

heapspan_status emit_batch(void* self, void* data, std::uint64_t size) {
  JavaHost& host = host_of(self);
  host.env->CallVoidMethod(host.object, methods.emit_batch, address_of(data), static_cast<jlong>(size));
  return host.settle();
}

heapspan_status write_map_output(void* self, std::int32_t partition, heapspan_bytes batch) {
  JavaHost& host = host_of(self);
  host.env->CallVoidMethod(host.object, methods.write_map_output, static_cast<jint>(partition), address_of(batch.data),
                           static_cast<jlong>(batch.size));
  return host.settle();
}

heapspan_status reserve_memory(void* self, std::uint64_t bytes) {
  JavaHost& host = host_of(self);
  const jboolean granted = host.env->CallBooleanMethod(host.object, methods.reserve_memory, static_cast<jlong>(bytes));
  const heapspan_status status = host.settle();
  return status != HEAPSPAN_OK || granted != JNI_FALSE ? status : static_cast<heapspan_status>(HEAPSPAN_REFUSED);
}

void release_memory(void* self, std::uint64_t bytes) {
  JavaHost& host = host_of(self);
  host.env->CallVoidMethod(host.object, methods.release_memory, static_cast<jlong>(bytes));
  host.settle();
}

heapspan_status spill_create(void* self, std::int64_t* spill) {
  JavaHost& host = host_of(self);
  *spill = host.env->CallLongMethod(host.object, methods.spill_create);
  return host.settle();
}

heapspan_status spill_write(void* self, std::int64_t spill, heapspan_bytes block) {
  JavaHost& host = host_of(self);
  host.env->CallVoidMethod(host.object, methods.spill_write, static_cast<jlong>(spill), address_of(block.data),
                           static_cast<jlong>(block.size));
  return host.settle();
}

heapspan_status spill_read(void* self, std::int64_t spill, void* buffer, std::uint64_t size) {
  JavaHost& host = host_of(self);
  host.env->CallVoidMethod(host.object, methods.spill_read, static_cast<jlong>(spill), address_of(buffer),
                           static_cast<jlong>(size));
  return host.settle();
}

void spill_delete(void* self, std::int64_t spill) {
  JavaHost& host = host_of(self);
  host.env->CallVoidMethod(host.object, methods.spill_delete, static_cast<jlong>(spill));
  host.settle();
}

std::int32_t is_cancelled(void* self) {
  JavaHost& host = host_of(self);
  const jboolean cancelled = host.env->CallBooleanMethod(host.object, methods.is_cancelled);
  return host.settle() != HEAPSPAN_OK || cancelled != JNI_FALSE ? 1 : 0;
}

heapspan_status broadcast_value(void* self, std::int64_t broadcast, heapspan_bytes* value) {
  JavaHost& host = host_of(self);
  const auto number = static_cast<jlong>(broadcast);
  const jlong address = host.env->CallLongMethod(host.object, methods.broadcast_address, number);
  if (const heapspan_status status = host.settle(); status != HEAPSPAN_OK) {
    return status;
  }
  const jlong size = host.env->CallLongMethod(host.object, methods.broadcast_size, number);
  value->data = pointer_of<const void>(address);
  value->size = static_cast<std::uint64_t>(size);
  return host.settle();
}

heapspan_status accumulate(void* self, std::int64_t accumulator, heapspan_number value) {
  JavaHost& host = host_of(self);
  host.env->CallVoidMethod(host.object, methods.accumulate, static_cast<jlong>(accumulator),
                           static_cast<jlong>(value.as_long));
  return host.settle();
}

}  // namespace

bool find_task_methods(JNIEnv* env, jclass task_host) {
  const struct {
    jmethodID* method;
    const char* name;
    const char* signature;
  } wanted[] = {
      {&methods.next_batch, "nextBatch", "(I)J"},
      {&methods.batch_address, "batchAddress", "(J)J"},
      {&methods.batch_size, "batchSizeBytes", "(J)J"},
      {&methods.release_batch, "releaseBatch", "(J)V"},
      {&methods.rewind_input, "rewindInput", "(I)V"},
      {&methods.emit_batch, "emitBatch", "(JJ)V"},
      {&methods.write_map_output, "writeMapOutput", "(IJJ)V"},
      {&methods.reserve_memory, "reserveMemory", "(J)Z"},
      {&methods.release_memory, "releaseMemory", "(J)V"},
      {&methods.spill_create, "createSpill", "()J"},
      {&methods.spill_write, "writeSpill", "(JJJ)V"},
      {&methods.spill_read, "readSpill", "(JJJ)V"},
      {&methods.spill_delete, "deleteSpill", "(J)V"},
      {&methods.is_cancelled, "isCancelled", "()Z"},
      {&methods.broadcast_address, "broadcastAddress", "(J)J"},
      {&methods.broadcast_size, "broadcastSizeBytes", "(J)J"},
      {&methods.accumulate, "accumulate", "(JJ)V"},
  };
  for (const auto& each : wanted) {
    *each.method = env->GetMethodID(task_host, each.name, each.signature);
    if (*each.method == nullptr) {
      return false;
    }
  }
  return true;
}

void connect_task(OpenStage& stage) {
  heapspan_task& task = stage.task;
  task.boundary_version = HEAPSPAN_BOUNDARY_VERSION;
  task.struct_bytes = sizeof task;
  task.self = &stage;
  task.next_batch = next_batch;
  task.release_batch = release_batch;
  task.rewind_input = rewind_input;
  task.emit_batch = emit_batch;
  task.write_map_output = write_map_output;
  task.reserve_memory = reserve_memory;
  task.release_memory = release_memory;
  task.spill_create = spill_create;
  task.spill_write = spill_write;
  task.spill_read = spill_read;
  task.spill_delete = spill_delete;
  task.is_cancelled = is_cancelled;
  task.broadcast_value = broadcast_value;
  task.accumulate = accumulate;
}

}  // namespace heapspan::jni
