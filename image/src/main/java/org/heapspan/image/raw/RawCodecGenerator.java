package org.heapspan.image.raw;

import static org.objectweb.asm.Opcodes.ACC_FINAL;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ACC_SUPER;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ARETURN;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.DUP;
import static org.objectweb.asm.Opcodes.GETSTATIC;
import static org.objectweb.asm.Opcodes.GOTO;
import static org.objectweb.asm.Opcodes.IADD;
import static org.objectweb.asm.Opcodes.IF_ACMPEQ;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INVOKESPECIAL;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;
import static org.objectweb.asm.Opcodes.LADD;
import static org.objectweb.asm.Opcodes.POP;
import static org.objectweb.asm.Opcodes.PUTSTATIC;
import static org.objectweb.asm.Opcodes.RETURN;
import static org.objectweb.asm.Opcodes.SWAP;
import static org.objectweb.asm.Opcodes.V17;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.generator.CodecGenerator;
import org.heapspan.image.memory.Access;
import org.heapspan.image.serialization.UpdatingCodec;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.JdkClasses;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Generates hidden classes that write and read the copies of one class. The code has no loops, and all offsets are constants. It copies
 * neighbouring primitive fields together, and each reference separately.
 *
 * <p>As with {@link CodecGenerator}, generated code does not name user classes. It gets classes as dynamic constants.
 */
final class RawCodecGenerator {
    private static final String PACKAGE = "org/heapspan/image/raw/";
    private static final String WRITER = PACKAGE + "RawAddressedWriter";
    private static final String READER = PACKAGE + "RawObjectReader";
    private static final String RAW_BYTES = "org/heapspan/image/format/RawBytes";
    private static final String REFERENCE_FIELD = PACKAGE + "RawReferenceField";
    private static final String FORM_DESCRIPTOR = "L" + PACKAGE + "RawForm;";
    private static final String MEMORY = "org/heapspan/vm/RawMemory";
    private static final String OBJECT_DESCRIPTOR = "Ljava/lang/Object;";

    /** Larger classes would make methods that the JIT declines (HotSpot: HugeMethodLimit, 8000 bytes). */
    private static final int MOST_FIELDS = 128;

    private static final MethodType FORM_CONSTRUCTOR = MethodType.methodType(
            void.class, RawLayout.class, Class.class, TypeDescription.class, FieldAccess[].class, boolean.class);
    private static final MethodType READER_CONSTRUCTOR = MethodType.methodType(
            void.class,
            RawLayout.class,
            Class.class,
            UpdatingCodec.class,
            RawClassDescription.class,
            FieldAccess[].class);

    private static final Handle BOOTSTRAP = new Handle(
            Opcodes.H_INVOKESTATIC,
            PACKAGE + "RawCodecGenerator",
            "constant",
            "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;I)Ljava/lang/Object;",
            false);

    // Local variables of the generated methods.
    private static final int THIS = 0;
    private static final int STREAM = 1;
    private static final int OBJECT = 2;
    private static final int WRITE_POSITION = 3;
    private static final int WRITE_BYTES = 4;
    private static final int READ_BYTES = 3;
    private static final int READ_POSITION = 4;

    private final ClassWriter classWriter = new ClassWriter(ClassWriter.COMPUTE_FRAMES);
    private final String name;
    private final boolean ofJdk;

    private RawCodecGenerator(Class<?> superclass, Class<?> type, MethodType constructor) {
        ofJdk = JdkClasses.contain(type);
        name = PACKAGE + "GeneratedRawCodec$" + type.getSimpleName().replaceAll("[^A-Za-z0-9_]", "_");
        String superName = Type.getInternalName(superclass);
        classWriter.visit(V17, ACC_FINAL | ACC_SUPER, name, null, superName, null);
        MethodVisitor m = method("<init>", constructor.toMethodDescriptorString());
        int local = 0;
        m.visitVarInsn(ALOAD, local++);
        for (Class<?> parameter : constructor.parameterList()) {
            m.visitVarInsn(parameter == boolean.class ? ILOAD : ALOAD, local++);
        }
        m.visitMethodInsn(INVOKESPECIAL, superName, "<init>", constructor.toMethodDescriptorString(), false);
        m.visitInsn(RETURN);
        end(m);
    }

