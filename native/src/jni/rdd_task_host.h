#ifndef HEAPSPAN_JNI_RDD_TASK_HOST_H
#define HEAPSPAN_JNI_RDD_TASK_HOST_H

// A stage of a native program and the table of calls into its task, org.heapspan.nativerdd.TaskHost.

#include "jni/rdd_host.h"

namespace heapspan::jni {

struct OpenStage {
  JavaHost host;
  heapspan_task task = {};
  const heapspan_program* program = nullptr;
  heapspan_stage* stage = nullptr;
};

// Fills in the calls of a task.
void connect_task(OpenStage& stage);

}  // namespace heapspan::jni

#endif
