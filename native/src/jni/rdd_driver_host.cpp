// Calls of a native program's driver side into org.heapspan.nativerdd.ProgramHost.

#include "jni/rdd_host.h"

namespace heapspan::jni {
namespace {

struct Methods {
  jmethodID text_file;
  jmethodID binary_records;
  jmethodID parallelize;
  jmethodID stage;
  jmethodID shuffle;
  jmethodID union_of;
  jmethodID coalesce;
  jmethodID partition_count;
  jmethodID persist;
  jmethodID unpersist;
  jmethodID checkpoint;
  jmethodID release;
  jmethodID collect;
  jmethodID save;
  jmethodID broadcast;
  jmethodID destroy_broadcast;
  jmethodID accumulator;
  jmethodID accumulator_value;
  jmethodID input;
  jmethodID output;
  jmethodID parquet_file;
  jmethodID save_parquet;
  jmethodID release_broadcast;
};

Methods methods;

// The values of ProgramHost.StagePlan, in the order in which its method `of` reads them.
constexpr jsize kPlanValues = 6;

JavaHost& host_of(void* self) { return *static_cast<JavaHost*>(self); }

// Null with an exception in the host if there is no memory.
jbyteArray bytes_of(JavaHost& host, const char* text) {
  const auto length = static_cast<jsize>(std::strlen(text));
  jbyteArray bytes = host.env->NewByteArray(length);
  if (bytes != nullptr) {
    host.env->SetByteArrayRegion(bytes, 0, length, reinterpret_cast<const jbyte*>(text));
  }
  return bytes;
}

jobjectArray texts_of(JavaHost& host, const char* const* texts, jsize count) {
  jclass of_bytes = host.env->FindClass("[B");
  jobjectArray array = of_bytes == nullptr ? nullptr : host.env->NewObjectArray(count, of_bytes, nullptr);
  for (jsize i = 0; i < count && array != nullptr; i++) {
    jbyteArray text = bytes_of(host, texts[i]);
    if (text == nullptr) {
      return nullptr;
    }
    host.env->SetObjectArrayElement(array, i, text);
    host.env->DeleteLocalRef(text);
  }
  return array;
}

jlongArray longs_of(JavaHost& host, const jlong* values, jsize count) {
  jlongArray array = host.env->NewLongArray(count);
  if (array != nullptr) {
    host.env->SetLongArrayRegion(array, 0, count, values);
  }
  return array;
}

// Local references of a call go when it ends, as a program may make any number of calls.
class LocalFrame {
 public:
  explicit LocalFrame(JavaHost& host) : host_(host), pushed_(host.env->PushLocalFrame(kReferences) == 0) {}
  LocalFrame(const LocalFrame&) = delete;
  LocalFrame& operator=(const LocalFrame&) = delete;

  // Ends the call; what was thrown outlives the frame.
  heapspan_status settle() {
    jthrowable exception = host_.env->ExceptionOccurred();
    host_.env->ExceptionClear();
    jobject kept = exception;
    if (pushed_) {
      kept = host_.env->PopLocalFrame(exception);
    }
    if (exception == nullptr) {
      return HEAPSPAN_OK;
    }
    if (host_.thrown == nullptr) {
      host_.thrown = static_cast<jthrowable>(kept);
    }
    return HEAPSPAN_HOST_FAILED;
  }

