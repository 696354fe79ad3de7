package org.heapspan.image.generator;

import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ACONST_NULL;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ARETURN;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.IF_ACMPEQ;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;

import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImmutableValue;
import org.heapspan.image.type.FieldBlock;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * Generates {@link Codec#copySmall}, which takes over the fields one by one. The work is done in a static method, whose variables need not
 * name the class that is made.
 */
final class CopyMethods extends FieldMethods {
    private static final String SMALL_COPY = "org/heapspan/image/graph/SmallCopy";
    private static final String OBJECT_TYPE = "Ljava/lang/Object;";
    private static final String DESCRIPTOR = "(L" + SMALL_COPY + ";" + OBJECT_TYPE + ")" + OBJECT_TYPE;

    // Variables, beside OBJECT, which is the original.
    private static final int GRAPH = 0;
    private static final int COPY = 2;
    private static final int TARGET = 3;

    /** Where the graph is given up. */
    private final Label givenUp = new Label();

    private boolean givesUp;

    CopyMethods(FieldBlock block, CodecPlan plan, String name, ClassWriter classWriter) {
        super(block, plan, name, classWriter);
    }

    void generate() {
        MethodVisitor call = classWriter.visitMethod(ACC_PUBLIC, "copySmall", DESCRIPTOR, null, null);
        call.visitCode();
        call.visitVarInsn(ALOAD, 1);
        call.visitVarInsn(ALOAD, 2);
        call.visitMethodInsn(INVOKESTATIC, name, "copyFields", DESCRIPTOR, false);
        call.visitInsn(ARETURN);
        end(call);

        MethodVisitor m = classWriter.visitMethod(ACC_STATIC, "copyFields", DESCRIPTOR, null, null);
        m.visitCode();
        castObject(m);
        allocateInstance(m);
        m.visitVarInsn(ASTORE, COPY);
        m.visitVarInsn(ALOAD, GRAPH);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitVarInsn(ALOAD, COPY);
        m.visitMethodInsn(INVOKEVIRTUAL, SMALL_COPY, "add", "(" + OBJECT_TYPE + OBJECT_TYPE + ")V", false);
        references(m, 0, targets.length);
        m.visitVarInsn(ALOAD, COPY);
        m.visitInsn(ARETURN);
        if (givesUp) {
            meet(m, givenUp, SMALL_COPY, "java/lang/Object");
            m.visitInsn(ACONST_NULL);
            m.visitInsn(ARETURN);
        }
        end(m);
    }

    @Override
    void references(MethodVisitor m, int firstSlot, int count) {
        for (int slot = firstSlot; slot < firstSlot + count; slot++) {
            if (isReference(slot) && !ImmutableValue.isDeclaredBy(targets[slot].field.getType())) {
                copyTarget(m, slot);
            } else {
                String value = isReference(slot) ? OBJECT_TYPE : carrier(targets[slot].code);
                beginPut(m, slot);
                get(m, slot, value);
                endPut(m, slot, value);
            }
        }
    }

    private void copyTarget(MethodVisitor m, int slot) {
        givesUp = true;
        m.visitVarInsn(ALOAD, GRAPH);
        get(m, slot, OBJECT_TYPE);
        m.visitMethodInsn(INVOKEVIRTUAL, SMALL_COPY, "take", "(" + OBJECT_TYPE + ")" + OBJECT_TYPE, false);
        m.visitVarInsn(ASTORE, TARGET);
        m.visitVarInsn(ALOAD, TARGET);
        m.visitVarInsn(ALOAD, GRAPH);
        m.visitJumpInsn(IF_ACMPEQ, givenUp);
        beginPut(m, slot);
        m.visitVarInsn(ALOAD, TARGET);
        endPut(m, slot, OBJECT_TYPE);
    }

    private void get(MethodVisitor m, int slot, String value) {
        memory(m);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(offset(slot));
        String method = "get" + suffix(targets[slot].code);
        m.visitMethodInsn(INVOKEVIRTUAL, MEMORY, method, "(" + OBJECT_TYPE + "J)" + value, false);
    }

    private void beginPut(MethodVisitor m, int slot) {
        memory(m);
        m.visitVarInsn(ALOAD, COPY);
        m.visitLdcInsn(offset(slot));
    }

    private void endPut(MethodVisitor m, int slot, String value) {
        String method = "put" + suffix(targets[slot].code);
        m.visitMethodInsn(INVOKEVIRTUAL, MEMORY, method, "(" + OBJECT_TYPE + "J" + value + ")V", false);
    }
}
