package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Spark's estimator asks only where its file is the known one, and else stays as it is. */
final class SizeEstimatorClassTest {
    private static final String SEARCH_STATE = "org/apache/spark/util/SizeEstimator$SearchState.class";

    @Test
    void asksAFunctionAndSearchesIfThatDoesNotAnswer() throws Exception {
        SparkCopy spark = SparkCopy.alone();
        List<Object> object = new ArrayList<>(List.of("one", 2));
        long known = SparkCopy.alone().estimate(object);
        SizeEstimatorClass estimator = SizeEstimatorClass.open(spark.neighbour());
        List<Object> asked = new ArrayList<>();
        assertThat(spark.estimate(object)).isEqualTo(known);
        estimator.ask(any -> asked.add(any) ? 4711 : 0);
        assertThat(spark.estimate(object)).isEqualTo(4711);
        assertThat(asked).hasSize(1).first().isSameAs(object);
        estimator.ask(any -> 0);
        assertThat(spark.estimate(object)).isZero();
        estimator.ask(any -> -1);
        assertThat(spark.estimate(object)).isEqualTo(known);
        estimator.ask(null);
        assertThat(spark.estimate(object)).isEqualTo(known);
    }

    @Test
    void findsTheClassThatItHasDefined() throws Exception {
        SparkCopy spark = SparkCopy.alone();
        SizeEstimatorClass first = SizeEstimatorClass.open(spark.neighbour());
        SizeEstimatorClass second = SizeEstimatorClass.open(spark.neighbour());
        first.ask(any -> 1);
        assertThat(second.asked()).isNotNull();
        second.ask(null);
        assertThat(first.asked()).isNull();
    }

    /** A class that does the same, in a file with other bytes. */
    @Test
    void standsAsideIfTheFileIsAnother() throws Exception {
        ClassReader reader = new ClassReader(SparkCopy.original(SizeEstimatorClass.FILE));
        ClassWriter writer = new ClassWriter(0);
        reader.accept(writer, ClassReader.SKIP_DEBUG);
        SparkCopy spark = SparkCopy.alone().with(SizeEstimatorClass.FILE, writer.toByteArray());
        assertThatThrownBy(() -> SizeEstimatorClass.open(spark.neighbour()))
                .isInstanceOf(ClassNotFoundException.class)
                .hasMessageContaining(SizeEstimatorClass.FILE + " is not the file of Spark 4.3.0")
                .hasMessageContaining(writer.toByteArray().length + " bytes");
        assertThat(isAsking(spark)).isFalse();
        assertThat(spark.estimate("text")).isEqualTo(SparkCopy.alone().estimate("text"));
    }

    @Test
    void standsAsideIfAFileBesideIsAnother() throws Exception {
        byte[] content = SparkCopy.original(SEARCH_STATE);
        content[content.length - 1] ^= 1;
        SparkCopy spark = SparkCopy.alone().with(SEARCH_STATE, content);
        assertThatThrownBy(() -> SizeEstimatorClass.open(spark.neighbour()))
                .hasMessageContaining(SEARCH_STATE + " is not the file of Spark 4.3.0");
        SparkCopy without = SparkCopy.alone().with(SEARCH_STATE, new byte[0]);
        assertThatThrownBy(() -> SizeEstimatorClass.open(without.neighbour()))
                .hasMessageContaining("the class path has no file " + SEARCH_STATE);
    }

    @Test
    void standsAsideIfSparkHasLoadedIt() throws Exception {
        SparkCopy spark = SparkCopy.alone();
        long known = spark.estimate("text");
        assertThatThrownBy(() -> SizeEstimatorClass.open(spark.neighbour()))
                .isInstanceOf(IllegalAccessException.class)
                .hasMessageContaining("Spark used its SizeEstimator before Heapspan started in this JVM");
        assertThat(spark.estimate("text")).isEqualTo(known);
    }

    /** The patch of the file, and a library that changes class files, have the same result. */
    @Test
    void theFileIsChangedAsTheLinesSay() throws Exception {
        byte[] original = SparkCopy.original(SizeEstimatorClass.FILE);
        assertThat(EstimatorPatch.of(original)).isEqualTo(AskingEstimator.of(original));
    }

    /** All fields and methods are there as they were, in their order, but for one field more. */
    @Test
    void changesNothingElse() throws Exception {
        byte[] original = SparkCopy.original(SizeEstimatorClass.FILE);
        List<String> before = members(original);
        List<String> after = members(EstimatorPatch.of(original));
        assertThat(before).hasSizeGreaterThan(50);
        assertThat(after).containsOnlyOnce(EstimatorPatch.FUNCTION + " Ljava/util/function/ToLongFunction;");
        after.remove(EstimatorPatch.FUNCTION + " Ljava/util/function/ToLongFunction;");
        assertThat(after).isEqualTo(before);
    }

    /** With the number of instructions and jumps of each method, but of the one that asks. */
    private static List<String> members(byte[] file) {
        List<String> members = new ArrayList<>();
        new ClassReader(file)
                .accept(
                        new ClassVisitor(Opcodes.ASM9) {
                            @Override
                            public FieldVisitor visitField(
                                    int access, String name, String descriptor, String signature, Object value) {
                                members.add(name + " " + descriptor);
                                return null;
                            }

                            @Override
                            public MethodVisitor visitMethod(
                                    int access, String name, String descriptor, String signature, String[] thrown) {
                                int index = members.size();
                                members.add(access + " " + name + descriptor);
                                boolean asks = name.equals("estimate") && descriptor.equals("(Ljava/lang/Object;)J");
                                return asks ? null : new CallsOf(members, index);
                            }
                        },
                        0);
        return members;
    }

    private static final class CallsOf extends MethodVisitor {
        private final List<String> members;
        private final int index;

        CallsOf(List<String> members, int index) {
            super(Opcodes.ASM9);
            this.members = members;
            this.index = index;
        }

        private void more(String what) {
            members.set(index, members.get(index) + " " + what);
        }

        @Override
        public void visitInsn(int opcode) {
            more(String.valueOf(opcode));
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            more(opcode + owner + name + descriptor);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            more(opcode + owner + name);
        }
    }

    private static boolean isAsking(SparkCopy spark) throws ClassNotFoundException {
        for (var field : spark.loadClass(SizeEstimatorClass.NAME).getDeclaredFields()) {
            if (field.getName().equals(EstimatorPatch.FUNCTION)) {
                return true;
            }
        }
        return false;
    }
}