 private:
  static constexpr jint kReferences = 8;
  JavaHost& host_;
  bool pushed_;
};

heapspan_status text_file(void* self, const char* path, std::int32_t min_partitions, std::int64_t* node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  if (jbyteArray name = bytes_of(host, path)) {
    *node = host.env->CallLongMethod(host.object, methods.text_file, name, static_cast<jint>(min_partitions));
  }
  return frame.settle();
}

heapspan_status binary_records(void* self, const char* path, std::uint32_t record_bytes, std::int32_t min_partitions,
                               std::int64_t* node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  if (jbyteArray name = bytes_of(host, path)) {
    *node = host.env->CallLongMethod(host.object, methods.binary_records, name, static_cast<jint>(record_bytes),
                                     static_cast<jint>(min_partitions));
  }
  return frame.settle();
}

heapspan_status parallelize(void* self, const heapspan_bytes* partitions, std::int32_t count, std::int64_t* node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  // Addresses and sizes alternate.
  if (jlongArray ranges = host.env->NewLongArray(2 * count)) {
    for (jsize i = 0; i < count; i++) {
      const jlong range[] = {address_of(partitions[i].data), static_cast<jlong>(partitions[i].size)};
      host.env->SetLongArrayRegion(ranges, 2 * i, 2, range);
    }
    *node = host.env->CallLongMethod(host.object, methods.parallelize, ranges);
  }
  return frame.settle();
}

heapspan_status add_stage(void* self, const heapspan_stage_plan* plan, jmethodID method, std::int32_t partitions,
                          std::int64_t* node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  const jlong values[kPlanValues] = {static_cast<jlong>(plan->kernel),
                                     address_of(plan->captures.data),
                                     static_cast<jlong>(plan->captures.size),
                                     plan->arrangement,
                                     plan->order,
                                     partitions};
  jbyteArray operators = bytes_of(host, plan->operators);
  jlongArray numbers = operators == nullptr ? nullptr : longs_of(host, values, kPlanValues);
  jlongArray inputs = numbers == nullptr ? nullptr : host.env->NewLongArray(plan->input_count);
  if (inputs != nullptr) {
    for (jsize i = 0; i < plan->input_count; i++) {
      const jlong input = plan->inputs[i];
      host.env->SetLongArrayRegion(inputs, i, 1, &input);
    }
    *node = host.env->CallLongMethod(host.object, method, operators, numbers, inputs);
  }
  return frame.settle();
}

heapspan_status stage(void* self, const heapspan_stage_plan* plan, std::int64_t* node) {
  return add_stage(self, plan, methods.stage, 0, node);
}

heapspan_status shuffle(void* self, const heapspan_stage_plan* plan, std::int32_t partitions, std::int64_t* node) {
  return add_stage(self, plan, methods.shuffle, partitions, node);
}

heapspan_status union_of(void* self, const std::int64_t* nodes, std::int32_t count, std::int64_t* node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  if (jlongArray handles = host.env->NewLongArray(count)) {
    for (jsize i = 0; i < count; i++) {
      const jlong handle = nodes[i];
      host.env->SetLongArrayRegion(handles, i, 1, &handle);
    }
    *node = host.env->CallLongMethod(host.object, methods.union_of, handles);
  }
  return frame.settle();
}

heapspan_status coalesce(void* self, std::int64_t input, std::int32_t partitions, std::int64_t* node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  *node =
      host.env->CallLongMethod(host.object, methods.coalesce, static_cast<jlong>(input), static_cast<jint>(partitions));
  return frame.settle();
}

heapspan_status partition_count(void* self, std::int64_t node, std::int32_t* count) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  *count = host.env->CallIntMethod(host.object, methods.partition_count, static_cast<jlong>(node));
  return frame.settle();
}

heapspan_status persist(void* self, std::int64_t node, std::int32_t level) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  host.env->CallVoidMethod(host.object, methods.persist, static_cast<jlong>(node), static_cast<jint>(level));
  return frame.settle();
}

heapspan_status unpersist(void* self, std::int64_t node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  host.env->CallVoidMethod(host.object, methods.unpersist, static_cast<jlong>(node));
  return frame.settle();
}

heapspan_status checkpoint(void* self, std::int64_t node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  host.env->CallVoidMethod(host.object, methods.checkpoint, static_cast<jlong>(node));
  return frame.settle();
}

void release(void* self, std::int64_t node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  host.env->CallVoidMethod(host.object, methods.release, static_cast<jlong>(node));
  frame.settle();
}

heapspan_status collect(void* self, std::int64_t node, const std::int32_t* partitions, std::int32_t count,
                        void* receiver, heapspan_receiver receive) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  jint status = HEAPSPAN_OK;
  if (jintArray chosen = host.env->NewIntArray(count)) {
    host.env->SetIntArrayRegion(chosen, 0, count, partitions);
    status =
        host.env->CallIntMethod(host.object, methods.collect, static_cast<jlong>(node), chosen, address_of(receiver),
                                static_cast<jlong>(reinterpret_cast<std::uintptr_t>(receive)));
  }
  const heapspan_status settled = frame.settle();
  return settled == HEAPSPAN_OK ? status : settled;
}

heapspan_status save(void* self, std::int64_t node, const char* path) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  if (jbyteArray name = bytes_of(host, path)) {
    host.env->CallVoidMethod(host.object, methods.save, static_cast<jlong>(node), name);
  }
  return frame.settle();
}

heapspan_status broadcast(void* self, heapspan_bytes value, std::int64_t* number) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  *number =
      host.env->CallLongMethod(host.object, methods.broadcast, address_of(value.data), static_cast<jlong>(value.size));
  return frame.settle();
}

heapspan_status destroy_broadcast(void* self, std::int64_t number) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  host.env->CallVoidMethod(host.object, methods.destroy_broadcast, static_cast<jlong>(number));
  return frame.settle();
}

void release_broadcast(void* self, std::int64_t number) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  host.env->CallVoidMethod(host.object, methods.release_broadcast, static_cast<jlong>(number));
  frame.settle();
}

heapspan_status accumulator(void* self, const char* name, std::int32_t kind, std::int64_t* number) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  if (jbyteArray text = bytes_of(host, name)) {
    *number = host.env->CallLongMethod(host.object, methods.accumulator, text, static_cast<jint>(kind));
  }
  return frame.settle();
}

heapspan_status accumulator_value(void* self, std::int64_t number, heapspan_number* value) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  value->as_long = host.env->CallLongMethod(host.object, methods.accumulator_value, static_cast<jlong>(number));
  return frame.settle();
}

heapspan_status input(void* self, const char* name, const char* type, std::int64_t* node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  jbyteArray text = bytes_of(host, name);
  jbyteArray type_text = text == nullptr ? nullptr : bytes_of(host, type);
  if (type_text != nullptr) {
    *node = host.env->CallLongMethod(host.object, methods.input, text, type_text);
  }
  return frame.settle();
}

