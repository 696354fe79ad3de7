// Entry point of org.heapspan.vm.FileSpace. Failures are returned as numbers; nothing throws.

#include <fcntl.h>
#include <jni.h>

#include <cerrno>

extern "C" {

// Makes a hole in a file, whose length stays. Returns 0 or what errno says, and EBADF for a descriptor that is not
// open.
JNIEXPORT jint JNICALL Java_org_heapspan_vm_FileSpace_punchHole(JNIEnv* env, jclass, jobject descriptor, jlong offset,
                                                                jlong length) {
  // The name of the field has been the same since JDK 1.0 (src/java.base/unix/classes/java/io/FileDescriptor.java, JDK
  // 17 to 25).
  const jfieldID field = env->GetFieldID(env->GetObjectClass(descriptor), "fd", "I");
  if (field == nullptr) {
    env->ExceptionClear();
    return ENOSYS;
  }
  const jint number = env->GetIntField(descriptor, field);
  if (number < 0) {
    return EBADF;
  }
  return fallocate(number, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length) == 0 ? 0 : errno;
}

}  // extern "C"
