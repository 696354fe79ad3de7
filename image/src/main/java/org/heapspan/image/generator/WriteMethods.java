package org.heapspan.image.generator;

import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ARRAYLENGTH;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.CHECKCAST;
import static org.objectweb.asm.Opcodes.DUP;
import static org.objectweb.asm.Opcodes.GETFIELD;
import static org.objectweb.asm.Opcodes.GETSTATIC;
import static org.objectweb.asm.Opcodes.GOTO;
import static org.objectweb.asm.Opcodes.I2L;
import static org.objectweb.asm.Opcodes.IADD;
import static org.objectweb.asm.Opcodes.ICONST_1;
import static org.objectweb.asm.Opcodes.IFLT;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;
import static org.objectweb.asm.Opcodes.ISHL;
import static org.objectweb.asm.Opcodes.ISTORE;
import static org.objectweb.asm.Opcodes.L2I;
import static org.objectweb.asm.Opcodes.LADD;
import static org.objectweb.asm.Opcodes.LCONST_0;
import static org.objectweb.asm.Opcodes.LLOAD;
import static org.objectweb.asm.Opcodes.LOR;
import static org.objectweb.asm.Opcodes.LSHL;
import static org.objectweb.asm.Opcodes.LSTORE;
import static org.objectweb.asm.Opcodes.LUSHR;
import static org.objectweb.asm.Opcodes.PUTSTATIC;
import static org.objectweb.asm.Opcodes.RETURN;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.image.graph.StringForm;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.FieldBlock;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Generates the methods that write the fields of an object: {@code static int writeFields(ImageWriter, Object, int position)}, which
 * returns the position behind them.
 */
final class WriteMethods extends FieldMethods {
    WriteMethods(FieldBlock block, CodecPlan plan, String name, ClassWriter classWriter) {
        super(block, plan, name, classWriter);
    }

    /**
     * The offset of the first reference slot in a static field that is not final. With a constant offset the JIT knows that the
     * slot holds a reference and does not compile reading it as a number into a load (LibraryCallKit::inline_unsafe_access).
     */
    private void generateSlotsOffset() {
        if (!Access.ADDRESS_BITS || firstReference() == targets.length) {
            return;
        }
        classWriter.visitField(ACC_STATIC, "slots", "J", null, null).visitEnd();
        MethodVisitor m = classWriter.visitMethod(ACC_STATIC, "<clinit>", "()V", null, null);
        m.visitCode();
        m.visitLdcInsn(offset(firstReference()));
        m.visitFieldInsn(PUTSTATIC, name, "slots", "J");
        m.visitInsn(RETURN);
        end(m);
    }

    /** Puts an offset near those of the reference slots on the stack, in a form that the JIT takes for unknown. */
    private void unknownOffset(MethodVisitor m, long offset) {
        if (!Access.ADDRESS_BITS) {
            m.visitInsn(LCONST_0);
            return;
        }
        m.visitFieldInsn(GETSTATIC, name, "slots", "J");
        long distance = offset - offset(firstReference());
        if (distance != 0) {
            m.visitLdcInsn(distance);
            m.visitInsn(LADD);
        }
    }

    void generate() {
        generateSlotsOffset();
        MethodVisitor m = classWriter.visitMethod(ACC_STATIC, "writeFields", WRITE_FIELDS_DESCRIPTOR, null, null);
        m.visitCode();
        castObject(m);
        if (block.limitBytes() > 0) {
            // Boxes right behind the block lie in the same room.
            reserve(
                    m,
                    block.limitBytes() + FieldBlock.SLACK_BYTES + boxesInRow(firstReference()) * BoxForm.LIMIT_BYTES);
            m.visitVarInsn(ILOAD, POSITION);
            m.visitInsn(DUP);
            m.visitVarInsn(ISTORE, START);
            m.visitLdcInsn(block.controlBytes());
            m.visitInsn(IADD);
            m.visitVarInsn(ISTORE, POSITION);
            m.visitInsn(LCONST_0);
            m.visitVarInsn(LSTORE, CONTROL);
            writeBlock(m);
        }
        references(m, true);
    }

    @Override
    void references(MethodVisitor m, int firstSlot, int count) {
        if (boxesInRow(firstSlot) > 0) {
            writeBoxes(m, firstSlot, count);
        } else if (loops(count)) {
            m.visitVarInsn(ALOAD, STREAM);
            m.visitVarInsn(ALOAD, OBJECT);
            constant(m, "offsets", "[J", firstSlot);
            writeAtPosition(m, STRING_FIELDS, "write", "(L" + WRITER + ";Ljava/lang/Object;[J");
        } else if (count > 1 && StringForm.readsInsides()) {
            writeStrings(m, firstSlot, count);
        } else {
            for (int slot = firstSlot; slot < firstSlot + count; slot++) {
                writeReference(m, slot);
            }
        }
    }

