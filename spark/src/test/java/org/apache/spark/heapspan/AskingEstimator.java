package org.apache.spark.heapspan;

import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ACC_SYNTHETIC;
import static org.objectweb.asm.Opcodes.ACC_VOLATILE;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ASM9;
import static org.objectweb.asm.Opcodes.ASTORE;
import static org.objectweb.asm.Opcodes.F_APPEND;
import static org.objectweb.asm.Opcodes.GETSTATIC;
import static org.objectweb.asm.Opcodes.IFLT;
import static org.objectweb.asm.Opcodes.IFNULL;
import static org.objectweb.asm.Opcodes.INVOKEINTERFACE;
import static org.objectweb.asm.Opcodes.LCMP;
import static org.objectweb.asm.Opcodes.LCONST_0;
import static org.objectweb.asm.Opcodes.LLOAD;
import static org.objectweb.asm.Opcodes.LRETURN;
import static org.objectweb.asm.Opcodes.LSTORE;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/** Changes the class file of {@code SizeEstimator$} as {@link EstimatorPatch} says, by a library that changes class files. */
final class AskingEstimator extends ClassVisitor {
    private static final String CLASS = "org/apache/spark/util/SizeEstimator$";
    private static final String FUNCTION_TYPE = "java/util/function/ToLongFunction";
    private static final String FUNCTION_DESCRIPTOR = "L" + FUNCTION_TYPE + ";";

    /** Local variable of the argument. Variable 0 is the estimator itself. */
    private static final int OBJECT = 1;

    private static final int ASKED = 2;
    private static final int ANSWER = 3;

    private AskingEstimator(ClassVisitor next) {
        super(ASM9, next);
    }

    /** Changes Spark's class file. */
    static byte[] of(byte[] content) {
        ClassReader reader = new ClassReader(content);
        // With this argument unchanged methods are copied as they are.
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new AskingEstimator(writer), 0);
        return writer.toByteArray();
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
        return name.equals("estimate") && descriptor.equals("(Ljava/lang/Object;)J") ? new Beginning(method) : method;
    }

    @Override
    public void visitEnd() {
        super.visitField(
                        ACC_PUBLIC | ACC_STATIC | ACC_VOLATILE | ACC_SYNTHETIC,
                        EstimatorPatch.FUNCTION,
                        FUNCTION_DESCRIPTOR,
                        null,
                        null)
                .visitEnd();
        super.visitEnd();
    }

    private static final class Beginning extends MethodVisitor {
        Beginning(MethodVisitor next) {
            super(ASM9, next);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            Label search = new Label();
            super.visitFieldInsn(GETSTATIC, CLASS, EstimatorPatch.FUNCTION, FUNCTION_DESCRIPTOR);
            super.visitVarInsn(ASTORE, ASKED);
            super.visitVarInsn(ALOAD, ASKED);
            super.visitJumpInsn(IFNULL, search);
            super.visitVarInsn(ALOAD, ASKED);
            super.visitVarInsn(ALOAD, OBJECT);
            super.visitMethodInsn(INVOKEINTERFACE, FUNCTION_TYPE, "applyAsLong", "(Ljava/lang/Object;)J", true);
            super.visitVarInsn(LSTORE, ANSWER);
            super.visitVarInsn(LLOAD, ANSWER);
            super.visitInsn(LCONST_0);
            super.visitInsn(LCMP);
            super.visitJumpInsn(IFLT, search);
            super.visitVarInsn(LLOAD, ANSWER);
            super.visitInsn(LRETURN);
            super.visitLabel(search);
            super.visitFrame(F_APPEND, 1, new Object[] {FUNCTION_TYPE}, 0, null);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            super.visitMaxs(Math.max(maxStack, 4), Math.max(maxLocals, ANSWER + 2));
        }
    }
}
