package org.heapspan.image.generator;

import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.DUP;
import static org.objectweb.asm.Opcodes.GETFIELD;
import static org.objectweb.asm.Opcodes.IADD;
import static org.objectweb.asm.Opcodes.ICONST_1;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;
import static org.objectweb.asm.Opcodes.ISHL;
import static org.objectweb.asm.Opcodes.ISTORE;
import static org.objectweb.asm.Opcodes.L2I;
import static org.objectweb.asm.Opcodes.LAND;
import static org.objectweb.asm.Opcodes.LLOAD;
import static org.objectweb.asm.Opcodes.LSTORE;
import static org.objectweb.asm.Opcodes.LUSHR;

import java.util.List;
import org.heapspan.image.type.FieldBlock;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Generates the methods that read the fields of an object: {@code static void readFields(ImageReader, Object)}. */
class ReadMethods extends FieldMethods {
    ReadMethods(FieldBlock block, CodecPlan plan, String name, ClassWriter classWriter) {
        super(block, plan, name, classWriter);
    }

    void generate() {
        MethodVisitor m = classWriter.visitMethod(ACC_STATIC, "readFields", READ_FIELDS_DESCRIPTOR, null, null);
        m.visitCode();
        castObject(m);
        if (block.limitBytes() > 0) {
            m.visitVarInsn(ALOAD, STREAM);
            m.visitLdcInsn(block.limitBytes() + FieldBlock.SLACK_BYTES);
            m.visitMethodInsn(INVOKEVIRTUAL, READER, "block", "(I)I", false);
            m.visitInsn(DUP);
            m.visitVarInsn(ISTORE, START);
            m.visitLdcInsn(block.controlBytes());
            m.visitInsn(IADD);
            m.visitVarInsn(ISTORE, POSITION);
            m.visitVarInsn(ALOAD, STREAM);
            m.visitFieldInsn(GETFIELD, READER, "buffer", "[B");
            m.visitVarInsn(ASTORE, BUFFER);
            readBlock(m);
            m.visitVarInsn(ALOAD, STREAM);
            m.visitVarInsn(ILOAD, POSITION);
            m.visitMethodInsn(INVOKEVIRTUAL, READER, "advance", "(I)V", false);
        }
        references(m, false);
    }

    @Override
    void references(MethodVisitor m, int firstSlot, int count) {
        if (loops(count)) {
            m.visitVarInsn(ALOAD, STREAM);
            m.visitVarInsn(ALOAD, OBJECT);
            constant(m, "offsets", "[J", firstSlot);
            m.visitMethodInsn(INVOKESTATIC, STRING_FIELDS, "read", "(L" + READER + ";Ljava/lang/Object;[J)V", false);
        } else {
            readReference(m, firstSlot);
        }
    }

    final void readBlock(MethodVisitor m) {
        List<FieldBlock.Slot> slots = block.slots;
        int bit = 0;
        int loadedWord = -1;
        for (int slot = 0; slot < slots.size() && !isReference(slot); slot++) {
            char code = slots.get(slot).code();
            boolean controlled = code == 'Z' || code == 'I' || code == 'J';
            if (code != 'Z' && controlled) {
                bit += bit & 1;
            }
            if (controlled && bit >> 6 != loadedWord) {
                loadedWord = bit >> 6;
                m.visitVarInsn(ALOAD, BUFFER);
                m.visitVarInsn(ILOAD, START);
                m.visitLdcInsn(8 * loadedWord);
                m.visitInsn(IADD);
                m.visitMethodInsn(INVOKESTATIC, RAW_BYTES, "getLong", "([BI)J", false);
                m.visitVarInsn(LSTORE, CONTROL);
            }
            switch (code) {
                case 'Z' -> {
                    beginSetField(m, slot);
                    controlBits(m, bit, 1);
                    endSetField(m, slot, "Z");
                    bit++;
                }
                case 'I' -> {
                    controlBits(m, bit, 3);
                    m.visitVarInsn(ISTORE, CODE);
                    beginSetField(m, slot);
                    get(m, "getInt", "I");
                    m.visitVarInsn(ILOAD, CODE);
                    m.visitMethodInsn(INVOKESTATIC, BLOCK, "intOf", "(II)I", false);
                    endSetField(m, slot, "I");
                    m.visitVarInsn(ILOAD, POSITION);
                    m.visitVarInsn(ILOAD, CODE);
                    m.visitInsn(IADD);
                    m.visitInsn(ICONST_1);
                    m.visitInsn(IADD);
                    m.visitVarInsn(ISTORE, POSITION);
                    bit += 2;
                }
                case 'J' -> {
                    controlBits(m, bit, 3);
                    m.visitVarInsn(ISTORE, CODE);
                    beginSetField(m, slot);
                    get(m, "getLong", "J");
                    m.visitVarInsn(ILOAD, CODE);
                    m.visitMethodInsn(INVOKESTATIC, BLOCK, "longOf", "(JI)J", false);
                    endSetField(m, slot, "J");
                    m.visitVarInsn(ILOAD, POSITION);
                    m.visitInsn(ICONST_1);
                    m.visitVarInsn(ILOAD, CODE);
                    m.visitInsn(ISHL);
                    m.visitInsn(IADD);
                    m.visitVarInsn(ISTORE, POSITION);
                    bit += 2;
                }
                default -> {
                    beginSetField(m, slot);
                    switch (code) {
                        case 'D' -> get(m, "getLong", "J");
                        case 'F' -> get(m, "getInt", "I");
                        case 'B' -> get(m, "getByte", "I");
                        default -> get(m, "getShort", "I");
                    }
                    if (code == 'C') {
                        m.visitInsn(Opcodes.I2C);
                    }
                    endSetField(m, slot, carrier(code));
                    m.visitIincInsn(POSITION, sizeBytes(code));
                }
            }
        }
    }