    /** Makes room at the position and takes the buffer. */
    private static void reserve(MethodVisitor m, int sizeBytes) {
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitLdcInsn(sizeBytes);
        m.visitMethodInsn(INVOKEVIRTUAL, WRITER, "reserveAt", "(II)I", false);
        m.visitVarInsn(ISTORE, POSITION);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitFieldInsn(GETFIELD, WRITER, "buffer", "[B");
        m.visitVarInsn(ASTORE, BUFFER);
    }

    private void writeBoxes(MethodVisitor m, int firstSlot, int count) {
        if (firstSlot != firstReference() || block.limitBytes() == 0) {
            reserve(m, count * BoxForm.LIMIT_BYTES);
        }
        for (int slot = firstSlot; slot < firstSlot + count; slot++) {
            m.visitVarInsn(ALOAD, BUFFER);
            getField(m, slot, "getReference", "Ljava/lang/Object;");
            writeAtPosition(
                    m, BOX_FORM, "write" + targets[slot].field.getType().getSimpleName(), "([BLjava/lang/Object;");
        }
    }

    private void writeBlock(MethodVisitor m) {
        List<FieldBlock.Slot> slots = block.slots;
        int bit = 0;
        for (int slot = 0; slot < slots.size() && !isReference(slot); slot++) {
            char code = slots.get(slot).code();
            switch (code) {
                case 'Z' -> {
                    getField(m, slot, "getBoolean", "Z");
                    orControl(m, bit);
                    bit = flushFullWord(m, bit, 1);
                }
                case 'I' -> {
                    bit = flushFullWord(m, bit, bit & 1);
                    getField(m, slot, "getInt", "I");
                    m.visitVarInsn(ISTORE, VALUE);
                    beginPut(m);
                    m.visitVarInsn(ILOAD, VALUE);
                    endPut(m, 'I');
                    m.visitVarInsn(ILOAD, VALUE);
                    m.visitMethodInsn(INVOKESTATIC, BLOCK, "intCode", "(I)I", false);
                    m.visitInsn(DUP);
                    m.visitVarInsn(ISTORE, CODE);
                    orControl(m, bit);
                    m.visitVarInsn(ILOAD, POSITION);
                    m.visitVarInsn(ILOAD, CODE);
                    m.visitInsn(IADD);
                    m.visitInsn(ICONST_1);
                    m.visitInsn(IADD);
                    m.visitVarInsn(ISTORE, POSITION);
                    bit = flushFullWord(m, bit, 2);
                }
                case 'J' -> {
                    bit = flushFullWord(m, bit, bit & 1);
                    getField(m, slot, "getLong", "J");
                    m.visitVarInsn(LSTORE, VALUE);
                    beginPut(m);
                    m.visitVarInsn(LLOAD, VALUE);
                    endPut(m, 'J');
                    m.visitVarInsn(LLOAD, VALUE);
                    m.visitMethodInsn(INVOKESTATIC, BLOCK, "longCode", "(J)I", false);
                    m.visitInsn(DUP);
                    m.visitVarInsn(ISTORE, CODE);
                    orControl(m, bit);
                    m.visitVarInsn(ILOAD, POSITION);
                    m.visitInsn(ICONST_1);
                    m.visitVarInsn(ILOAD, CODE);
                    m.visitInsn(ISHL);
                    m.visitInsn(IADD);
                    m.visitVarInsn(ISTORE, POSITION);
                    bit = flushFullWord(m, bit, 2);
                }
                default -> {
                    beginPut(m);
                    getField(m, slot, "get" + suffix(code), carrier(code));
                    endPut(m, code);
                    m.visitIincInsn(POSITION, sizeBytes(code));
                }
            }
        }
        if ((bit & 63) != 0) {
            flushControl(m, bit >> 6, block.controlBytes() - 8 * (bit >> 6));
        }
    }

    /** Begins to store a value at the position; what follows pushes it. */
    private static void beginPut(MethodVisitor m) {
        m.visitVarInsn(ALOAD, BUFFER);
        m.visitVarInsn(ILOAD, POSITION);
    }

    /** Stores the value that was pushed; fields of floating-point type come as their bits. */
    private static void endPut(MethodVisitor m, char code) {
        String carried = carrier(code);
        String method = switch (carried) {
            case "J" -> "putLong";
            case "I" -> "putInt";
            case "B" -> "putByte";
            default -> "putShort";
        };
        m.visitMethodInsn(INVOKESTATIC, RAW_BYTES, method, "([BI" + ("J".equals(carried) ? "J" : "I") + ")V", false);
    }

