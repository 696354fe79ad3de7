package org.heapspan.flink;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A version of a public class with public fields. Each version is in a folder of its own, so that one name can stand for different classes.
 *
 * @param folder has the class file
 * @param name name of the class
 */
record EvolvingClass(Path folder, String name) {
    /** Writes a version. */
    static EvolvingClass of(Path folder, String name, Map<String, String> fields) throws IOException {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, name, null, "java/lang/Object", null);
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
        Files.createDirectories(folder);
        Files.write(folder.resolve(name + ".class"), writer.toByteArray());
        return new EvolvingClass(folder, name);
    }

    /** A class path for it. */
    URL url() throws MalformedURLException {
        return folder.toUri().toURL();
    }

    /** A loader that has this version. */
    URLClassLoader newLoader() throws MalformedURLException {
        return new URLClassLoader(new URL[] {url()}, EvolvingClass.class.getClassLoader());
    }

    /** The class in a loader. */
    @SuppressWarnings("unchecked")
    Class<Object> in(ClassLoader loader) throws ClassNotFoundException {
        return (Class<Object>) loader.loadClass(name);
    }

    static void set(Object instance, String field, Object value) throws ReflectiveOperationException {
        instance.getClass().getField(field).set(instance, value);
    }

    static Object get(Object instance, String field) throws ReflectiveOperationException {
        return instance.getClass().getField(field).get(instance);
    }
}
