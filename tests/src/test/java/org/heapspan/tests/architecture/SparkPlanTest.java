package org.heapspan.tests.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import org.heapspan.image.format.PrintableText;

/** The part of {@link ModulePlanTest} that is about the adapter for Spark. */
@AnalyzeClasses(
        packages = {"org.heapspan.spark", "org.apache.spark.heapspan"},
        importOptions = ImportOption.DoNotIncludeTests.class)
@ArchTag("once")
final class SparkPlanTest {

    /** An adapter stands on {@code image}, {@code h2} and its framework; further modules may be added, other adapters never. */
    @ArchTest
    static final ArchRule SPARK_DEPENDS_ON_IMAGE_H2_VM_AND_SPARK = classes()
            .that()
            .resideInAnyPackage("org.heapspan.spark..", "org.apache.spark.heapspan..")
            .should()
            .onlyDependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(ModulePlanTest.and(
                            ModulePlanTest.JDK,
                            "org.heapspan",
                            "org.heapspan.h2..",
                            "org.heapspan.nativerdd..",
                            "org.heapspan.spark..",
                            "org.heapspan.vm..",
                            "org.apache.spark..",
                            "scala..",
                            // What a thread has allocated.
                            "com.sun.management..",
                            // Types of Spark's own interfaces: metrics, pages and their data.
                            "com.codahale.metrics..",
                            "jakarta.servlet..",
                            "org.json4s..",
                            // Files and their formats; a serializer that asks its objects to write themselves.
                            "org.apache.hadoop..",
                            "com.esotericsoftware.kryo..",
                            "org.slf4j..",
                            // Heapspan's own copy of it, as in image.
                            "org.objectweb.asm..",
                            "org.jspecify.."))
                    // What a page shows is escaped as what a message says.
                    .or(JavaClass.Predicates.type(PrintableText.class)));

    /** What reaches into Spark knows nothing of Heapspan: it is what a new version of Spark is checked against. */
    @ArchTest
    static final ArchRule THE_INSIDES_OF_SPARK_ARE_REACHED_BELOW_THE_ADAPTER = noClasses()
            .that()
            .resideInAPackage("org.apache.spark.heapspan..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.heapspan..");

    /** Packages of {@code spark}, lowest first. What users name in settings is on top. */
    private static final List<String> SPARK_PACKAGES = List.of(
            "nativerdd",
            "settings",
            "statistics",
            "report",
            "types",
            "keys",
            "record",
            "aggregate",
            "broadcast",
            "cache",
            "estimate",
            "direct",
            "tab",
            LowerPackages.ROOT);

    @ArchTest
    static final ArchRule SPARK_PACKAGES_DEPEND_ONLY_ON_LOWER_ONES = classes()
            .that()
            .resideInAPackage("org.heapspan.spark..")
            .should(new LowerPackages("org.heapspan.spark", SPARK_PACKAGES));
}