    /** Takes an int from the stack and ors it into the control word. */
    private static void orControl(MethodVisitor m, int bit) {
        m.visitInsn(I2L);
        if ((bit & 63) != 0) {
            m.visitLdcInsn(bit & 63);
            m.visitInsn(LSHL);
        }
        m.visitVarInsn(LLOAD, CONTROL);
        m.visitInsn(LOR);
        m.visitVarInsn(LSTORE, CONTROL);
    }

    private static int flushFullWord(MethodVisitor m, int bit, int bits) {
        int next = bit + bits;
        if (bits > 0 && (next & 63) == 0) {
            flushControl(m, bit >> 6, 8);
            m.visitInsn(LCONST_0);
            m.visitVarInsn(LSTORE, CONTROL);
        }
        return next;
    }

    /** Stores the low bytes of a control word in pieces, because a store of eight would overwrite values behind it. */
    private static void flushControl(MethodVisitor m, int word, int sizeBytes) {
        int done = 0;
        for (int piece : new int[] {8, 4, 2, 1}) {
            if (sizeBytes - done >= piece) {
                m.visitVarInsn(ALOAD, BUFFER);
                m.visitVarInsn(ILOAD, START);
                m.visitLdcInsn(8 * word + done);
                m.visitInsn(IADD);
                m.visitVarInsn(LLOAD, CONTROL);
                if (done > 0) {
                    m.visitLdcInsn(8 * done);
                    m.visitInsn(LUSHR);
                }
                if (piece == 8) {
                    m.visitMethodInsn(INVOKESTATIC, RAW_BYTES, "putLong", "([BIJ)V", false);
                } else {
                    m.visitInsn(L2I);
                    String method = piece == 4 ? "putInt" : piece == 2 ? "putShort" : "putByte";
                    m.visitMethodInsn(INVOKESTATIC, RAW_BYTES, method, "([BII)V", false);
                }
                done += piece;
            }
        }
    }

