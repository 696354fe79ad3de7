package org.heapspan.image;

import static org.objectweb.asm.Opcodes.ACC_FINAL;
import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ACC_SUPER;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ARETURN;
import static org.objectweb.asm.Opcodes.ARRAYLENGTH;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.CHECKCAST;
import static org.objectweb.asm.Opcodes.DUP;
import static org.objectweb.asm.Opcodes.GETFIELD;
import static org.objectweb.asm.Opcodes.GETSTATIC;
import static org.objectweb.asm.Opcodes.I2L;
import static org.objectweb.asm.Opcodes.IADD;
import static org.objectweb.asm.Opcodes.ICONST_0;
import static org.objectweb.asm.Opcodes.ICONST_1;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INVOKESPECIAL;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;
import static org.objectweb.asm.Opcodes.IRETURN;
import static org.objectweb.asm.Opcodes.ISHL;
import static org.objectweb.asm.Opcodes.ISTORE;
import static org.objectweb.asm.Opcodes.L2I;
import static org.objectweb.asm.Opcodes.LADD;
import static org.objectweb.asm.Opcodes.LAND;
import static org.objectweb.asm.Opcodes.LCONST_0;
import static org.objectweb.asm.Opcodes.LLOAD;
import static org.objectweb.asm.Opcodes.LOR;
import static org.objectweb.asm.Opcodes.LSHL;
import static org.objectweb.asm.Opcodes.LSTORE;
import static org.objectweb.asm.Opcodes.LUSHR;
import static org.objectweb.asm.Opcodes.PUTFIELD;
import static org.objectweb.asm.Opcodes.PUTSTATIC;
import static org.objectweb.asm.Opcodes.RETURN;
import static org.objectweb.asm.Opcodes.V17;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Generates, as a hidden class, the codec of a class whose objects travel field by field: straight-line code that writes and
 * reads the form of {@link FieldBlock} with the field offsets as constants.
 *
 * <p>Generated code names no user class: it has classes, expected codecs and hints as dynamic constants resolved at first use
 * from its {@link Plan}. So it can be defined next to this class whatever loader the user's class has, and classes that refer to
 * each other need no order.
 */
final class CodecGenerator {
    private static final String CODEC = "org/heapspan/image/Codec";
    private static final String WRITER = "org/heapspan/image/ImageWriter";
    private static final String FRAME_WRITER = "org/heapspan/image/FrameWriter";
    private static final String READER = "org/heapspan/image/ImageReader";
    private static final String HINT = "org/heapspan/image/TypeHint";
    private static final String BOX_FORM = "org/heapspan/image/BoxForm";
    private static final String REFERENCE_FIELD = "org/heapspan/image/ReferenceField";
    private static final String RAW_BYTES = "org/heapspan/image/RawBytes";
    private static final String BLOCK = "org/heapspan/image/FieldBlock";
    private static final String ACCESS = "org/heapspan/image/Access";
    private static final String MEMORY = "org/heapspan/vm/RawMemory";
    private static final String WRITE_FIELDS_DESCRIPTOR = "(L" + WRITER + ";Ljava/lang/Object;I)I";
    private static final String READ_FIELDS_DESCRIPTOR = "(L" + READER + ";Ljava/lang/Object;)V";
    private static final String PLAN = "org/heapspan/image/CodecGenerator$Plan";
    private static final String DESCRIPTION = "org/heapspan/image/TypeDescription";
    private static final String BODY_DESCRIPTOR = "(L%s;Ljava/lang/Object;L" + HINT + ";)V";

    /** Larger classes would make methods that the JIT declines (HotSpot: HugeMethodLimit, 8000 bytes). */
    private static final int MOST_FIELDS = 128;

    private static final Handle BOOTSTRAP = new Handle(
            Opcodes.H_INVOKESTATIC,
            PLAN,
            "constant",
            "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/Object;",
            false);

    /** Between the kind of a dynamic constant and its slot. */
    private static final char SLOT_MARK = '#';

    private static final int REFERENCES_OF_METHOD = 16;

    /**
     * Up to so many strings in a row are looked at before the first is written, so that the waits for memory overlap; longer rows
     * go through a loop.
     */
    private static final int MOST_UNROLLED_STRINGS = 8;