    static boolean suits(int fieldCount) {
        return fieldCount <= MOST_FIELDS;
    }

    /** Generates the form that writes copies of a class, as a subclass of a form that has the same constructor. */
    static RawInstanceForm form(
            Class<? extends RawInstanceForm> superclass,
            RawLayout layout,
            Class<?> type,
            TypeDescription description,
            FieldAccess[] fields,
            boolean tracked) {
        RawCodecGenerator generator = new RawCodecGenerator(superclass, type, FORM_CONSTRUCTOR);
        generator.generateWrite(layout, type, RawLayout.classWord(Access.allocate(type)), fields);
        RawInstanceForm form = (RawInstanceForm)
                generator.make(FORM_CONSTRUCTOR, List.of(type), layout, type, description, fields, tracked);
        form.fills = true;
        return form;
    }

    /** Generates what reads copies of a class that lie as described. */
    static RawClass reader(
            RawLayout layout,
            Class<?> type,
            @Nullable UpdatingCodec updating,
            RawClassDescription described,
            @Nullable FieldAccess[] targets) {
        // Its checks come first: generated code relies on the offsets.
        RawClass plain = new RawClass.Instance(layout, type, updating, described, targets);
        if (!suits(targets.length)) {
            return plain;
        }
        RawCodecGenerator generator = new RawCodecGenerator(RawClass.Instance.class, type, READER_CONSTRUCTOR);
        List<Class<?>> constants = new ArrayList<>(List.of(type));
        generator.generateAllocate();
        generator.generateFill(described, targets, constants);
        return (RawClass) generator.make(READER_CONSTRUCTOR, constants, layout, type, updating, described, targets);
    }

    private Object make(MethodType constructor, List<Class<?>> constants, @Nullable Object... arguments) {
        classWriter.visitEnd();
        try {
            MethodHandles.Lookup hidden =
                    MethodHandles.lookup().defineHiddenClassWithClassData(classWriter.toByteArray(), constants, true);
            return hidden.findConstructor(hidden.lookupClass(), constructor).invokeWithArguments(arguments);
        } catch (Throwable e) { // a method handle declares it
            throw new IllegalStateException("cannot generate a raw codec for " + constants.get(0), e);
        }
    }

    /** Bootstrap method of the dynamic constants: one of the classes that the code needs. */
    static Object constant(MethodHandles.Lookup lookup, String name, Class<?> constantType, int index)
            throws IllegalAccessException {
        List<?> classes = MethodHandles.classData(lookup, "_", List.class);
        if (classes == null) {
            throw new IllegalStateException("no classes for " + lookup);
        }
        return classes.get(index);
    }

    private MethodVisitor method(String name, String descriptor) {
        MethodVisitor m = classWriter.visitMethod(0, name, descriptor, null, null);
        m.visitCode();
        return m;
    }

    private static void end(MethodVisitor m) {
        m.visitMaxs(0, 0);
        m.visitEnd();
    }

    private static void memory(MethodVisitor m) {
        m.visitFieldInsn(GETSTATIC, "org/heapspan/image/memory/Access", "RAW", "L" + MEMORY + ";");
    }

    private static void constantClass(MethodVisitor m, int index) {
        m.visitLdcInsn(new ConstantDynamic("class", "Ljava/lang/Class;", BOOTSTRAP, index));
    }

    // ---------------------------------------------------------------- primitive fields

    /** Bytes that move together: from an offset in the image to one in the object. */
    private record Piece(int imageOffset, long objectOffset, int sizeBytes) {
        String suffix() {
            return switch (sizeBytes) {
                case 8 -> "Long";
                case 4 -> "Int";
                case 2 -> "Short";
                default -> "Byte";
            };
        }

        /** What {@link RawBytes} takes. */
        String imageType() {
            return sizeBytes == 8 ? "J" : "I";
        }

        String objectType() {
            return String.valueOf(suffix().charAt(0)).replace('L', 'J');
        }
    }

    private static final class Pieces {
        private final List<Piece> pieces = new ArrayList<>();
        private int imageStart;
        private long objectStart;
        private int sizeBytes;

        /** Adds a field; fields come in the order of their places in the image. */
        void add(int imageOffset, long objectOffset, int fieldBytes) {
            if (imageOffset != imageStart + sizeBytes || objectOffset != objectStart + sizeBytes) {
                flush();
                imageStart = imageOffset;
                objectStart = objectOffset;
            }
            sizeBytes += fieldBytes;
        }

