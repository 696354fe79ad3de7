package org.heapspan.image.generator;

import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.GETSTATIC;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;
import static org.objectweb.asm.Opcodes.IRETURN;
import static org.objectweb.asm.Opcodes.RETURN;

import org.heapspan.image.memory.Access;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What the methods that {@link CodecGenerator} makes have in common: names, local variables, and how references are spread over
 * methods.
 */
abstract class FieldMethods {
    static final String CODEC = "org/heapspan/image/graph/Codec";
    static final String WRITER = "org/heapspan/image/graph/ImageWriter";
    static final String BYTE_WRITER = "org/heapspan/image/graph/ByteWriter";
    static final String READER = "org/heapspan/image/graph/ImageReader";
    static final String KNOWN = "org/heapspan/image/graph/KnownCodec";
    static final String HINT = "org/heapspan/image/graph/TypeHint";
    static final String BOX_FORM = "org/heapspan/image/generator/BoxForm";
    static final String REFERENCE_FIELD = "org/heapspan/image/generator/ReferenceField";
    static final String RAW_BYTES = "org/heapspan/image/format/RawBytes";
    static final String BLOCK = "org/heapspan/image/type/FieldBlock";
    static final String ACCESS = "org/heapspan/image/memory/Access";
    static final String MEMORY = "org/heapspan/vm/RawMemory";
    static final String WRITE_FIELDS_DESCRIPTOR = "(L" + WRITER + ";Ljava/lang/Object;I)I";
    static final String READ_FIELDS_DESCRIPTOR = "(L" + READER + ";Ljava/lang/Object;)V";
    static final String PLAN = "org/heapspan/image/generator/CodecPlan";
    static final String DESCRIPTION = "org/heapspan/image/type/TypeDescription";
    static final String WRITE_AT_DESCRIPTOR = "(L" + WRITER + ";Ljava/lang/Object;L" + HINT + ";I)I";
    static final String READ_DESCRIPTOR = "(L" + READER + ";L" + HINT + ";)Ljava/lang/Object;";
    static final String BODY_DESCRIPTOR = "(L%s;Ljava/lang/Object;L" + HINT + ";)V";

    static final Handle BOOTSTRAP = new Handle(
            Opcodes.H_INVOKESTATIC,
            PLAN,
            "constant",
            "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/Object;",
            false);

    /** Between the kind of a dynamic constant and its slot. */
    static final char SLOT_MARK = '#';

    static final int REFERENCES_OF_METHOD = 16;

    /**
     * Up to so many strings in a row are looked at before the first is written, so that the waits for memory overlap; longer rows
     * go through a loop.
     */
    static final int MOST_UNROLLED_STRINGS = 8;

    // Local variables of the generated methods.
    static final int STREAM = 0;
    static final int OBJECT = 1;
    /** Parameter of the writing methods. */
    static final int POSITION = 2;

    static final int BUFFER = 5;
    static final int CONTROL = 6;
    static final int START = 8;
    static final int CODE = 9;
    static final int VALUE = 10;
    /** Where {@link #VALUE} is not in use. */
    static final int REFERENCE = 10;

    static final int BITS = 11;
    /** Two variables for each string, itself and its value; behind them two for each pair of slots. */
    static final int FIRST_STRING = 12;

    static final String STRING_FIELDS = "org/heapspan/image/generator/StringFields";
    static final String STRING_FORM = "org/heapspan/image/graph/StringForm";

    final FieldBlock block;
    final FieldAccess[] targets;
    /** The class whose fields they are. */
    final Class<?> type;

    /** Internal name of the class that is made. */
    final String name;

    final ClassWriter classWriter;

    FieldMethods(FieldBlock block, CodecPlan plan, String name, ClassWriter classWriter) {
        this.block = block;
        this.targets = plan.targets;
        this.type = plan.type;
        this.name = name;
        this.classWriter = classWriter;
    }

    /** Handles reference fields in a row. */
    abstract void references(MethodVisitor m, int firstSlot, int count);

    static void constant(MethodVisitor m, String constantName, String descriptor, int slot) {
        m.visitLdcInsn(new ConstantDynamic(constantName + SLOT_MARK + slot, descriptor, BOOTSTRAP));
    }

    /**
     * Resolves a constant that is used behind a branch: the JIT of JDK 17 gives up a method with a dynamic constant that nobody has
     * asked for yet.
     */
    static void resolve(MethodVisitor m, String constantName, String descriptor, int slot) {
        constant(m, constantName, descriptor, slot);
        m.visitInsn(Opcodes.POP);
    }

    /** Declares what the variables hold where two ways meet, for the verifier; all others hold nothing from there on. */
    static void meet(MethodVisitor m, Label label, Object... variables) {
        m.visitLabel(label);
        m.visitFrame(Opcodes.F_FULL, variables.length, variables, 0, new Object[0]);
        // Two frames may not describe one place.
        m.visitInsn(Opcodes.NOP);
    }

