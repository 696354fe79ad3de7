package org.heapspan.tests.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The rules of {@link ModulePlanTest} notice classes, made for the purpose, that break them. */
@Tag("once")
final class ModulePlanViolationTest {
    @TempDir
    Path folder;

    /**
     * A class that breaks a rule.
     *
     * @param rule the rule
     * @param packageName where the class is, with slashes
     * @param what what is wrong with it, for reports
     * @param code what it does
     */
    private record Violation(ArchRule rule, String packageName, String what, Consumer<MethodVisitor> code) {
        @Override
        public String toString() {
            return packageName + " " + what;
        }
    }

    private static Violation calls(ArchRule rule, String packageName, String owner, String method) {
        return new Violation(rule, packageName, "calls " + owner + "." + method, call(owner, method, "()V"));
    }

    private static Consumer<MethodVisitor> call(String owner, String method, String descriptor) {
        return code -> {
            if (descriptor.equals("(I)V")) {
                code.visitInsn(Opcodes.ICONST_0);
            }
            code.visitMethodInsn(Opcodes.INVOKESTATIC, owner, method, descriptor, false);
        };
    }

    private static Consumer<MethodVisitor> field(String name) {
        return code -> {
            code.visitFieldInsn(Opcodes.GETSTATIC, "java/lang/System", name, "Ljava/io/PrintStream;");
            code.visitInsn(Opcodes.POP);
        };
    }