    // Local variables of the generated methods.
    private static final int STREAM = 0;
    private static final int OBJECT = 1;
    /** Parameter of the writing methods. */
    private static final int POSITION = 2;

    private static final int BUFFER = 5;
    private static final int CONTROL = 6;
    private static final int START = 8;
    private static final int CODE = 9;
    private static final int VALUE = 10;
    /** Two variables for each string, itself and its value; behind them two for each pair of slots. */
    private static final int FIRST_STRING = 12;

    private static final String STRING_FIELDS = "org/heapspan/image/StringFields";
    private static final String STRING_FORM = "org/heapspan/image/StringForm";

    private final FieldBlock block;
    private final FieldAccess[] targets;
    private final Plan plan;
    private final String name;
    private final ClassWriter classWriter = new ClassWriter(ClassWriter.COMPUTE_MAXS);

    private CodecGenerator(Plan plan) {
        this.block = new FieldBlock(plan.description.levels());
        this.targets = plan.targets;
        this.plan = plan;
        this.name = "org/heapspan/image/GeneratedCodec$" + simpleName(plan.type);
    }

    /** What of the class's name may stand in a class file anywhere. */
    private static String simpleName(Class<?> type) {
        StringBuilder plain = new StringBuilder(type.getSimpleName());
        for (int i = 0; i < plain.length(); i++) {
            char c = plain.charAt(i);
            if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')) {
                plain.setCharAt(i, '_');
            }
        }
        return plain.toString();
    }

    static boolean suits(TypeDescription description) {
        int fields = 0;
        for (TypeDescription.Level level : description.levels()) {
            fields += level.fields().size();
        }
        return fields <= MOST_FIELDS;
    }

    static Codec generate(
            CodecRegistry registry, Class<?> type, TypeDescription description, FieldAccess[] targets, int traits) {
        Access.raw().ensureClassInitialized(type);
        CodecGenerator generator = new CodecGenerator(new Plan(registry, type, description, targets, traits));
        byte[] bytes = generator.generate();
        try {
            return (Codec) MethodHandles.lookup()
                    .defineHiddenClassWithClassData(bytes, generator.plan, true)
                    .lookupClass()
                    .getDeclaredConstructor(Plan.class)
                    .newInstance(generator.plan);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("cannot generate a codec for " + type, e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot generate a codec for " + type, e);
        }
    }

    // ---------------------------------------------------------------- constants

    /** What the generated code takes as dynamic constants, and its constructor as its one argument, which needs no conversion. */
    static final class Plan {
        private final CodecRegistry registry;
        final Class<?> type;
        final TypeDescription description;
        final int traits;
        private final FieldAccess[] targets;

        Plan(CodecRegistry registry, Class<?> type, TypeDescription description, FieldAccess[] targets, int traits) {
            this.registry = registry;
            this.type = type;
            this.description = description;
            this.targets = targets;
            this.traits = traits;
        }

        /**
         * Bootstrap method of the dynamic constants. The slot is part of the name: for an argument of its own the JVM would first
         * make up code that converts it.
         */
        static Object constant(MethodHandles.Lookup lookup, String name, Class<?> constantType)
                throws IllegalAccessException {
            Plan plan = MethodHandles.classData(lookup, "_", Plan.class);
            if (plan == null) {
                throw new IllegalStateException("no plan for " + lookup);
            }
            int end = name.indexOf(SLOT_MARK);
            int slot = Integer.parseInt(name, end + 1, name.length(), 10);
            return switch (name.substring(0, end)) {
                case "type" -> plan.type;
                case "declared" -> plan.targets[slot].field.getType();
                case "expected" -> plan.expected(slot);
                case "hint" -> plan.hint(slot);
                case "offsets" -> plan.offsetsOfStrings(slot);
                default -> throw new IllegalArgumentException(name);
            };
        }

        private Codec expected(int slot) {
            return Expectation.codecFor(registry, targets[slot].field.getType());
        }

        private long[] offsetsOfStrings(int firstSlot) {
            long[] offsets = new long[stringsInRow(targets, firstSlot)];
            for (int i = 0; i < offsets.length; i++) {
                offsets[i] = Access.raw().objectFieldOffset(targets[firstSlot + i].field);
            }
            return offsets;
        }

        private TypeHint hint(int slot) {
            return Expectation.hintFor(registry, targets[slot].field.getGenericType());
        }
    }

    private static void constant(MethodVisitor m, String constantName, String descriptor, int slot) {
        m.visitLdcInsn(new ConstantDynamic(constantName + SLOT_MARK + slot, descriptor, BOOTSTRAP));
    }

    // ---------------------------------------------------------------- class

    private byte[] generate() {
        classWriter.visit(V17, ACC_FINAL | ACC_SUPER, name, null, CODEC, null);
        MethodVisitor m = classWriter.visitMethod(0, "<init>", "(L" + PLAN + ";)V", null, null);
        m.visitCode();
        m.visitVarInsn(ALOAD, 0);
        planField(m, "type", "Ljava/lang/Class;");
        planField(m, "description", "L" + DESCRIPTION + ";");
        m.visitInsn(ICONST_0);
        planField(m, "traits", "I");
        m.visitMethodInsn(INVOKESPECIAL, CODEC, "<init>", "(Ljava/lang/Class;L" + DESCRIPTION + ";II)V", false);
        m.visitInsn(RETURN);
        end(m);
        generateSlotsOffset();
        generateAllocate();
        generateWriteBody();
        generateReadBody();
        generateWrite();
        generateRead();
        classWriter.visitEnd();
        return classWriter.toByteArray();
    }

    private static void planField(MethodVisitor m, String field, String descriptor) {
        m.visitVarInsn(ALOAD, 1);
        m.visitFieldInsn(GETFIELD, PLAN, field, descriptor);
    }

    private static void end(MethodVisitor m) {
        m.visitMaxs(0, 0);
        m.visitEnd();
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

    private boolean isReference(int slot) {
        char code = targets[slot].code;
        return code == TypeDescription.Field.STRING || code == TypeDescription.Field.REFERENCE;
    }

    private long offset(int slot) {
        return Access.raw().objectFieldOffset(targets[slot].field);
    }

    private void generateAllocate() {
        MethodVisitor m =
                classWriter.visitMethod(ACC_PUBLIC, "allocate", "(L" + READER + ";)Ljava/lang/Object;", null, null);
        m.visitCode();
        allocateInstance(m);
        m.visitInsn(ARETURN);
        end(m);
    }

    private static void allocateInstance(MethodVisitor m) {
        memory(m);
        constant(m, "type", "Ljava/lang/Class;", 0);
        m.visitMethodInsn(INVOKEVIRTUAL, MEMORY, "allocateInstance", "(Ljava/lang/Class;)Ljava/lang/Object;", false);
    }

    /** Straight to the fields, so that a call from where the codec is not known is one virtual call and not three. */
    private void generateWrite() {
        writeInPlace("write");
        writeInPlace("writeBody");
        MethodVisitor m = classWriter.visitMethod(
                ACC_PUBLIC, "writeAt", "(L" + WRITER + ";Ljava/lang/Object;L" + HINT + ";I)I", null, null);
        m.visitCode();
        m.visitVarInsn(ALOAD, 1);
        m.visitVarInsn(ALOAD, 2);
        m.visitVarInsn(ILOAD, 4);
        m.visitMethodInsn(INVOKESTATIC, name, "writeFields", WRITE_FIELDS_DESCRIPTOR, false);
        m.visitInsn(IRETURN);
        end(m);
    }

    private void writeInPlace(String method) {
        MethodVisitor m =
                classWriter.visitMethod(ACC_PUBLIC, method, BODY_DESCRIPTOR.replace("%s", WRITER), null, null);
        m.visitCode();
        m.visitVarInsn(ALOAD, 1);
        m.visitVarInsn(ALOAD, 1);
        m.visitVarInsn(ALOAD, 2);
        m.visitVarInsn(ALOAD, 1);
        m.visitFieldInsn(GETFIELD, WRITER, "position", "I");
        m.visitMethodInsn(INVOKESTATIC, name, "writeFields", WRITE_FIELDS_DESCRIPTOR, false);
        m.visitFieldInsn(PUTFIELD, WRITER, "position", "I");
        m.visitInsn(RETURN);
        end(m);
    }

    private void generateRead() {
        MethodVisitor body =
                classWriter.visitMethod(ACC_PUBLIC, "readBody", BODY_DESCRIPTOR.replace("%s", READER), null, null);
        body.visitCode();
        body.visitVarInsn(ALOAD, 1);
        body.visitVarInsn(ALOAD, 2);
        body.visitMethodInsn(INVOKESTATIC, name, "readFields", READ_FIELDS_DESCRIPTOR, false);
        body.visitInsn(RETURN);
        end(body);
        MethodVisitor m = classWriter.visitMethod(
                ACC_PUBLIC, "read", "(L" + READER + ";L" + HINT + ";)Ljava/lang/Object;", null, null);
        int object = 3;
        m.visitCode();
        allocateInstance(m);
        m.visitVarInsn(ASTORE, object);
        m.visitVarInsn(ALOAD, 1);
        m.visitVarInsn(ALOAD, object);
        m.visitMethodInsn(INVOKEVIRTUAL, READER, "register", "(Ljava/lang/Object;)V", false);
        m.visitVarInsn(ALOAD, 1);
        m.visitVarInsn(ALOAD, object);
        m.visitMethodInsn(INVOKESTATIC, name, "readFields", READ_FIELDS_DESCRIPTOR, false);
        m.visitVarInsn(ALOAD, object);
        m.visitInsn(ARETURN);
        end(m);
    }

    private static void memory(MethodVisitor m) {
        m.visitFieldInsn(GETSTATIC, ACCESS, "RAW", "L" + MEMORY + ";");
    }

    private void getField(MethodVisitor m, int slot, String method, String valueDescriptor) {
        memory(m);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(offset(slot));
        m.visitMethodInsn(INVOKEVIRTUAL, MEMORY, method, "(Ljava/lang/Object;J)" + valueDescriptor, false);
    }

    private static String suffix(char code) {
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
    private static String carrier(char code) {
        return switch (code) {
            case 'F' -> "I";
            case 'D' -> "J";
            default -> String.valueOf(code);
        };
    }

    /** References in methods of their own beyond the first few, so that each is of a size that the JIT treats well. */
    private void references(MethodVisitor m, boolean writes) {
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
            if (writes) {
                writeReferences(current, slot, count);
            } else {
                readReferences(current, slot, count);
            }
            ofMethod += weight;
            slot += count;
        }
        if (writes) {
            current.visitVarInsn(ILOAD, POSITION);
        }
        current.visitInsn(writes ? IRETURN : RETURN);
        end(current);
    }

    private int firstReference() {
        int slot = 0;
        while (slot < targets.length && !isReference(slot)) {
            slot++;
        }
        return slot;
    }

    private int boxesInRow(int slot) {
        int count = 0;
        while (slot + count < targets.length && BoxForm.handles(targets[slot + count].field.getType())) {
            count++;
        }
        return count;
    }

    private static int stringsInRow(FieldAccess[] targets, int slot) {
        int count = 0;
        while (slot + count < targets.length && targets[slot + count].code == TypeDescription.Field.STRING) {
            count++;
        }
        return count;
    }

    private static boolean loops(int strings) {
        return strings > MOST_UNROLLED_STRINGS;
    }

    /** Lets the JIT know the class of the object, and with it what else its fields cannot be. */
    private static void castObject(MethodVisitor m) {
        constant(m, "type", "Ljava/lang/Class;", 0);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitMethodInsn(INVOKEVIRTUAL, "java/lang/Class", "cast", "(Ljava/lang/Object;)Ljava/lang/Object;", false);
        m.visitVarInsn(ASTORE, OBJECT);
    }

    // ---------------------------------------------------------------- writing

    private void generateWriteBody() {
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

    private void writeReferences(MethodVisitor m, int firstSlot, int count) {
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

    private static int sizeBytes(char code) {
        return switch (code) {
            case 'D' -> 8;
            case 'F' -> 4;
            case 'S', 'C' -> 2;
            default -> 1;
        };
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
        m.visitMethodInsn(INVOKESTATIC, STRING_FORM, "reserveUnit", "(L" + FRAME_WRITER + ";JII)I", false);
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
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(offset(slot));
        unknownOffset(m, offset(slot));
        String field = "(L" + WRITER + ";Ljava/lang/Object;JJ";
        if (targets[slot].code == TypeDescription.Field.STRING) {
            writeAtPosition(m, REFERENCE_FIELD, "writeString", field);
        } else if (Expectation.exists(targets[slot].field.getType())) {
            constant(m, "expected", "L" + CODEC + ";", slot);
            constant(m, "hint", "L" + HINT + ";", slot);
            writeAtPosition(m, REFERENCE_FIELD, "writeExpected", field + "L" + CODEC + ";L" + HINT + ";");
        } else {
            constant(m, "hint", "L" + HINT + ";", slot);
            writeAtPosition(m, REFERENCE_FIELD, "writeAny", field + "L" + HINT + ";");
        }
    }

    /** Calls a method that takes the position as its last parameter and returns the next one. */
    private static void writeAtPosition(MethodVisitor m, String owner, String method, String parameters) {
        m.visitVarInsn(ILOAD, POSITION);
        m.visitMethodInsn(INVOKESTATIC, owner, method, parameters + "I)I", false);
        m.visitVarInsn(ISTORE, POSITION);
    }

    // ---------------------------------------------------------------- reading

    private void generateReadBody() {
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

    private void readReferences(MethodVisitor m, int firstSlot, int count) {
        if (loops(count)) {
            m.visitVarInsn(ALOAD, STREAM);
            m.visitVarInsn(ALOAD, OBJECT);
            constant(m, "offsets", "[J", firstSlot);
            m.visitMethodInsn(INVOKESTATIC, STRING_FIELDS, "read", "(L" + READER + ";Ljava/lang/Object;[J)V", false);
        } else {
            readReference(m, firstSlot);
        }
    }

    private void readBlock(MethodVisitor m) {
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
    private void beginSetField(MethodVisitor m, int slot) {
        memory(m);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(offset(slot));
    }

    private void endSetField(MethodVisitor m, int slot, String valueDescriptor) {
        m.visitMethodInsn(
                INVOKEVIRTUAL,
                MEMORY,
                "put" + suffix(targets[slot].code),
                "(Ljava/lang/Object;J" + valueDescriptor + ")V",
                false);
    }

    private void readReference(MethodVisitor m, int slot) {
        beginSetField(m, slot);
        pushReference(m, slot);
        endSetField(m, slot, "Ljava/lang/Object;");
    }

    private void pushReference(MethodVisitor m, int slot) {
        m.visitVarInsn(ALOAD, STREAM);
        if (targets[slot].code == TypeDescription.Field.STRING) {
            m.visitMethodInsn(INVOKEVIRTUAL, READER, "readString", "()Ljava/lang/String;", false);
            return;
        }
        Class<?> declared = targets[slot].field.getType();
        if (BoxForm.handles(declared)) {
            m.visitMethodInsn(
                    INVOKESTATIC,
                    BOX_FORM,
                    "read" + declared.getSimpleName(),
                    "(L" + READER + ";)Ljava/lang/Object;",
                    false);
            return;
        }
        if (declared == Object.class) {
            constant(m, "hint", "L" + HINT + ";", slot);
            m.visitMethodInsn(INVOKEVIRTUAL, READER, "readReference", "(L" + HINT + ";)Ljava/lang/Object;", false);
            return;
        }
        if (Expectation.exists(declared)) {
            constant(m, "expected", "L" + CODEC + ";", slot);
            constant(m, "declared", "Ljava/lang/Class;", slot);
            constant(m, "hint", "L" + HINT + ";", slot);
            m.visitMethodInsn(
                    INVOKEVIRTUAL,
                    READER,
                    "readExpected",
                    "(L" + CODEC + ";Ljava/lang/Class;L" + HINT + ";)Ljava/lang/Object;",
                    false);
        } else {
            constant(m, "declared", "Ljava/lang/Class;", slot);
            constant(m, "hint", "L" + HINT + ";", slot);
            m.visitMethodInsn(
                    INVOKEVIRTUAL,
                    READER,
                    "readDeclared",
                    "(Ljava/lang/Class;L" + HINT + ";)Ljava/lang/Object;",
                    false);
        }
    }
}
