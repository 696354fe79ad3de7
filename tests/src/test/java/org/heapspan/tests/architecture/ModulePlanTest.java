package org.heapspan.tests.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.List;

/** The module plan of ARCHITECTURE.md, as far as Maven's dependencies do not enforce it. */
@AnalyzeClasses(
        packages = {"org.heapspan", "org.apache.spark.heapspan"},
        importOptions = ImportOption.DoNotIncludeTests.class)
@ArchTag("once")
final class ModulePlanTest {

    /** The JDK as far as it is documented. */
    static final String[] JDK = {"java..", "javax..", "jdk.jfr.."};

    private static final String[] INSIDES_OF_THE_JDK = {"jdk.internal..", "sun.."};

    /** What runs in the processes of others. */
    private static final String[] LIBRARY = {
        "org.heapspan",
        "org.heapspan.image..",
        "org.heapspan.vm..",
        "org.heapspan.h2..",
        "org.heapspan.exchange..",
        "org.heapspan.replication..",
        "org.heapspan.nativerdd..",
        "org.heapspan.spark..",
        "org.apache.spark.heapspan..",
        "org.heapspan.flink..",
        "org.heapspan.giraph.."
    };

    @ArchTest
    static final ArchRule VM_DEPENDS_ON_THE_JDK_ONLY = classes()
            .that()
            .resideInAPackage("org.heapspan.vm..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    and(and(JDK, INSIDES_OF_THE_JDK), "com.sun.management..", "org.heapspan.vm..", "org.jspecify.."));

    /** What changes with the JDK is known in one place. */
    @ArchTest
    static final ArchRule ONLY_VM_KNOWS_THE_INSIDES_OF_THE_JDK = noClasses()
            .that()
            .resideOutsideOfPackage("org.heapspan.vm..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(INSIDES_OF_THE_JDK);

    /** The facade in {@code org.heapspan} and {@code org.heapspan.image} are one module. */
    @ArchTest
    static final ArchRule IMAGE_DEPENDS_ON_VM_ONLY = classes()
            .that()
            .resideInAnyPackage("org.heapspan", "org.heapspan.image..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(and(
                    JDK,
                    "org.heapspan",
                    "org.heapspan.image..",
                    "org.heapspan.vm..",
                    "org.objectweb.asm..",
                    "org.jspecify.."));

    /** Nor a peer of the comparison: the command line finds those by name. */
    @ArchTest
    static final ArchRule NOTHING_BELOW_THE_ADAPTERS_KNOWS_A_FRAMEWORK = noClasses()
            .that()
            .resideInAnyPackage(
                    "org.heapspan",
                    "org.heapspan.image..",
                    "org.heapspan.vm..",
                    "org.heapspan.h2..",
                    "org.heapspan.exchange..",
                    "org.heapspan.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.apache.spark..",
                    "org.apache.flink..",
                    "org.apache.giraph..",
                    "org.apache.hadoop..",
                    "org.apache.fory..",
                    "com.esotericsoftware..",
                    "org.objenesis..",
                    "scala..");

    @ArchTest
    static final ArchRule CLI_DEPENDS_ON_IMAGE_EXCHANGE_AND_VM = classes()
            .that()
            .resideInAPackage("org.heapspan.cli..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(and(
                    JDK,
                    "org.heapspan",
                    "org.heapspan.cli..",
                    "org.heapspan.exchange",
                    "org.heapspan.image..",
                    "org.heapspan.vm..",
                    "org.jspecify.."));

    /** Of {@code image} only on what its users see, and on the interface of what takes an image's bytes. */
    @ArchTest
    static final ArchRule H2_DEPENDS_ON_IMAGE_AND_VM = classes()
            .that()
            .resideInAPackage("org.heapspan.h2..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(and(JDK, "org.heapspan", "org.heapspan.h2..", "org.heapspan.vm..", "org.jspecify.."));

    /** Of {@code image} only on what its users see, and on the interface of what takes an image's bytes. */
    @ArchTest
    static final ArchRule EXCHANGE_DEPENDS_ON_IMAGE_AND_VM = classes()
            .that()
            .resideInAPackage("org.heapspan.exchange..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(and(
                    JDK,
                    "com.sun.net.httpserver",
                    "org.heapspan",
                    "org.heapspan.exchange..",
                    "org.heapspan.image.format",
                    "org.heapspan.vm..",
                    "org.jspecify.."));

