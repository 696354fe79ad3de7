package org.heapspan.testing;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A public Serializable class with public fields, made at run time, so that one name can stand for different classes in
 * different loaders.
 *
 * @param name binary name
 * @param fields names to descriptors, in order
 */
public record GeneratedClass(String name, Map<String, String> fields) {
    /** The class file. */
    public byte[] bytes() {
        ClassWriter writer = new ClassWriter(0);
        String internalName = name.replace('.', '/');
        writer.visit(
                Opcodes.V17,
                Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER,
                internalName,
                null,
                "java/lang/Object",
                new String[] {Serializable.class.getName().replace('.', '/')});
        fields.forEach((field, descriptor) -> writer.visitField(Opcodes.ACC_PUBLIC, field, descriptor, null, null)
                .visitEnd());
        MethodVisitor constructor = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        constructor.visitCode();
        constructor.visitVarInsn(Opcodes.ALOAD, 0);
        constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        constructor.visitInsn(Opcodes.RETURN);
        constructor.visitMaxs(1, 1);
        constructor.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** A loader that knows some generated classes and remembers which classes were asked of it. */
    public static final class Loader extends ClassLoader {
        private final Map<String, byte[]> classFiles = new ConcurrentHashMap<>();
        private final Set<String> asked = ConcurrentHashMap.newKeySet();

        /** Creates a loader for the classes. */
        public Loader(GeneratedClass... classes) {
            super(GeneratedClass.class.getClassLoader());
            for (GeneratedClass generated : classes) {
                classFiles.put(generated.name(), generated.bytes());
            }
        }

        /** Names of all classes that were asked of this loader. */
        public List<String> asked() {
            return new ArrayList<>(asked);
        }

        @Override
        protected Class<?> loadClass(String className, boolean resolve) throws ClassNotFoundException {
            asked.add(className);
            synchronized (getClassLoadingLock(className)) {
                byte[] classFile = classFiles.get(className);
                Class<?> loaded = findLoadedClass(className);
                if (loaded == null && classFile != null) {
                    loaded = defineClass(className, classFile, 0, classFile.length);
                }
                return loaded != null ? loaded : super.loadClass(className, resolve);
            }
        }

        /** A new instance of a generated class. */
        public Object newInstance(String className) throws ReflectiveOperationException {
            return loadClass(className).getConstructor().newInstance();
        }
    }

    /** Sets a field of an instance. */
    public static void set(Object instance, String field, Object value) throws ReflectiveOperationException {
        instance.getClass().getField(field).set(instance, value);
    }

    /** Gets a field of an instance. */
    public static Object get(Object instance, String field) throws ReflectiveOperationException {
        return instance.getClass().getField(field).get(instance);
    }
}