heapspan_status output(void* self, std::int64_t node, const char* name, const char* type) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  jbyteArray text = bytes_of(host, name);
  jbyteArray type_text = text == nullptr ? nullptr : bytes_of(host, type);
  if (type_text != nullptr) {
    host.env->CallVoidMethod(host.object, methods.output, static_cast<jlong>(node), text, type_text);
  }
  return frame.settle();
}

heapspan_status parquet_file(void* self, const char* path, const char* const* columns, std::int32_t column_count,
                             const char* type, std::int64_t* node) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  jbyteArray name = bytes_of(host, path);
  jobjectArray names = name == nullptr ? nullptr : texts_of(host, columns, column_count);
  jbyteArray type_text = names == nullptr ? nullptr : bytes_of(host, type);
  if (type_text != nullptr) {
    *node = host.env->CallLongMethod(host.object, methods.parquet_file, name, names, type_text);
  }
  return frame.settle();
}

heapspan_status save_parquet(void* self, std::int64_t node, const char* path, const char* const* columns,
                             std::int32_t column_count, const char* type) {
  JavaHost& host = host_of(self);
  LocalFrame frame(host);
  jbyteArray name = bytes_of(host, path);
  jobjectArray names = name == nullptr ? nullptr : texts_of(host, columns, column_count);
  jbyteArray type_text = names == nullptr ? nullptr : bytes_of(host, type);
  if (type_text != nullptr) {
    host.env->CallVoidMethod(host.object, methods.save_parquet, static_cast<jlong>(node), name, names, type_text);
  }
  return frame.settle();
}

}  // namespace

bool find_driver_methods(JNIEnv* env, jclass program_host) {
  const struct {
    jmethodID* method;
    const char* name;
    const char* signature;
  } wanted[] = {
      {&methods.text_file, "textFile", "([BI)J"},
      {&methods.binary_records, "binaryRecords", "([BII)J"},
      {&methods.parallelize, "parallelize", "([J)J"},
      {&methods.stage, "stage", "([B[J[J)J"},
      {&methods.shuffle, "shuffle", "([B[J[J)J"},
      {&methods.union_of, "unionOf", "([J)J"},
      {&methods.coalesce, "coalesce", "(JI)J"},
      {&methods.partition_count, "partitionCount", "(J)I"},
      {&methods.persist, "persist", "(JI)V"},
      {&methods.unpersist, "unpersist", "(J)V"},
      {&methods.checkpoint, "checkpoint", "(J)V"},
      {&methods.release, "release", "(J)V"},
      {&methods.collect, "collect", "(J[IJJ)I"},
      {&methods.save, "save", "(J[B)V"},
      {&methods.broadcast, "broadcast", "(JJ)J"},
      {&methods.destroy_broadcast, "destroyBroadcast", "(J)V"},
      {&methods.accumulator, "accumulator", "([BI)J"},
      {&methods.accumulator_value, "accumulatorValue", "(J)J"},
      {&methods.input, "input", "([B[B)J"},
      {&methods.output, "output", "(J[B[B)V"},
      {&methods.parquet_file, "parquetFile", "([B[[B[B)J"},
      {&methods.save_parquet, "saveParquet", "(J[B[[B[B)V"},
      {&methods.release_broadcast, "releaseBroadcast", "(J)V"},
  };
  for (const auto& each : wanted) {
    *each.method = env->GetMethodID(program_host, each.name, each.signature);
    if (*each.method == nullptr) {
      return false;
    }
  }
  return true;
}

heapspan_status run_program(JNIEnv* env, const heapspan_program& program, jobject program_host,
                            jint default_parallelism, jint argument_count, const char* const* arguments,
                            heapspan_error& error) {
  JavaHost host;
  HostCall call(host, env, program_host);
  heapspan_driver driver = {};
  driver.boundary_version = HEAPSPAN_BOUNDARY_VERSION;
  driver.struct_bytes = sizeof driver;
  driver.self = &host;
  driver.default_parallelism = default_parallelism;
  driver.text_file = text_file;
  driver.binary_records = binary_records;
  driver.parallelize = parallelize;
  driver.stage = stage;
  driver.shuffle = shuffle;
  driver.union_of = union_of;
  driver.coalesce = coalesce;
  driver.partition_count = partition_count;
  driver.persist = persist;
  driver.unpersist = unpersist;
  driver.checkpoint = checkpoint;
  driver.release = release;
  driver.collect = collect;
  driver.save = save;
  driver.broadcast = broadcast;
  driver.destroy_broadcast = destroy_broadcast;
  driver.accumulator = accumulator;
  driver.accumulator_value = accumulator_value;
  driver.input = input;
  driver.output = output;
  driver.parquet_file = parquet_file;
  driver.save_parquet = save_parquet;
  driver.release_broadcast = release_broadcast;
  return program.main(&driver, argument_count, arguments, &error);
}

}  // namespace heapspan::jni