    /** Nothing of gRPC or Netty, which Ratis brings: messages go through the exchange. */
    @ArchTest
    static final ArchRule REPLICATION_DEPENDS_ON_EXCHANGE_RATIS_AND_VM = classes()
            .that()
            .resideInAPackage("org.heapspan.replication..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(and(
                    JDK,
                    "org.apache.ratis",
                    "org.apache.ratis.conf..",
                    "org.apache.ratis.io..",
                    "org.apache.ratis.metrics..",
                    "org.apache.ratis.proto..",
                    "org.apache.ratis.protocol..",
                    "org.apache.ratis.rpc..",
                    "org.apache.ratis.server..",
                    "org.apache.ratis.statemachine..",
                    "org.apache.ratis.thirdparty.com.google.protobuf..",
                    "org.apache.ratis.util..",
                    "org.heapspan.exchange.peers..",
                    "org.heapspan.replication..",
                    "org.heapspan.vm..",
                    "org.jspecify.."));

    @ArchTest
    static final ArchRule NATIVERDD_DEPENDS_ON_VM = classes()
            .that()
            .resideInAPackage("org.heapspan.nativerdd..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(and(JDK, "org.heapspan.nativerdd..", "org.heapspan.vm..", "org.jspecify.."));

    @ArchTest
    static final ArchRule MODULES_FORM_NO_CYCLE = SlicesRuleDefinition.slices()
            .assignedFrom(new ModuleOfPackage())
            .should()
            .beFreeOfCycles();

    /** Packages of {@code image}, lowest first. */
    private static final List<String> IMAGE_PACKAGES = List.of(
            "memory",
            "format",
            "type",
            "graph",
            "statistics",
            "codec",
            "generator",
            "serialization",
            "policy",
            "raw",
            "engine",
            "inspect");

    @ArchTest
    static final ArchRule IMAGE_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES = classes()
            .that()
            .resideInAPackage("org.heapspan.image..")
            .should(new LowerPackages("org.heapspan.image", IMAGE_PACKAGES));

    /** Packages of {@code exchange}, lowest first. What users see is on top. */
    private static final List<String> EXCHANGE_PACKAGES = List.of(
            "transport",
            "wire",
            "metadata",
            "keeper",
            "client",
            "peers",
            "server",
            "page",
            "sharing",
            LowerPackages.ROOT);

    @ArchTest
    static final ArchRule EXCHANGE_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES = classes()
            .that()
            .resideInAPackage("org.heapspan.exchange..")
            .should(new LowerPackages("org.heapspan.exchange", EXCHANGE_PACKAGES));

    @ArchTest
    static final ArchRule A_LIBRARY_NEVER_PRINTS = noClasses()
            .that()
            .resideInAnyPackage(LIBRARY)
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .orShould()
            .callMethodWhere(describe("printStackTrace of a Throwable", ModulePlanTest::printsStackTrace));

    /** But for the program of a process that {@code nativerdd} starts for itself. */
    @ArchTest
    static final ArchRule A_LIBRARY_NEVER_EXITS = noClasses()
            .that()
            .resideInAnyPackage(LIBRARY)
            .and()
            .doNotHaveFullyQualifiedName("org.heapspan.nativerdd.WorkerMain")
            .should()
            .callMethod(System.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "halt", int.class);

    private static boolean printsStackTrace(JavaAccess<?> call) {
        return call instanceof JavaMethodCall
                && call.getTarget().getName().equals("printStackTrace")
                && call.getTarget().getOwner().isAssignableTo(Throwable.class);
    }

    static String[] and(String[] packages, String... more) {
        String[] all = java.util.Arrays.copyOf(packages, packages.length + more.length);
        System.arraycopy(more, 0, all, packages.length, more.length);
        return all;
    }

    private static final class ModuleOfPackage implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
            String name = javaClass.getPackageName();
            if (name.equals("org.heapspan")) {
                return SliceIdentifier.of("image");
            }
            if (!name.startsWith("org.heapspan.")) {
                return SliceIdentifier.ignore();
            }
            String rest = name.substring("org.heapspan.".length());
            int dot = rest.indexOf('.');
            return SliceIdentifier.of(dot < 0 ? rest : rest.substring(0, dot));
        }

        @Override
        public String getDescription() {
            return "modules of Heapspan";
        }
    }
}
