package org.heapspan.image.generator;

import static org.heapspan.image.generator.FieldMethods.CODEC;
import static org.heapspan.image.generator.FieldMethods.READER;
import static org.heapspan.image.generator.FieldMethods.READ_FIELDS_DESCRIPTOR;
import static org.heapspan.image.generator.FieldMethods.WRITER;
import static org.heapspan.image.generator.FieldMethods.WRITE_FIELDS_DESCRIPTOR;
import static org.heapspan.image.generator.FieldMethods.complement;
import static org.heapspan.image.generator.FieldMethods.constant;
import static org.heapspan.image.generator.FieldMethods.end;
import static org.heapspan.image.generator.FieldMethods.meet;
import static org.heapspan.image.generator.FieldMethods.resolve;
import static org.objectweb.asm.Opcodes.AALOAD;
import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.GOTO;
import static org.objectweb.asm.Opcodes.ICONST_0;
import static org.objectweb.asm.Opcodes.IFEQ;
import static org.objectweb.asm.Opcodes.IFLT;
import static org.objectweb.asm.Opcodes.IF_ICMPGE;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INTEGER;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;
import static org.objectweb.asm.Opcodes.IRETURN;
import static org.objectweb.asm.Opcodes.ISTORE;
import static org.objectweb.asm.Opcodes.RETURN;

