package org.heapspan.tests.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The part of {@link ModulePlanTest} that is about the adapter for Giraph. */
@AnalyzeClasses(packages = "org.heapspan.giraph", importOptions = ImportOption.DoNotIncludeTests.class)
@ArchTag("once")
final class GiraphPlanTest {
    /** Of {@code image} and {@code h2} only on what their users see; of Hadoop on its values; on the logger of both. */
    @ArchTest
    static final ArchRule GIRAPH_DEPENDS_ON_H2_AND_GIRAPH = classes()
            .that()
            .resideInAPackage("org.heapspan.giraph..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(ModulePlanTest.and(
                    ModulePlanTest.JDK,
                    "org.heapspan",
                    "org.heapspan.h2",
                    "org.heapspan.giraph..",
                    "org.apache.giraph..",
                    "org.apache.hadoop.io",
                    "org.apache.hadoop.conf",
                    "org.apache.log4j",
                    "org.jspecify.."));
}