        /** Cuts what lies together into pieces that are aligned in the object, as its accesses have to be. */
        private void flush() {
            int done = 0;
            while (done < sizeBytes) {
                int piece = 8;
                while (piece > sizeBytes - done || (objectStart + done) % piece != 0) {
                    piece /= 2;
                }
                pieces.add(new Piece(imageStart + done, objectStart + done, piece));
                done += piece;
            }
            sizeBytes = 0;
        }

        List<Piece> all() {
            flush();
            return pieces;
        }
    }

    private static void at(MethodVisitor m, int position, int offset) {
        m.visitVarInsn(ILOAD, position);
        if (offset != 0) {
            m.visitLdcInsn(offset);
            m.visitInsn(IADD);
        }
    }

    // ---------------------------------------------------------------- writing

    private void generateWrite(RawLayout layout, Class<?> type, long classWord, FieldAccess[] fields) {
        MethodVisitor m = method("write", "(L" + WRITER + ";" + OBJECT_DESCRIPTOR + "I)V");
        m.visitVarInsn(ALOAD, STREAM);
        m.visitMethodInsn(INVOKEVIRTUAL, WRITER, "objects", "()[B", false);
        m.visitVarInsn(ASTORE, WRITE_BYTES);
        for (int word = Long.BYTES; word < RawInstanceForm.instanceBytes(layout, type); word += Long.BYTES) {
            putConstant(m, word, 0);
        }
        byte[] header = new byte[16];
        layout.putHeader(header, 0, classWord);
        putConstant(m, 0, (long) ImageFormat.LONG.get(header, 0));
        if (!layout.heap().compactHeaders() && layout.heap().classWordSizeBytes() == Integer.BYTES) {
            m.visitVarInsn(ALOAD, WRITE_BYTES);
            at(m, WRITE_POSITION, layout.heap().classWordOffset());
            m.visitLdcInsn((int) ImageFormat.INT.get(header, layout.heap().classWordOffset()));
            m.visitMethodInsn(INVOKESTATIC, RAW_BYTES, "putInt", "([BII)V", false);
        } else if (!layout.heap().compactHeaders()) {
            putConstant(m, layout.heap().classWordOffset(), (long)
                    ImageFormat.LONG.get(header, layout.heap().classWordOffset()));
        }
        Pieces pieces = new Pieces();
        List<FieldAccess> sorted = RawInstanceForm.byOffset(fields);
        for (FieldAccess field : sorted) {
            if (field.field.getType().isPrimitive()) {
                long offset = Access.raw().objectFieldOffset(field.field);
                pieces.add((int) offset, offset, layout.elementBytes(field.field.getType()));
            }
        }
        for (Piece piece : pieces.all()) {
            m.visitVarInsn(ALOAD, WRITE_BYTES);
            at(m, WRITE_POSITION, piece.imageOffset);
            memory(m);
            m.visitVarInsn(ALOAD, OBJECT);
            m.visitLdcInsn(piece.objectOffset);
            m.visitMethodInsn(
                    INVOKEVIRTUAL,
                    MEMORY,
                    "get" + piece.suffix(),
                    "(" + OBJECT_DESCRIPTOR + "J)" + piece.objectType(),
                    false);
            m.visitMethodInsn(
                    INVOKESTATIC, RAW_BYTES, "put" + piece.suffix(), "([BI" + piece.imageType() + ")V", false);
        }
        // References last: the array may be another one after each. First of them those that lead no further, so that
        // patches come
        // in the order of their slots.
        List<FieldAccess> references = sorted.stream()
                .filter(field -> !field.field.getType().isPrimitive())
                .toList();
        generateSlotsOffset(references);
        references.stream().filter(RawCodecGenerator::isValue).forEach(field -> writeReference(m, field, references));
        references.stream().filter(field -> !isValue(field)).forEach(field -> writeReference(m, field, references));
        m.visitInsn(RETURN);
        end(m);
    }

    /** Whether a field refers to constants or to objects that refer to nothing. */
    private static boolean isValue(FieldAccess field) {
        Class<?> type = field.field.getType();
        return RawForms.isValue(type);
    }