    static void complement(MethodVisitor m, int variable) {
        m.visitVarInsn(ILOAD, variable);
        m.visitInsn(Opcodes.ICONST_M1);
        m.visitInsn(Opcodes.IXOR);
        m.visitVarInsn(Opcodes.ISTORE, variable);
    }

    static void end(MethodVisitor m) {
        m.visitMaxs(0, 0);
        m.visitEnd();
    }

    boolean isReference(int slot) {
        char code = targets[slot].code;
        return code == TypeDescription.Field.STRING || code == TypeDescription.Field.REFERENCE;
    }

    boolean isString(int slot) {
        return targets[slot].code == TypeDescription.Field.STRING;
    }

    /**
     * The class that an object in a reference slot most likely has; {@link Expectation#exists} tells whether it says anything. Another one than
     * the declared class only tells what to compare with first.
     */
    Class<?> bound(int slot) {
        return BoundType.classOf(type, targets[slot].field);
    }

    long offset(int slot) {
        return Access.raw().objectFieldOffset(targets[slot].field);
    }

    static void allocateInstance(MethodVisitor m) {
        memory(m);
        constant(m, "type", "Ljava/lang/Class;", 0);
        m.visitMethodInsn(INVOKEVIRTUAL, MEMORY, "allocateInstance", "(Ljava/lang/Class;)Ljava/lang/Object;", false);
    }

    static void memory(MethodVisitor m) {
        m.visitFieldInsn(GETSTATIC, ACCESS, "RAW", "L" + MEMORY + ";");
    }

    static String suffix(char code) {
        return switch (code) {
            case 'Z' -> "Boolean";
            case 'B' -> "Byte";
            case 'S' -> "Short";
            case 'C' -> "Char";
            case 'I', 'F' -> "Int";
            case 'J', 'D' -> "Long";
            default -> "Reference";
        };
    }

    /** The type by which a field's bits are moved: floating-point numbers as integers. */
    static String carrier(char code) {
        return switch (code) {
            case 'F' -> "I";
            case 'D' -> "J";
            default -> String.valueOf(code);
        };
    }

    static int sizeBytes(char code) {
        return switch (code) {
            case 'D' -> 8;
            case 'F' -> 4;
            case 'S', 'C' -> 2;
            default -> 1;
        };
    }

    /** References in methods of their own beyond the first few, so that each is of a size that the JIT treats well. */
    final void references(MethodVisitor m, boolean writes) {
        String descriptor = writes ? WRITE_FIELDS_DESCRIPTOR : READ_FIELDS_DESCRIPTOR;
        MethodVisitor current = m;
        int ofMethod = 0;
        int slot = firstReference();
        while (slot < targets.length) {
            int strings = stringsInRow(targets, slot);
            int count = Math.max(1, writes || loops(strings) ? Math.max(strings, boxesInRow(slot)) : 1);
            int weight = loops(strings) ? 1 : count;
            if (ofMethod > 0 && ofMethod + weight > REFERENCES_OF_METHOD) {
                String next = (writes ? "writeReferences" : "readReferences") + slot;
                current.visitVarInsn(ALOAD, STREAM);
                current.visitVarInsn(ALOAD, OBJECT);
                if (writes) {
                    current.visitVarInsn(ILOAD, POSITION);
                }
                current.visitMethodInsn(INVOKESTATIC, name, next, descriptor, false);
                current.visitInsn(writes ? IRETURN : RETURN);
                end(current);
                current = classWriter.visitMethod(ACC_STATIC, next, descriptor, null, null);
                current.visitCode();
                castObject(current);
                ofMethod = 0;
            }
            references(current, slot, count);
            ofMethod += weight;
            slot += count;
        }
        if (writes) {
            current.visitVarInsn(ILOAD, POSITION);
        }
        current.visitInsn(writes ? IRETURN : RETURN);
        end(current);
    }

    int firstReference() {
        int slot = 0;
        while (slot < targets.length && !isReference(slot)) {
            slot++;
        }
        return slot;
    }

    int boxesInRow(int slot) {
        int count = 0;
        while (slot + count < targets.length && BoxForm.handles(targets[slot + count].field.getType())) {
            count++;
        }
        return count;
    }

    static int stringsInRow(FieldAccess[] targets, int slot) {
        int count = 0;
        while (slot + count < targets.length && targets[slot + count].code == TypeDescription.Field.STRING) {
            count++;
        }
        return count;
    }

    static boolean loops(int strings) {
        return strings > MOST_UNROLLED_STRINGS;
    }

    /** Lets the JIT know the class of the object, and with it what else its fields cannot be. */
    static void castObject(MethodVisitor m) {
        constant(m, "type", "Ljava/lang/Class;", 0);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitMethodInsn(INVOKEVIRTUAL, "java/lang/Class", "cast", "(Ljava/lang/Object;)Ljava/lang/Object;", false);
        m.visitVarInsn(ASTORE, OBJECT);
    }
}
