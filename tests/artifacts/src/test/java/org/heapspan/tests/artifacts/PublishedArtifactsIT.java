package org.heapspan.tests.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.tests.artifacts.PublishedArtifact.BOM;
import static org.heapspan.tests.artifacts.PublishedArtifact.EXCHANGE;
import static org.heapspan.tests.artifacts.PublishedArtifact.FLINK;
import static org.heapspan.tests.artifacts.PublishedArtifact.LIBRARY;
import static org.heapspan.tests.artifacts.PublishedArtifact.REPLICATION;
import static org.heapspan.tests.artifacts.PublishedArtifact.SECOND_HEAP;
import static org.heapspan.tests.artifacts.PublishedArtifact.SPARK;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** What {@code ./dev install} publishes: POMs that stand by themselves, and jars of which each class is in one only. */
final class PublishedArtifactsIT {
    private static final Pattern REPLICATION_ENTRY =
            Pattern.compile("META-INF/(MANIFEST[.]MF|LICENSE|NOTICE|services/.*)|ratis-version[.]properties"
                    + "|org/heapspan/(replication|shaded/slf4j)/.*"
                    + "|org/apache/ratis/(?!test/|thirdparty/)[^/]+(/.*)?"
                    + "|org/apache/ratis/thirdparty/com/google/(common|protobuf|thirdparty)/.*");

    static List<String> all() throws IOException {
        return PublishedArtifact.all();
    }

    static List<String> jars() throws IOException {
        return PublishedArtifact.jars();
    }

    private static boolean hasAdapters() throws IOException {
        return all().contains(SPARK);
    }

    @Test
    void nothingElseIsPublished() throws IOException {
        Set<String> expected = new TreeSet<>(Set.of(LIBRARY, SECOND_HEAP, EXCHANGE, REPLICATION, BOM));
        if (hasAdapters()) {
            expected.addAll(Set.of(SPARK, FLINK));
        }
        assertThat(all()).containsExactlyElementsOf(expected);
    }

    @ParameterizedTest
    @MethodSource("all")
    void thePomSaysWhatRepositoriesWant(String name) throws Exception {
        Document pom = pom(name);
        for (String element : List.of(
                "name",
                "description",
                "url",
                "licenses/license/name",
                "licenses/license/url",
                "developers/developer/name",
                "scm/connection",
                "scm/url")) {
            assertThat(texts(pom, "/project/" + element)).as(element).hasSize(1).allMatch(text -> !text.isBlank());
        }
        assertThat(texts(pom, "/project/artifactId")).containsExactly(name);
        assertThat(texts(pom, "/project/version")).containsExactly(PublishedArtifact.VERSION);
    }

    /** No parent, no properties, no paths: what it means must not depend on where it was made. */
    @ParameterizedTest
    @MethodSource("all")
    void thePomStandsByItself(String name) throws Exception {
        Document pom = pom(name);
        for (String element : List.of("parent", "properties", "build", "profiles", "repositories", "modules")) {
            assertThat(texts(pom, "/project/" + element)).as(element).isEmpty();
        }
        assertThat(texts(pom, "//systemPath")).isEmpty();
        String text = Files.readString(new PublishedArtifact(name).pom());
        assertThat(text).doesNotContain("${", "file:");
        assertThat(text)
                .doesNotContain(Path.of(System.getProperty("heapspan.root")).toString());
    }

    @ParameterizedTest
    @MethodSource("all")
    void itDependsOnNothingButOtherArtifactsAndRatis(String name) throws Exception {
        List<String> expected = switch (name) {
            case SECOND_HEAP, EXCHANGE, FLINK -> List.of("org.heapspan:heapspan");
            case REPLICATION -> List.of("org.heapspan:heapspan-exchange", "org.apache.ratis:ratis-server");
            case SPARK -> List.of("org.heapspan:heapspan", "org.heapspan:heapspan-h2");
            default -> List.of();
        };
        assertThat(dependencies(pom(name), "/project/dependencies/dependency")).containsExactlyElementsOf(expected);
    }

    @Test
    void theBomHasEveryArtifactInThisVersion() throws Exception {
        Document bom = pom(BOM);
        assertThat(dependencies(bom, "/project/dependencyManagement/dependencies/dependency"))
                .containsExactly(
                        "org.heapspan:heapspan",
                        "org.heapspan:heapspan-h2",
                        "org.heapspan:heapspan-exchange",
                        "org.heapspan:heapspan-replication",
                        "org.heapspan:heapspan-spark_2.13",
                        "org.heapspan:heapspan-flink");
        assertThat(texts(bom, "//dependency/version")).hasSize(6).containsOnly(PublishedArtifact.VERSION);
    }

    @ParameterizedTest
    @MethodSource("jars")
    void eachClassHasItsSource(String name) throws IOException {
        PublishedArtifact artifact = new PublishedArtifact(name);
        Set<String> missing = new TreeSet<>();
        Set<String> sources = PublishedArtifact.entries(artifact.sources());
        for (String each : PublishedArtifact.classes(artifact.jar())) {
            if (each.startsWith("org/heapspan/shaded/") || each.contains("$")) {
                continue;
            }
            String source = each.replaceAll("class$", "");
            if (!sources.contains(source + "java") && !sources.contains(source + "scala")) {
                missing.add(source);
            }
        }
        assertThat(missing).isEmpty();
        assertThat(sources).hasSizeGreaterThan(8);
    }