    private static void get(MethodVisitor m, String method, String valueDescriptor) {
        m.visitVarInsn(ALOAD, BUFFER);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitMethodInsn(INVOKESTATIC, RAW_BYTES, method, "([BI)" + valueDescriptor, false);
    }

    private static void controlBits(MethodVisitor m, int bit, long mask) {
        m.visitVarInsn(LLOAD, CONTROL);
        if ((bit & 63) != 0) {
            m.visitLdcInsn(bit & 63);
            m.visitInsn(LUSHR);
        }
        m.visitLdcInsn(mask);
        m.visitInsn(LAND);
        m.visitInsn(L2I);
    }

    /** Begins to set a field; what follows pushes the value. */
    final void beginSetField(MethodVisitor m, int slot) {
        memory(m);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(offset(slot));
    }

    final void endSetField(MethodVisitor m, int slot, String valueDescriptor) {
        m.visitMethodInsn(
                INVOKEVIRTUAL,
                MEMORY,
                "put" + suffix(targets[slot].code),
                "(Ljava/lang/Object;J" + valueDescriptor + ")V",
                false);
    }

    private void readReference(MethodVisitor m, int slot) {
        Class<?> declared = targets[slot].field.getType();
        if (!isString(slot) && !BoxForm.handles(declared) && Expectation.exists(bound(slot))) {
            readExpected(m, slot);
            return;
        }
        beginSetField(m, slot);
        m.visitVarInsn(ALOAD, STREAM);
        if (isString(slot)) {
            m.visitMethodInsn(INVOKEVIRTUAL, READER, "readString", "()Ljava/lang/String;", false);
        } else if (BoxForm.handles(declared)) {
            owner(m, slot);
            m.visitMethodInsn(
                    INVOKESTATIC,
                    BOX_FORM,
                    "read" + declared.getSimpleName(),
                    "(L" + READER + ";" + OWNER_DESCRIPTOR + ")Ljava/lang/Object;",
                    false);
        } else if (declared == Object.class) {
            constant(m, "hint", "L" + HINT + ";", slot);
            m.visitMethodInsn(INVOKEVIRTUAL, READER, "readReference", READ_DESCRIPTOR_OF_READER, false);
        } else {
            readDeclared(m, slot);
        }
        endSetField(m, slot, "Ljava/lang/Object;");
    }

    private static final String READ_DESCRIPTOR_OF_READER = "(L" + HINT + ";)Ljava/lang/Object;";

    /** What names the field if the object does not fit it. */
    private static final String OWNER_DESCRIPTOR = "Ljava/lang/Object;I";

    private static void owner(MethodVisitor m, int slot) {
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(slot);
    }

    /** Reads an object of any class, which must fit the field. */
    private static void readDeclared(MethodVisitor m, int slot) {
        constant(m, "declared", "Ljava/lang/Class;", slot);
        constant(m, "hint", "L" + HINT + ";", slot);
        owner(m, slot);
        m.visitMethodInsn(
                INVOKEVIRTUAL,
                READER,
                "readDeclared",
                "(Ljava/lang/Class;L" + HINT + ";" + OWNER_DESCRIPTOR + ")Ljava/lang/Object;",
                false);
    }

    /** Reads an object that is most likely of the declared class; the counterpart of {@link WriteMethods}'s writeExpected. */
    private void readExpected(MethodVisitor m, int slot) {
        Label other = new Label();
        Label next = new Label();
        resolve(m, "declared", "Ljava/lang/Class;", slot);
        resolve(m, "hint", "L" + HINT + ";", slot);
        m.visitVarInsn(ALOAD, STREAM);
        constant(m, "expected", "L" + CODEC + ";", slot);
        m.visitMethodInsn(INVOKEVIRTUAL, READER, "beginExpected", "(L" + CODEC + ";)Z", false);
        m.visitJumpInsn(Opcodes.IFEQ, other);
        beginSetField(m, slot);
        constant(m, "expected", "L" + CODEC + ";", slot);
        m.visitVarInsn(ALOAD, STREAM);
        constant(m, "hint", "L" + HINT + ";", slot);
        m.visitMethodInsn(INVOKEVIRTUAL, CODEC, "read", READ_DESCRIPTOR, false);
        endSetField(m, slot, "Ljava/lang/Object;");
        m.visitVarInsn(ALOAD, STREAM);
        m.visitMethodInsn(INVOKEVIRTUAL, READER, "endNested", "()V", false);
        m.visitJumpInsn(Opcodes.GOTO, next);
        meet(m, other, READER, "java/lang/Object");
        beginSetField(m, slot);
        m.visitVarInsn(ALOAD, STREAM);
        readDeclared(m, slot);
        endSetField(m, slot, "Ljava/lang/Object;");
        meet(m, next, READER, "java/lang/Object");
    }
}
