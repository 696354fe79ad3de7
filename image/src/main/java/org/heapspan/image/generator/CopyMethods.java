package org.heapspan.image.generator;

import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ACONST_NULL;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ARETURN;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.IFEQ;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;

import org.heapspan.image.graph.Codec;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * Generates {@link Codec#copyFlat}: takes over the fields one by one, as long as what they refer to is a {@link SharedValue}. The work is
 * done in a static method, whose variables need not name the class that is made.
 */
final class CopyMethods extends FieldMethods {
    private static final String OBJECT_TYPE = "Ljava/lang/Object;";
    private static final String DESCRIPTOR = "(" + OBJECT_TYPE + ")" + OBJECT_TYPE;
    private static final String SHARED_VALUE = "org/heapspan/image/generator/SharedValue";

    // Variables; the second one is what castObject knows the class of.
    private static final int ORIGINAL = 0;
    private static final int COPY = 2;
    private static final int SHARED = 3;

    /** Where the original refers to something else. */
    private final Label other = new Label();

    private boolean checks;

    CopyMethods(FieldBlock block, FieldAccess[] targets, String name, ClassWriter classWriter) {
        super(block, targets, name, classWriter);
    }

    void generate() {
        MethodVisitor call = classWriter.visitMethod(ACC_PUBLIC, "copyFlat", DESCRIPTOR, null, null);
        call.visitCode();
        call.visitVarInsn(ALOAD, 1);
        call.visitMethodInsn(INVOKESTATIC, name, "copyFields", DESCRIPTOR, false);
        call.visitInsn(ARETURN);
        end(call);

        MethodVisitor m = classWriter.visitMethod(ACC_STATIC, "copyFields", DESCRIPTOR, null, null);
        m.visitCode();
        m.visitVarInsn(ALOAD, ORIGINAL);
        m.visitVarInsn(ASTORE, OBJECT);
        castObject(m);
        allocateInstance(m);
        m.visitVarInsn(ASTORE, COPY);
        references(m, 0, targets.length);
        m.visitVarInsn(ALOAD, COPY);
        m.visitInsn(ARETURN);
        if (checks) {
            meet(m, other, "java/lang/Object");
            m.visitInsn(ACONST_NULL);
            m.visitInsn(ARETURN);
        }
        end(m);
    }

    @Override
    void references(MethodVisitor m, int firstSlot, int count) {
        for (int slot = firstSlot; slot < firstSlot + count; slot++) {
            String suffix = suffix(targets[slot].code);
            if (!isReference(slot)) {
                String value = carrier(targets[slot].code);
                memory(m);
                m.visitVarInsn(ALOAD, COPY);
                m.visitLdcInsn(offset(slot));
                get(m, slot, suffix, value);
                put(m, suffix, value);
                continue;
            }
            get(m, slot, suffix, OBJECT_TYPE);
            m.visitVarInsn(ASTORE, SHARED);
            if (!SharedValue.isDeclaredBy(targets[slot].field.getType())) {
                m.visitVarInsn(ALOAD, SHARED);
                m.visitMethodInsn(INVOKESTATIC, SHARED_VALUE, "is", "(" + OBJECT_TYPE + ")Z", false);
                m.visitJumpInsn(IFEQ, other);
                checks = true;
            }
            memory(m);
            m.visitVarInsn(ALOAD, COPY);
            m.visitLdcInsn(offset(slot));
            m.visitVarInsn(ALOAD, SHARED);
            put(m, suffix, OBJECT_TYPE);
        }
    }

    private void get(MethodVisitor m, int slot, String suffix, String value) {
        memory(m);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(offset(slot));
        m.visitMethodInsn(INVOKEVIRTUAL, MEMORY, "get" + suffix, "(" + OBJECT_TYPE + "J)" + value, false);
    }

    private static void put(MethodVisitor m, String suffix, String value) {
        m.visitMethodInsn(INVOKEVIRTUAL, MEMORY, "put" + suffix, "(" + OBJECT_TYPE + "J" + value + ")V", false);
    }
}