    /**
     * The offset of the first reference slot in a static field that is not final. With a constant offset the JIT knows that the
     * slot holds a reference and does not compile reading it as a number into a load (LibraryCallKit::inline_unsafe_access).
     */
    private void generateSlotsOffset(List<FieldAccess> references) {
        if (references.isEmpty()) {
            return;
        }
        MethodVisitor m = classWriter.visitMethod(ACC_STATIC, "<clinit>", "()V", null, null);
        m.visitCode();
        classWriter.visitField(ACC_STATIC, "slots", "J", null, null).visitEnd();
        m.visitLdcInsn(offset(references.get(0)));
        m.visitFieldInsn(PUTSTATIC, name, "slots", "J");
        for (int i = 0; i < references.size(); i++) {
            if (remembers(references.get(i))) {
                classWriter
                        .visitField(ACC_STATIC, "likely" + i, FORM_DESCRIPTOR, null, null)
                        .visitEnd();
                m.visitFieldInsn(GETSTATIC, PACKAGE + "RawForm", "SIDE", FORM_DESCRIPTOR);
                m.visitFieldInsn(PUTSTATIC, name, "likely" + i, FORM_DESCRIPTOR);
            }
        }
        m.visitInsn(RETURN);
        end(m);
    }

    private static long offset(FieldAccess field) {
        return Access.raw().objectFieldOffset(field.field);
    }

    /** Forms of the JDK's classes serve all registries, so that they must not remember forms of users' classes. */
    private boolean remembers(FieldAccess field) {
        return !ofJdk && field.field.getType() != String.class;
    }

    private void writeReference(MethodVisitor m, FieldAccess field, List<FieldAccess> references) {
        String likely = "likely" + references.indexOf(field);
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(offset(field));
        m.visitFieldInsn(GETSTATIC, name, "slots", "J");
        m.visitLdcInsn(offset(field) - offset(references.get(0)));
        m.visitInsn(LADD);
        at(m, WRITE_POSITION, (int) offset(field));
        String parameters = "(L" + WRITER + ";" + OBJECT_DESCRIPTOR + "JJI";
        if (remembers(field)) {
            m.visitFieldInsn(GETSTATIC, name, likely, FORM_DESCRIPTOR);
            m.visitMethodInsn(
                    INVOKESTATIC,
                    REFERENCE_FIELD,
                    "writeLikely",
                    parameters + FORM_DESCRIPTOR + ")" + FORM_DESCRIPTOR,
                    false);
            // Stores of references cost the collector's barriers; most often it is the same form.
            Label same = new Label();
            Label done = new Label();
            m.visitInsn(DUP);
            m.visitFieldInsn(GETSTATIC, name, likely, FORM_DESCRIPTOR);
            m.visitJumpInsn(IF_ACMPEQ, same);
            m.visitVarInsn(ALOAD, THIS);
            m.visitInsn(SWAP);
            m.visitMethodInsn(
                    INVOKEVIRTUAL,
                    PACKAGE + "RawForm",
                    "remembered",
                    "(" + FORM_DESCRIPTOR + ")" + FORM_DESCRIPTOR,
                    false);
            m.visitFieldInsn(PUTSTATIC, name, likely, FORM_DESCRIPTOR);
            m.visitJumpInsn(GOTO, done);
            m.visitLabel(same);
            m.visitInsn(POP);
            m.visitLabel(done);
        } else {
            String method = field.field.getType() == String.class ? "writeString" : "writeAny";
            m.visitMethodInsn(INVOKESTATIC, REFERENCE_FIELD, method, parameters + ")V", false);
        }
    }

    private static void putConstant(MethodVisitor m, int offset, long value) {
        m.visitVarInsn(ALOAD, WRITE_BYTES);
        at(m, WRITE_POSITION, offset);
        m.visitLdcInsn(value);
        m.visitMethodInsn(INVOKESTATIC, RAW_BYTES, "putLong", "([BIJ)V", false);
    }

    // ---------------------------------------------------------------- reading

    private void generateAllocate() {
        MethodVisitor m = method("allocate", "(L" + READER + ";[BI)" + OBJECT_DESCRIPTOR);
        memory(m);
        constantClass(m, 0);
        m.visitMethodInsn(INVOKEVIRTUAL, MEMORY, "allocateInstance", "(Ljava/lang/Class;)Ljava/lang/Object;", false);
        m.visitInsn(ARETURN);
        end(m);
    }

