package org.heapspan.tests.random;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Serializable classes of random shape: fields of all types, hierarchies up to eight deep, private and final fields, the
 * same field name on several levels, classes without a constructor without arguments.
 *
 * <p>Every class descends from {@link Numbered} and has a static method {@code make} that returns a new instance.
 */
final class GeneratedClasses extends ClassLoader {

    private static final String PACKAGE = "generated";

    private static final String[] FIELD_TYPES = {
        "Z",
        "B",
        "S",
        "C",
        "I",
        "F",
        "J",
        "D",
        "I",
        "J",
        "Ljava/lang/String;",
        "Ljava/lang/String;",
        "Ljava/lang/Object;",
        "Ljava/lang/Object;",
        "Ljava/lang/Integer;",
        "Ljava/lang/Long;",
        "Ljava/lang/Number;",
        "Ljava/util/List;",
        "Ljava/util/Map;",
        "Ljava/util/Set;",
        "Ljava/util/ArrayList;",
        "Ljava/util/HashMap;",
        "Ljava/io/Serializable;",
        "Ljava/lang/Comparable;",
        "Lorg/heapspan/tests/random/Numbered;",
        "Lorg/heapspan/tests/random/Numbered$Kind;",
        "[I",
        "[J",
        "[B",
        "[D",
        "[Z",
        "[Ljava/lang/Object;",
        "[Ljava/lang/String;",
        "[[I",
        "[Lorg/heapspan/tests/random/Numbered;"
    };

    private final Map<String, byte[]> bytesByName = new HashMap<>();
    private final List<Class<? extends Numbered>> classes = new ArrayList<>();

    GeneratedClasses(long seed, int count, String prefix) {
        super(GeneratedClasses.class.getClassLoader());
        SplittableRandom random = new SplittableRandom(seed);
        List<Shape> shapes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Shape parent = null;
            if (!shapes.isEmpty() && random.nextInt(10) < 4) {
                Shape candidate = shapes.get(random.nextInt(shapes.size()));
                parent = candidate.depth < 8 ? candidate : null;
            }
            Shape shape = new Shape(PACKAGE + "/" + prefix + i, parent, random.nextInt(4) == 0);
            shapes.add(shape);
            bytesByName.put(shape.internalName.replace('/', '.'), generate(shape, shapes, random));
        }
        try {
            for (Shape each : shapes) {
                classes.add(loadClass(each.internalName.replace('/', '.')).asSubclass(Numbered.class));
            }
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("a class just generated is not found", e);
        }
    }

    List<Class<? extends Numbered>> classes() {
        return classes;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = bytesByName.remove(name);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private static final class Shape {
        final String internalName;
        final Shape parent;
        final boolean constructorTakesInt;
        final int depth;

        Shape(String internalName, Shape parent, boolean constructorTakesInt) {
            this.internalName = internalName;
            this.parent = parent;
            this.constructorTakesInt = constructorTakesInt;
            this.depth = parent == null ? 0 : parent.depth + 1;
        }

        String superName() {
            return parent == null ? "org/heapspan/tests/random/Numbered" : parent.internalName;
        }

        String constructorDescriptor() {
            return constructorTakesInt ? "(I)V" : "()V";
        }
    }

    private static byte[] generate(Shape shape, List<Shape> earlier, SplittableRandom random) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(
                Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, shape.internalName, null, shape.superName(), null);
        writer.visitField(
                        Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL, "serialVersionUID", "J", null, 1L)
                .visitEnd();
        int fields = fieldCount(random);
        for (int i = 0; i < fields; i++) {
            String descriptor = random.nextInt(6) == 0
                    ? fieldOf(earlier.get(random.nextInt(earlier.size())), random)
                    : FIELD_TYPES[random.nextInt(FIELD_TYPES.length)];
            int access = random.nextInt(3) == 0 ? Opcodes.ACC_PUBLIC : random.nextBoolean() ? Opcodes.ACC_PRIVATE : 0;
            if (random.nextInt(5) == 0) {
                access |= Opcodes.ACC_FINAL;
            }
            if (random.nextInt(20) == 0) {
                access |= Opcodes.ACC_TRANSIENT;
            }
            writer.visitField(access, "f" + i, descriptor, null, null).visitEnd();
        }
        constructor(writer, shape);
        factory(writer, shape);
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** Mostly few, sometimes none, sometimes very many. */
    private static int fieldCount(SplittableRandom random) {
        int kind = random.nextInt(40);
        if (kind == 0) {
            return 60 + random.nextInt(120);
        }
        return kind < 4 ? 0 : kind < 10 ? 10 + random.nextInt(20) : 1 + random.nextInt(8);
    }

    private static String fieldOf(Shape type, SplittableRandom random) {
        String descriptor = "L" + type.internalName + ";";
        return random.nextInt(4) == 0 ? "[" + descriptor : descriptor;
    }

    private static void constructor(ClassWriter writer, Shape shape) {
        MethodVisitor code = writer.visitMethod(0, "<init>", shape.constructorDescriptor(), null, null);
        code.visitCode();
        code.visitVarInsn(Opcodes.ALOAD, 0);
        boolean parentTakesInt = shape.parent != null && shape.parent.constructorTakesInt;
        if (parentTakesInt) {
            code.visitInsn(Opcodes.ICONST_1);
        }
        code.visitMethodInsn(
                Opcodes.INVOKESPECIAL, shape.superName(), "<init>", parentTakesInt ? "(I)V" : "()V", false);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(2, shape.constructorTakesInt ? 2 : 1);
        code.visitEnd();
    }

    private static void factory(ClassWriter writer, Shape shape) {
        MethodVisitor code = writer.visitMethod(
                Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC,
                "make",
                Type.getMethodDescriptor(Type.getType(Numbered.class)),
                null,
                null);
        code.visitCode();
        code.visitTypeInsn(Opcodes.NEW, shape.internalName);
        code.visitInsn(Opcodes.DUP);
        if (shape.constructorTakesInt) {
            code.visitInsn(Opcodes.ICONST_1);
        }
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, shape.internalName, "<init>", shape.constructorDescriptor(), false);
        code.visitInsn(Opcodes.ARETURN);
        code.visitMaxs(3, 0);
        code.visitEnd();
    }
}
