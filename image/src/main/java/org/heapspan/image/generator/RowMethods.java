package org.heapspan.image.generator;

import static org.objectweb.asm.Opcodes.AASTORE;
import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ACONST_NULL;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ARRAYLENGTH;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.GETFIELD;
import static org.objectweb.asm.Opcodes.GOTO;
import static org.objectweb.asm.Opcodes.IADD;
import static org.objectweb.asm.Opcodes.ICONST_1;
import static org.objectweb.asm.Opcodes.IFLT;
import static org.objectweb.asm.Opcodes.IF_ICMPGE;
import static org.objectweb.asm.Opcodes.IF_ICMPGT;
import static org.objectweb.asm.Opcodes.IF_ICMPNE;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INTEGER;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.IRETURN;
import static org.objectweb.asm.Opcodes.ISTORE;
import static org.objectweb.asm.Opcodes.ISUB;
import static org.objectweb.asm.Opcodes.PUTFIELD;
import static org.objectweb.asm.Opcodes.TOP;

import org.heapspan.image.graph.Codec;
import org.heapspan.image.type.FieldBlock;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * Generates {@link Codec#readRow} for objects that hold nothing but primitive values and boxes: a loop that keeps its position to
 * itself and compares once for each record, with the largest that there could be, whether all its bytes have come.
 */
final class RowMethods extends ReadMethods {
    private static final String OBJECTS = "[Ljava/lang/Object;";
    private static final String LOOP_DESCRIPTOR = "(L" + READER + ";Ljava/lang/Object;I" + OBJECTS + "I)I";

    // Variables of the loop, beside those of all methods.
    private static final int TARGET = 3;
    private static final int COUNT = 4;
    private static final int LAST_POSITION = 12;
    private static final int FIRST_BYTE = 13;
    /** Where the record begins that is being read. */
    private static final int RECORD = 14;

    private final int mostBytes;

    /**
     * A generator.
     *
     * @param mostBytes as {@link Codec#mostBytes}
     */
    RowMethods(FieldBlock block, CodecPlan plan, String name, ClassWriter classWriter, int mostBytes) {
        super(block, plan, name, classWriter);
        this.mostBytes = mostBytes;
    }

    @Override
    void generate() {
        MethodVisitor m =
                classWriter.visitMethod(ACC_PUBLIC, "readRow", "(L" + READER + ";" + OBJECTS + "I)I", null, null);
        m.visitCode();
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(ACONST_NULL);
        m.visitVarInsn(ALOAD, 1);
        m.visitFieldInsn(GETFIELD, READER, "position", "I");
        m.visitVarInsn(ALOAD, 2);
        m.visitVarInsn(ILOAD, 3);
        m.visitMethodInsn(INVOKESTATIC, name, "readRowLoop", LOOP_DESCRIPTOR, false);
        m.visitInsn(IRETURN);
        end(m);
        generateLoop();
    }

    private void generateLoop() {
        MethodVisitor m = classWriter.visitMethod(ACC_STATIC, "readRowLoop", LOOP_DESCRIPTOR, null, null);
        Object[] variables = {
            READER,
            "java/lang/Object",
            INTEGER,
            OBJECTS,
            INTEGER,
            "[B",
            TOP,
            TOP,
            TOP,
            TOP,
            TOP,
            TOP,
            INTEGER,
            INTEGER,
            INTEGER
        };
        Label loop = new Label();
        Label done = new Label();
        m.visitCode();
        resolve(m, "type", "Ljava/lang/Class;", 0);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitFieldInsn(GETFIELD, READER, "buffer", "[B");
        m.visitVarInsn(ASTORE, BUFFER);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitFieldInsn(GETFIELD, READER, "limit", "I");
        m.visitLdcInsn(mostBytes + 1);
        m.visitInsn(ISUB);
        m.visitVarInsn(ISTORE, LAST_POSITION);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitFieldInsn(GETFIELD, READER, "rowByte", "I");
        m.visitVarInsn(ISTORE, FIRST_BYTE);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitVarInsn(ISTORE, RECORD);

        meet(m, loop, variables);
        m.visitVarInsn(ILOAD, COUNT);
        m.visitVarInsn(ALOAD, TARGET);
        m.visitInsn(ARRAYLENGTH);
        m.visitJumpInsn(IF_ICMPGE, done);
        m.visitVarInsn(ILOAD, RECORD);
        m.visitVarInsn(ILOAD, LAST_POSITION);
        m.visitJumpInsn(IF_ICMPGT, done);
        m.visitVarInsn(ALOAD, BUFFER);
        m.visitVarInsn(ILOAD, RECORD);
        m.visitMethodInsn(INVOKESTATIC, RAW_BYTES, "getByte", "([BI)I", false);
        m.visitVarInsn(ILOAD, FIRST_BYTE);
        m.visitJumpInsn(IF_ICMPNE, done);

        m.visitVarInsn(ILOAD, RECORD);
        m.visitInsn(ICONST_1);
        m.visitInsn(IADD);
        m.visitVarInsn(ISTORE, START);
        m.visitVarInsn(ILOAD, START);
        m.visitLdcInsn(block.controlBytes());
        m.visitInsn(IADD);
        m.visitVarInsn(ISTORE, POSITION);
        allocateInstance(m);
        m.visitVarInsn(ASTORE, OBJECT);
        castObject(m);
        readBlock(m);
        for (int slot = firstReference(); slot < targets.length; slot++) {
            readBox(m, slot, done);
        }
        m.visitVarInsn(ALOAD, TARGET);
        m.visitVarInsn(ILOAD, COUNT);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitInsn(AASTORE);
        m.visitIincInsn(COUNT, 1);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitVarInsn(ISTORE, RECORD);
        m.visitJumpInsn(GOTO, loop);

        meet(m, done, variables);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ILOAD, RECORD);
        m.visitFieldInsn(PUTFIELD, READER, "position", "I");
        m.visitVarInsn(ILOAD, COUNT);
        m.visitInsn(IRETURN);
        end(m);
    }

    /** Reads a box; if there is something else, the record is left to those who can say what is wrong with it. */
    private void readBox(MethodVisitor m, int slot, Label done) {
        String box = targets[slot].field.getType().getSimpleName();
        m.visitVarInsn(ALOAD, BUFFER);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitMethodInsn(INVOKESTATIC, BOX_FORM, "endOf" + box, "([BI)I", false);
        m.visitVarInsn(ISTORE, CODE);
        m.visitVarInsn(ILOAD, CODE);
        m.visitJumpInsn(IFLT, done);
        beginSetField(m, slot);
        m.visitVarInsn(ALOAD, BUFFER);
        m.visitVarInsn(ILOAD, POSITION);
        m.visitMethodInsn(INVOKESTATIC, BOX_FORM, "valueOf" + box, "([BI)Ljava/lang/Object;", false);
        endSetField(m, slot, "Ljava/lang/Object;");
        m.visitVarInsn(ILOAD, CODE);
        m.visitVarInsn(ISTORE, POSITION);
    }
}