import org.heapspan.image.graph.Codec;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * Generates {@link Codec#writeAll} and {@link Codec#readAll}: loops over the elements of a list or an array in which the
 * class's own methods are called, so that the JIT sees one class in each loop. The loops are static methods, whose variables need
 * not name the class that is made.
 */
final class ElementMethods {
    private static final String ELEMENT_SLOTS = "org/heapspan/image/graph/ElementSlots";
    private static final String OBJECTS = "[Ljava/lang/Object;";

    // Parameters and variables of the loops.
    private static final int STREAM = 0;
    private static final int THIS = 1;
    private static final int ELEMENTS = 2;
    private static final int COUNT = 3;
    private static final int SLOTS = 4;
    private static final int POSITION = 5;

    private final String name;
    private final ClassWriter classWriter;

    ElementMethods(String name, ClassWriter classWriter) {
        this.name = name;
        this.classWriter = classWriter;
    }

    void generate() {
        generateWrite();
        generateRead();
    }

    private MethodVisitor begin(int access, String method, String descriptor) {
        MethodVisitor m = classWriter.visitMethod(access, method, descriptor, null, null);
        m.visitCode();
        return m;
    }

    private void generateWrite() {
        String descriptor = "(L" + WRITER + ";L" + CODEC + ";" + OBJECTS + "ILjava/lang/Object;I)I";
        MethodVisitor m = begin(ACC_PUBLIC, "writeAll", "(L" + WRITER + ";" + OBJECTS + "Ljava/lang/Object;II)I");
        m.visitVarInsn(ALOAD, 1);
        m.visitVarInsn(ALOAD, 0);
        m.visitVarInsn(ALOAD, 2);
        m.visitVarInsn(ILOAD, 4);
        m.visitVarInsn(ALOAD, 3);
        m.visitVarInsn(ILOAD, 5);
        m.visitMethodInsn(INVOKESTATIC, name, "writeLoop", descriptor, false);
        m.visitInsn(IRETURN);
        end(m);

        int index = 6;
        int element = 7;
        int bits = 8;
        Object[] variables = {WRITER, CODEC, OBJECTS, INTEGER, "java/lang/Object", INTEGER, INTEGER};
        m = begin(ACC_STATIC, "writeLoop", descriptor);
        Label loop = new Label();
        Label known = new Label();
        Label next = new Label();
        Label done = new Label();
        resolve(m, "type", "Ljava/lang/Class;", 0);
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, index);
        meet(m, loop, variables);
        m.visitVarInsn(ILOAD, index);
        m.visitVarInsn(ILOAD, COUNT);
        m.visitJumpInsn(IF_ICMPGE, done);

        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, SLOTS);
        m.visitVarInsn(ILOAD, index);
        m.visitMethodInsn(INVOKESTATIC, ELEMENT_SLOTS, "bits", "(L" + WRITER + ";Ljava/lang/Object;I)I", false);
        m.visitVarInsn(ISTORE, bits);
        m.visitVarInsn(ALOAD, ELEMENTS);
        m.visitVarInsn(ILOAD, index);
        m.visitInsn(AALOAD);
        m.visitVarInsn(ASTORE, element);

        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, element);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, SLOTS);
        m.visitVarInsn(ILOAD, index);
        m.visitVarInsn(ILOAD, bits);
        m.visitMethodInsn(INVOKESTATIC, ELEMENT_SLOTS, "stable", "(L" + WRITER + ";Ljava/lang/Object;II)I", false);
        constant(m, "type", "Ljava/lang/Class;", 0);
        m.visitVarInsn(ALOAD, THIS);
        m.visitVarInsn(ILOAD, POSITION);
        String parameters = "(Ljava/lang/Object;ILjava/lang/Class;L" + CODEC + ";I)I";
        m.visitMethodInsn(INVOKEVIRTUAL, WRITER, "beginElement", parameters, false);
        m.visitVarInsn(ISTORE, POSITION);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitJumpInsn(IFLT, known);

        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, element);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitMethodInsn(INVOKESTATIC, name, "writeFields", WRITE_FIELDS_DESCRIPTOR, false);
        m.visitVarInsn(ISTORE, POSITION);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitMethodInsn(INVOKEVIRTUAL, WRITER, "endNested", "()V", false);
        m.visitJumpInsn(GOTO, next);
        meet(m, known, variables);
        complement(m, POSITION);
        meet(m, next, variables);
        m.visitIincInsn(index, 1);
        m.visitJumpInsn(GOTO, loop);
        meet(m, done, variables);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitInsn(IRETURN);
        end(m);
    }

    private void generateRead() {
        String descriptor = "(L" + READER + ";L" + CODEC + ";" + OBJECTS + "I)V";
        MethodVisitor m = begin(ACC_PUBLIC, "readAll", "(L" + READER + ";" + OBJECTS + "I)V");
        m.visitVarInsn(ALOAD, 1);
        m.visitVarInsn(ALOAD, 0);
        m.visitVarInsn(ALOAD, 2);
        m.visitVarInsn(ILOAD, 3);
        m.visitMethodInsn(INVOKESTATIC, name, "readLoop", descriptor, false);
        m.visitInsn(RETURN);
        end(m);

        int index = 4;
        int element = 5;
        Object[] variables = {READER, CODEC, OBJECTS, INTEGER, INTEGER};
        m = begin(ACC_STATIC, "readLoop", descriptor);
        Label loop = new Label();
        Label other = new Label();
        Label next = new Label();
        Label done = new Label();
        resolve(m, "type", "Ljava/lang/Class;", 0);
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, index);
        meet(m, loop, variables);
        m.visitVarInsn(ILOAD, index);
        m.visitVarInsn(ILOAD, COUNT);
        m.visitJumpInsn(IF_ICMPGE, done);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitMethodInsn(INVOKEVIRTUAL, READER, "beginElement", "()Z", false);
        m.visitJumpInsn(IFEQ, other);

        FieldMethods.allocateInstance(m);
        m.visitVarInsn(ASTORE, element);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, element);
        m.visitMethodInsn(INVOKEVIRTUAL, READER, "register", "(Ljava/lang/Object;)V", false);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, element);
        m.visitMethodInsn(INVOKESTATIC, name, "readFields", READ_FIELDS_DESCRIPTOR, false);
        beginStore(m, index);
        m.visitVarInsn(ALOAD, element);
        endStore(m);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitMethodInsn(INVOKEVIRTUAL, READER, "endNested", "()V", false);
        m.visitJumpInsn(GOTO, next);

        meet(m, other, variables);
        beginStore(m, index);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, THIS);
        m.visitMethodInsn(INVOKEVIRTUAL, READER, "readElement", "(L" + CODEC + ";)Ljava/lang/Object;", false);
        endStore(m);
        meet(m, next, variables);
        m.visitIincInsn(index, 1);
        m.visitJumpInsn(GOTO, loop);
        meet(m, done, variables);
        m.visitInsn(RETURN);
        end(m);
    }

    /** Begins to put an element into the array, which perhaps cannot hold it; what follows pushes the element. */
    private static void beginStore(MethodVisitor m, int index) {
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, ELEMENTS);
        m.visitVarInsn(ILOAD, index);
    }

    private static void endStore(MethodVisitor m) {
        String parameters = "(L" + READER + ";" + OBJECTS + "ILjava/lang/Object;)V";
        m.visitMethodInsn(INVOKESTATIC, ELEMENT_SLOTS, "store", parameters, false);
    }
}