    /**
     * Writes several strings: looks at all before the first is written. Slots are read eight bytes at a time, which lie within the
     * object because it begins and ends at a multiple of eight, before and after the references.
     */
    private void writeStrings(MethodVisitor m, int firstSlot, int count) {
        int words = FIRST_STRING + 2 * count;
        List<Long> wordOffsets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long wordOffset = offset(firstSlot + i) & ~7L;
            if (!wordOffsets.contains(wordOffset)) {
                wordOffsets.add(wordOffset);
                slots(m, wordOffset);
                m.visitVarInsn(LSTORE, words + 2 * wordOffsets.indexOf(wordOffset));
            }
        }
        for (int i = 0; i < count; i++) {
            getField(m, firstSlot + i, "getReference", "Ljava/lang/Object;");
            m.visitTypeInsn(CHECKCAST, "java/lang/String");
            m.visitVarInsn(ASTORE, FIRST_STRING + 2 * i);
        }
        for (int word = 0; word < wordOffsets.size(); word++) {
            m.visitVarInsn(LLOAD, words + 2 * word);
            slots(m, wordOffsets.get(word));
            m.visitMethodInsn(INVOKESTATIC, REFERENCE_FIELD, "stable", "(JJ)J", false);
            m.visitVarInsn(LSTORE, words + 2 * word);
        }
        m.visitInsn(LCONST_0);
        m.visitVarInsn(LSTORE, VALUE);
        for (int i = 0; i < count; i++) {
            m.visitVarInsn(ALOAD, FIRST_STRING + 2 * i);
            m.visitMethodInsn(INVOKESTATIC, STRING_FORM, "valueOf", "(Ljava/lang/String;)[B", false);
            m.visitInsn(DUP);
            m.visitVarInsn(ASTORE, FIRST_STRING + 2 * i + 1);
            m.visitInsn(ARRAYLENGTH);
            m.visitInsn(I2L);
            m.visitVarInsn(LLOAD, VALUE);
            m.visitInsn(LADD);
            m.visitVarInsn(LSTORE, VALUE);
        }
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(LLOAD, VALUE);
        m.visitLdcInsn(count);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitMethodInsn(INVOKESTATIC, STRING_FORM, "reserveUnit", "(L" + BYTE_WRITER + ";JII)I", false);
        m.visitVarInsn(ISTORE, POSITION);
        for (int i = 0; i < count; i++) {
            long slot = offset(firstSlot + i);
            m.visitVarInsn(ALOAD, STREAM);
            m.visitVarInsn(ALOAD, FIRST_STRING + 2 * i);
            m.visitVarInsn(LLOAD, words + 2 * wordOffsets.indexOf(slot & ~7L));
            if ((slot & 7) != 0) {
                m.visitLdcInsn(32);
                m.visitInsn(LUSHR);
            }
            m.visitInsn(L2I);
            m.visitVarInsn(ALOAD, FIRST_STRING + 2 * i + 1);
            m.visitVarInsn(LLOAD, VALUE);
            m.visitMethodInsn(INVOKESTATIC, STRING_FORM, "fitUnit", "(J)Z", false);
            writeAtPosition(m, STRING_FORM, "writeValueAt", "(L" + WRITER + ";Ljava/lang/String;I[BZ");
        }
    }

    private void slots(MethodVisitor m, long wordOffset) {
        m.visitVarInsn(ALOAD, OBJECT);
        unknownOffset(m, wordOffset);
        m.visitMethodInsn(INVOKESTATIC, REFERENCE_FIELD, "slots", "(Ljava/lang/Object;J)J", false);
    }

    private void writeReference(MethodVisitor m, int slot) {
        Class<?> bound = bound(slot);
        boolean expected = !isString(slot) && Expectation.exists(bound);
        if (expected && !bound.isEnum()) {
            writeExpected(m, slot);
            return;
        }
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(offset(slot));
        if (isString(slot)) {
            unknownOffset(m, offset(slot));
            writeAtPosition(m, REFERENCE_FIELD, "writeString", "(L" + WRITER + ";Ljava/lang/Object;JJ");
        } else if (expected) {
            constant(m, "known", "L" + KNOWN + ";", slot);
            constant(m, "hint", "L" + HINT + ";", slot);
            String field = "(L" + WRITER + ";Ljava/lang/Object;J";
            writeAtPosition(m, REFERENCE_FIELD, "writeEnum", field + "L" + KNOWN + ";L" + HINT + ";");
        } else {
            unknownOffset(m, offset(slot));
            constant(m, "hint", "L" + HINT + ";", slot);
            writeAtPosition(m, REFERENCE_FIELD, "writeAny", "(L" + WRITER + ";Ljava/lang/Object;JJL" + HINT + ";");
        }
    }

    /**
     * Writes an object that is most likely of the declared class. Its body is written by a call from here, and not from a method that
     * all classes use: only so does the JIT see one class at each place.
     */
    private void writeExpected(MethodVisitor m, int slot) {
        bits(m, slot);
        m.visitVarInsn(ISTORE, BITS);
        getField(m, slot, "getReference", "Ljava/lang/Object;");
        m.visitVarInsn(ASTORE, REFERENCE);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, REFERENCE);
        m.visitVarInsn(ILOAD, BITS);
        bits(m, slot);
        m.visitMethodInsn(INVOKESTATIC, REFERENCE_FIELD, "stable", "(II)I", false);
        constant(m, "known", "L" + KNOWN + ";", slot);
        constant(m, "hint", "L" + HINT + ";", slot);
        m.visitVarInsn(ILOAD, POSITION);
        String parameters = "(Ljava/lang/Object;IL" + KNOWN + ";L" + HINT + ";I)I";
        m.visitMethodInsn(INVOKEVIRTUAL, WRITER, "beginExpected", parameters, false);
        m.visitVarInsn(ISTORE, POSITION);
        Label done = new Label();
        Label next = new Label();
        m.visitVarInsn(ILOAD, POSITION);
        m.visitJumpInsn(IFLT, done);
        constant(m, "known", "L" + KNOWN + ";", slot);
        m.visitMethodInsn(INVOKEVIRTUAL, KNOWN, "codec", "()L" + CODEC + ";", false);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, REFERENCE);
        constant(m, "hint", "L" + HINT + ";", slot);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitMethodInsn(INVOKEVIRTUAL, CODEC, "writeAt", WRITE_AT_DESCRIPTOR, false);
        m.visitVarInsn(ISTORE, POSITION);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitMethodInsn(INVOKEVIRTUAL, WRITER, "endNested", "()V", false);
        m.visitJumpInsn(GOTO, next);
        meet(m, done, VARIABLES);
        complement(m, POSITION);
        meet(m, next, VARIABLES);
    }

    private void bits(MethodVisitor m, int slot) {
        m.visitVarInsn(ALOAD, OBJECT);
        unknownOffset(m, offset(slot));
        m.visitMethodInsn(INVOKESTATIC, REFERENCE_FIELD, "bits", "(Ljava/lang/Object;J)I", false);
    }

    /** What the parameters of the writing methods hold. */
    private static final Object[] VARIABLES = {WRITER, "java/lang/Object", Opcodes.INTEGER};

    /** Calls a method that takes the position as its last parameter and returns the next one. */
    private static void writeAtPosition(MethodVisitor m, String owner, String method, String parameters) {
        m.visitVarInsn(ILOAD, POSITION);
        m.visitMethodInsn(INVOKESTATIC, owner, method, parameters + "I)I", false);
        m.visitVarInsn(ISTORE, POSITION);
    }

    private void getField(MethodVisitor m, int slot, String method, String valueDescriptor) {
        memory(m);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(offset(slot));
        m.visitMethodInsn(INVOKEVIRTUAL, MEMORY, method, "(Ljava/lang/Object;J)" + valueDescriptor, false);
    }
}
