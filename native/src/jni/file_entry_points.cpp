// Entry point of org.heapspan.vm.FileSpace. Failures are returned as numbers; nothing throws.

#include <fcntl.h>
#include <jni.h>

#include <cerrno>

extern "C" {

// Makes a hole in the file of a java.nio.channels.FileChannel. Its length stays. Returns 0 or what errno says, EBADF
// for a channel that is closed, and ENOSYS for one that is not of the JDK's own class.
JNIEXPORT jint JNICALL Java_org_heapspan_vm_FileSpace_punchHole(JNIEnv* env, jclass, jobject channel, jlong offset,
                                                                jlong length) {
  // The names of both fields are the same in JDK 17 to 25 (src/java.base/share/classes/sun/nio/ch/FileChannelImpl.java
  // and unix/classes/java/io/FileDescriptor.java).
  const jfieldID descriptor_field = env->GetFieldID(env->GetObjectClass(channel), "fd", "Ljava/io/FileDescriptor;");
  if (descriptor_field == nullptr) {
    env->ExceptionClear();
    return ENOSYS;
  }
  const jobject descriptor = env->GetObjectField(channel, descriptor_field);
  const jfieldID number_field = env->GetFieldID(env->GetObjectClass(descriptor), "fd", "I");
  if (number_field == nullptr) {
    env->ExceptionClear();
    return ENOSYS;
  }
  const jint number = env->GetIntField(descriptor, number_field);
  if (number < 0) {
    return EBADF;
  }
  return fallocate(number, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length) == 0 ? 0 : errno;
}

}  // extern "C"