    private static Consumer<MethodVisitor> on(String owner, String method, String descriptor) {
        return code -> {
            code.visitInsn(Opcodes.ACONST_NULL);
            code.visitTypeInsn(Opcodes.CHECKCAST, owner);
            if (descriptor.equals("(I)V")) {
                code.visitInsn(Opcodes.ICONST_0);
            }
            code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, owner, method, descriptor, false);
        };
    }

    static List<Violation> violations() {
        ArchRule insides = ModulePlanTest.ONLY_VM_KNOWS_THE_INSIDES_OF_THE_JDK;
        ArchRule framework = ModulePlanTest.NOTHING_BELOW_THE_ADAPTERS_KNOWS_A_FRAMEWORK;
        ArchRule prints = ModulePlanTest.A_LIBRARY_NEVER_PRINTS;
        ArchRule exits = ModulePlanTest.A_LIBRARY_NEVER_EXITS;
        return List.of(
                calls(ModulePlanTest.VM_DEPENDS_ON_THE_JDK_ONLY, "org/heapspan/vm", "org/heapspan/Heapspan", "create"),
                calls(ModulePlanTest.IMAGE_DEPENDS_ON_VM_ONLY, "org/heapspan/image", "org/heapspan/cli/Main", "main"),
                calls(ModulePlanTest.IMAGE_DEPENDS_ON_VM_ONLY, "org/heapspan", "org/slf4j/LoggerFactory", "getLogger"),
                calls(
                        ModulePlanTest.CLI_DEPENDS_ON_IMAGE_EXCHANGE_AND_VM,
                        "org/heapspan/cli",
                        "org/heapspan/examples/Demo",
                        "main"),
                calls(
                        ModulePlanTest.H2_DEPENDS_ON_IMAGE_AND_VM,
                        "org/heapspan/h2",
                        "org/heapspan/image/engine/ImageEngine",
                        "statistics"),
                calls(
                        ModulePlanTest.EXCHANGE_DEPENDS_ON_IMAGE_AND_VM,
                        "org/heapspan/exchange",
                        "org/heapspan/h2/SecondHeap",
                        "open"),
                calls(
                        ModulePlanTest.EXCHANGE_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES,
                        "org/heapspan/exchange/wire",
                        "org/heapspan/exchange/keeper/Keeper",
                        "folder"),
                calls(
                        ModulePlanTest.IMAGE_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES,
                        "org/heapspan/image/graph",
                        "org/heapspan/image/codec/BuiltInTypes",
                        "codec"),
                calls(
                        ModulePlanTest.IMAGE_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES,
                        "org/heapspan/image/raw",
                        "org/heapspan/image/engine/ImageEngine",
                        "statistics"),
                calls(
                        SparkPlanTest.SPARK_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES,
                        "org/heapspan/spark/statistics",
                        "org/heapspan/spark/report/Part",
                        "fact"),
                calls(
                        SparkPlanTest.SPARK_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES,
                        "org/heapspan/spark/settings",
                        "org/heapspan/spark/HeapspanPlugin",
                        "driverPlugin"),
                calls(insides, "org/heapspan/image", "sun/misc/Unsafe", "getUnsafe"),
                calls(insides, "org/heapspan/cli", "jdk/internal/misc/Unsafe", "getUnsafe"),
                calls(insides, "org/heapspan/examples", "sun/reflect/ReflectionFactory", "getReflectionFactory"),
                calls(framework, "org/heapspan/image", "scala/Option", "empty"),
                calls(framework, "org/heapspan/vm", "org/apache/spark/SparkEnv", "get"),
                calls(framework, "org/heapspan/h2", "org/apache/spark/SparkEnv", "get"),
                calls(framework, "org/heapspan/cli", "com/esotericsoftware/kryo/Kryo", "make"),
                calls(framework, "org/heapspan/cli", "org/apache/fory/Fory", "builder"),
                new Violation(prints, "org/heapspan/image", "prints to out", field("out")),
                new Violation(prints, "org/heapspan/vm", "prints to err", field("err")),
                new Violation(prints, "org/heapspan/nativerdd", "prints to out", field("out")),
                new Violation(
                        prints, "org/heapspan", "prints a trace", on("java/lang/Error", "printStackTrace", "()V")),
                new Violation(exits, "org/heapspan/image", "exits", call("java/lang/System", "exit", "(I)V")),
                new Violation(exits, "org/heapspan/vm", "halts", on("java/lang/Runtime", "halt", "(I)V")),
                new Violation(exits, "org/heapspan/nativerdd", "halts", on("java/lang/Runtime", "halt", "(I)V")));
    }

    @ParameterizedTest
    @MethodSource("violations")
    void isNoticed(Violation violation) throws Exception {
        String name = violation.packageName() + "/Wrong";
        write(name, violation.code());

        assertThat(violation.rule().evaluate(written()).hasViolation()).isTrue();

        // And it is not the place alone that is found wrong.
        write(name, code -> {});
        assertThat(violation.rule().evaluate(written()).hasViolation()).isFalse();
    }

    @Test
    void aCycleIsNoticed() throws Exception {
        write("org/heapspan/vm/There", call("org/heapspan/image/Back", "call", "()V"));
        write("org/heapspan/image/Back", code -> {});
        assertThat(ModulePlanTest.MODULES_FORM_NO_CYCLE.evaluate(written()).hasViolation())
                .isFalse();

        write("org/heapspan/image/Back", call("org/heapspan/vm/There", "call", "()V"));
        assertThat(ModulePlanTest.MODULES_FORM_NO_CYCLE.evaluate(written()).hasViolation())
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("placesOfNoPlan")
    void aPackageThatIsNotInThePlanIsNoticed(ArchRule rule, String packageName) throws Exception {
        write(packageName + "/Wrong", code -> {});

        assertThatThrownBy(() -> rule.evaluate(written()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("is in no package of the plan");
    }

    static List<Arguments> placesOfNoPlan() {
        return List.of(
                Arguments.of(ModulePlanTest.IMAGE_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES, "org/heapspan/image"),
                Arguments.of(ModulePlanTest.IMAGE_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES, "org/heapspan/image/other"),
                Arguments.of(SparkPlanTest.SPARK_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES, "org/heapspan/spark/other"));
    }

    private JavaClasses written() {
        return new ClassFileImporter().importPath(folder);
    }

    private void write(String name, Consumer<MethodVisitor> body) throws IOException {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, name, null, "java/lang/Object", null);
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "call", "()V", null, null);
        code.visitCode();
        body.accept(code);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(2, 0);
        code.visitEnd();
        writer.visitEnd();
        Path file = folder.resolve(name + ".class");
        Files.createDirectories(file.getParent());
        Files.write(file, writer.toByteArray());
    }
}
