package org.heapspan.image.generator;

import static org.heapspan.image.generator.FieldMethods.BODY_DESCRIPTOR;
import static org.heapspan.image.generator.FieldMethods.CODEC;
import static org.heapspan.image.generator.FieldMethods.DESCRIPTION;
import static org.heapspan.image.generator.FieldMethods.PLAN;
import static org.heapspan.image.generator.FieldMethods.READER;
import static org.heapspan.image.generator.FieldMethods.READ_DESCRIPTOR;
import static org.heapspan.image.generator.FieldMethods.READ_FIELDS_DESCRIPTOR;
import static org.heapspan.image.generator.FieldMethods.WRITER;
import static org.heapspan.image.generator.FieldMethods.WRITE_AT_DESCRIPTOR;
import static org.heapspan.image.generator.FieldMethods.WRITE_FIELDS_DESCRIPTOR;
import static org.heapspan.image.generator.FieldMethods.allocateInstance;
import static org.heapspan.image.generator.FieldMethods.end;
import static org.objectweb.asm.Opcodes.ACC_FINAL;
import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_SUPER;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ARETURN;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.GETFIELD;
import static org.objectweb.asm.Opcodes.ICONST_0;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INVOKESPECIAL;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;
import static org.objectweb.asm.Opcodes.IRETURN;
import static org.objectweb.asm.Opcodes.PUTFIELD;
import static org.objectweb.asm.Opcodes.RETURN;
import static org.objectweb.asm.Opcodes.V17;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;

/**
 * Generates, as a hidden class, the codec of a class whose objects travel field by field: straight-line code that writes and
 * reads the form of {@link FieldBlock} with the field offsets as constants.
 *
 * <p>Generated code names no user class: it has classes, expected codecs and hints as dynamic constants resolved at first use
 * from its {@link CodecPlan}. So it can be defined next to this class whatever loader the user's class has, and classes that refer to
 * each other need no order.
 */
public final class CodecGenerator {
    /** Larger classes would make methods that the JIT declines (HotSpot: HugeMethodLimit, 8000 bytes). */
    private static final int MOST_FIELDS = 128;

    private final CodecPlan plan;
    private final FieldBlock block;
    private final FieldAccess[] targets;
    private final String name;

    /** As {@link Codec#mostBytes}. */
    private final int mostBytes;

    private final ClassWriter classWriter = new ClassWriter(ClassWriter.COMPUTE_MAXS);

    private CodecGenerator(CodecPlan plan) {
        this.plan = plan;
        this.block = new FieldBlock(plan.description.levels());
        this.targets = plan.targets;
        this.name = "org/heapspan/image/generator/GeneratedCodec$" + simpleName(plan.type);
        this.mostBytes = mostBytes(block, targets);
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

    public static boolean suits(TypeDescription description) {
        int fields = 0;
        for (TypeDescription.Level level : description.levels()) {
            fields += level.fields().size();
        }
        return fields <= MOST_FIELDS;
    }

    public static Codec generate(
            CodecRegistry registry, Class<?> type, TypeDescription description, FieldAccess[] targets, int traits) {
        Access.raw().ensureClassInitialized(type);
        CodecGenerator generator = new CodecGenerator(new CodecPlan(registry, type, description, targets, traits));
        byte[] bytes = generator.generate();
        try {
            Codec codec = (Codec) MethodHandles.lookup()
                    .defineHiddenClassWithClassData(bytes, generator.plan, true)
                    .lookupClass()
                    .getDeclaredConstructor(CodecPlan.class)
                    .newInstance(generator.plan);
            codec.mostBytes = generator.mostBytes;
            return codec;
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("cannot generate a codec for " + type, e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot generate a codec for " + type, e);
        }
    }

    private static int mostBytes(FieldBlock block, FieldAccess[] targets) {
        int boxes = 0;
        for (FieldAccess target : targets) {
            Class<?> type = target.field.getType();
            if (BoxForm.handles(type)) {
                boxes++;
            } else if (!type.isPrimitive()) {
                return 0;
            }
        }
        return block.limitBytes() + FieldBlock.SLACK_BYTES + boxes * BoxForm.LIMIT_BYTES;
    }

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
        generateAllocate();
        new WriteMethods(block, plan, name, classWriter).generate();
        new ReadMethods(block, plan, name, classWriter).generate();
        new ElementMethods(name, classWriter).generate();
        new CopyMethods(block, plan, name, classWriter).generate();
        if (mostBytes > 0) {
            new RowMethods(block, plan, name, classWriter, mostBytes).generate();
        }
        generateWrite();
        generateRead();
        classWriter.visitEnd();
        return classWriter.toByteArray();
    }

    private static void planField(MethodVisitor m, String field, String descriptor) {
        m.visitVarInsn(ALOAD, 1);
        m.visitFieldInsn(GETFIELD, PLAN, field, descriptor);
    }

    private void generateAllocate() {
        MethodVisitor m =
                classWriter.visitMethod(ACC_PUBLIC, "allocate", "(L" + READER + ";)Ljava/lang/Object;", null, null);
        m.visitCode();
        allocateInstance(m);
        m.visitInsn(ARETURN);
        end(m);
    }

    /** Straight to the fields, so that a call from where the codec is not known is one virtual call and not three. */
    private void generateWrite() {
        writeInPlace("write");
        writeInPlace("writeBody");
        MethodVisitor m = classWriter.visitMethod(ACC_PUBLIC, "writeAt", WRITE_AT_DESCRIPTOR, null, null);
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
        MethodVisitor m = classWriter.visitMethod(ACC_PUBLIC, "read", READ_DESCRIPTOR, null, null);
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
}