    @ParameterizedTest
    @MethodSource("jars")
    void itHasJavadoc(String name) throws IOException {
        String page = switch (name) {
            case SECOND_HEAP -> "org/heapspan/h2/SecondHeap.html";
            case EXCHANGE -> "org/heapspan/exchange/GlobalHeap.html";
            case REPLICATION -> "org/heapspan/replication/RatisFactory.html";
            case SPARK -> "org/heapspan/spark/HeapspanPlugin.html";
            case FLINK -> "org/heapspan/flink/HeapspanTypeInformation.html";
            default -> "org/heapspan/Heapspan.html";
        };
        assertThat(PublishedArtifact.entries(new PublishedArtifact(name).javadoc()))
                .contains("index.html", page);
    }

    @ParameterizedTest
    @MethodSource("jars")
    void itHasTheLicenceAndNoForeignClass(String name) throws IOException {
        Set<String> entries = PublishedArtifact.entries(new PublishedArtifact(name).jar());
        assertThat(entries).contains("META-INF/LICENSE", "META-INF/NOTICE");
        assertThat(entries)
                .allMatch(entry -> entry.equals("module-info.class")
                        || entry.startsWith("META-INF/")
                        || entry.startsWith("org/heapspan/")
                        || entry.startsWith("org/apache/spark/heapspan/"));
    }

    /** The one that the POM names, wherever it was built: the same sources give the same bytes. */
    @ParameterizedTest
    @MethodSource("jars")
    void allFilesInItHaveOneTime(String name) throws IOException {
        try (JarFile jar = new JarFile(new PublishedArtifact(name).jar().toFile())) {
            assertThat(jar.stream()
                            // These have another time, which is always the same too.
                            .filter(entry -> !entry.getName().matches("META-INF/(LICENSE|NOTICE)"))
                            .map(JarEntry::getTimeLocal)
                            .distinct())
                    .containsExactly(LocalDateTime.of(2026, 1, 1, 0, 0));
        }
    }

    @Test
    void theLibraryHoldsTheNativeLibrary() throws IOException {
        assertThat(PublishedArtifact.entries(new PublishedArtifact(LIBRARY).jar()))
                .contains("META-INF/native/linux-x86_64/libheapspan.so");
    }

    /** Licences ask that their texts come with the classes. */
    @Test
    void theJarForReplicationHoldsNothingThatItsNoticeDoesNotName() throws IOException {
        Path jar = Path.of(System.getProperty("heapspan.replication.jar"));
        assertThat(PublishedArtifact.entries(jar))
                .allMatch(REPLICATION_ENTRY.asMatchPredicate(), REPLICATION_ENTRY.pattern());
        try (FileSystem files = FileSystems.newFileSystem(jar)) {
            assertThat(Files.readString(files.getPath("META-INF/NOTICE")))
                    .contains("Apache Ratis\n", "Guava (https", "SLF4J\n", "Neither the name of Google Inc.");
        }
    }

    /** So they can be on one class path, in any order. */
    @Test
    void noClassIsInTwo() throws IOException {
        List<String> classes = new ArrayList<>();
        for (String name : jars()) {
            classes.addAll(PublishedArtifact.classes(new PublishedArtifact(name).jar()));
        }
        assertThat(classes).doesNotHaveDuplicates();
    }

    /** Together they are the jars of {@code dist/} without the command line. */
    @Test
    void noClassIsForgotten() throws IOException {
        Set<String> published = new TreeSet<>();
        for (String name : jars()) {
            published.addAll(PublishedArtifact.classes(new PublishedArtifact(name).jar()));
        }
        List<String> properties =
                hasAdapters() ? List.of("heapspan.spark.jar", "heapspan.flink.jar") : List.of("heapspan.jar");
        Set<String> expected = new TreeSet<>();
        for (String property : properties) {
            expected.addAll(PublishedArtifact.classes(Path.of(System.getProperty(property))));
        }
        Path replication = Path.of(System.getProperty("heapspan.replication.jar"));
        PublishedArtifact.classes(replication).stream()
                .filter(each -> each.startsWith("org/heapspan/replication/"))
                .forEach(expected::add);
        assertThat(expected.removeIf(each -> each.startsWith("org/heapspan/cli/")))
                .isTrue();
        assertThat(published).containsExactlyElementsOf(expected);
    }

    private static Document pom(String name) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new PublishedArtifact(name).pom().toFile());
    }

    private static List<String> texts(Document pom, String path) throws XPathExpressionException {
        NodeList nodes = (NodeList) XPathFactory.newInstance().newXPath().evaluate(path, pom, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent().strip());
        }
        return texts;
    }

    /** Group and name of each. */
    private static List<String> dependencies(Document pom, String path) throws XPathExpressionException {
        List<String> groups = texts(pom, path + "/groupId");
        List<String> names = texts(pom, path + "/artifactId");
        List<String> both = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            both.add(groups.get(i) + ":" + names.get(i));
        }
        return both;
    }
}
