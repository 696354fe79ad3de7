package org.heapspan.tests.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The part of {@link ModulePlanTest} that is about the adapter for Flink. */
@AnalyzeClasses(packages = "org.heapspan.flink", importOptions = ImportOption.DoNotIncludeTests.class)
@ArchTag("once")
final class FlinkPlanTest {
    /** Of {@code image} only on what its users see; of Flink on its core. */
    @ArchTest
    static final ArchRule FLINK_DEPENDS_ON_IMAGE_AND_FLINK = classes()
            .that()
            .resideInAPackage("org.heapspan.flink..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(ModulePlanTest.and(
                    ModulePlanTest.JDK,
                    "org.heapspan",
                    "org.heapspan.flink..",
                    "org.apache.flink.api..",
                    "org.apache.flink.core.memory",
                    "com.esotericsoftware.kryo..",
                    "org.slf4j",
                    "org.jspecify.."));
}