    private void generateFill(
            RawClassDescription described, @Nullable FieldAccess[] targets, List<Class<?>> constants) {
        MethodVisitor m = method("fill", "(L" + READER + ";" + OBJECT_DESCRIPTOR + "[BIJJ)V");
        var slots = new FieldBlock(described.description().levels()).slots;
        int[] offsets = described.offsets();
        Pieces pieces = new Pieces();
        for (int slot : RawClass.Instance.byOffset(offsets)) {
            FieldAccess target = targets[slot];
            char code = slots.get(slot).code();
            if (code == TypeDescription.Field.REFERENCE || code == TypeDescription.Field.STRING) {
                fillReference(m, offsets[slot], target, constants);
            } else if (target != null && code == 'Z') {
                fillBoolean(m, offsets[slot], target);
            } else if (target != null) {
                pieces.add(offsets[slot], Access.raw().objectFieldOffset(target.field), sizeBytes(code));
            }
        }
        for (Piece piece : pieces.all()) {
            memory(m);
            m.visitVarInsn(ALOAD, OBJECT);
            m.visitLdcInsn(piece.objectOffset);
            m.visitVarInsn(ALOAD, READ_BYTES);
            at(m, READ_POSITION, piece.imageOffset);
            m.visitMethodInsn(INVOKESTATIC, RAW_BYTES, "get" + piece.suffix(), "([BI)" + piece.imageType(), false);
            m.visitMethodInsn(
                    INVOKEVIRTUAL,
                    MEMORY,
                    "put" + piece.suffix(),
                    "(" + OBJECT_DESCRIPTOR + "J" + piece.objectType() + ")V",
                    false);
        }
        m.visitInsn(RETURN);
        end(m);
    }

    private static int sizeBytes(char code) {
        return switch (code) {
            case 'J', 'D' -> 8;
            case 'I', 'F' -> 4;
            case 'S', 'C' -> 2;
            default -> 1;
        };
    }

    /** A boolean by itself: whatever the byte is, the field gets 0 or 1. */
    private static void fillBoolean(MethodVisitor m, int imageOffset, FieldAccess target) {
        memory(m);
        m.visitVarInsn(ALOAD, OBJECT);
        m.visitLdcInsn(Access.raw().objectFieldOffset(target.field));
        m.visitVarInsn(ALOAD, READ_BYTES);
        at(m, READ_POSITION, imageOffset);
        m.visitMethodInsn(INVOKESTATIC, RAW_BYTES, "getBoolean", "([BI)Z", false);
        m.visitMethodInsn(INVOKEVIRTUAL, MEMORY, "putBoolean", "(" + OBJECT_DESCRIPTOR + "JZ)V", false);
    }

    private static void fillReference(
            MethodVisitor m, int imageOffset, @Nullable FieldAccess target, List<Class<?>> constants) {
        if (target != null) {
            memory(m);
            m.visitVarInsn(ALOAD, OBJECT);
            m.visitLdcInsn(Access.raw().objectFieldOffset(target.field));
            m.visitVarInsn(ALOAD, THIS);
            constantClass(m, constants.size());
            constants.add(target.field.getType());
            m.visitLdcInsn(imageOffset);
        }
        m.visitVarInsn(ALOAD, STREAM);
        m.visitVarInsn(ALOAD, READ_BYTES);
        at(m, READ_POSITION, imageOffset);
        m.visitMethodInsn(INVOKEVIRTUAL, READER, "readReference", "([BI)" + OBJECT_DESCRIPTOR, false);
        if (target == null) {
            m.visitInsn(POP);
            return;
        }
        m.visitMethodInsn(
                INVOKEVIRTUAL,
                PACKAGE + "RawClass$Instance",
                "checked",
                "(Ljava/lang/Class;I" + OBJECT_DESCRIPTOR + ")" + OBJECT_DESCRIPTOR,
                false);
        m.visitMethodInsn(
                INVOKEVIRTUAL, MEMORY, "putReference", "(" + OBJECT_DESCRIPTOR + "J" + OBJECT_DESCRIPTOR + ")V", false);
    }
}
