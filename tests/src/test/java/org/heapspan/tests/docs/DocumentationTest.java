package org.heapspan.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.heapspan.testing.Eventually;
import org.heapspan.tests.docs.MarkdownPage.Block;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The documentation as the repository has it: links lead somewhere, Java compiles, the programs of the start pages print what the page says they
 * print, Python and shell commands parse, and the commands, options and keys that pages name exist. {@code DocumentationIT} of the tests on Spark
 * compiles Scala, and the native tests compile C++.
 */
final class DocumentationTest {
    private static final Path ROOT =
            Path.of(System.getProperty("heapspan.root", "..")).toAbsolutePath().normalize();
    private static final Set<String> SHELLS = Set.of("bash", "sh");

    /** Parses what it reads, and imports what that imports from our client. */
    private static final String PYTHON_CHECK = """
            import ast, importlib, sys
            for node in ast.walk(ast.parse(sys.stdin.read())):
                if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "heapspan":
                    module = importlib.import_module(node.module)
                    for name in node.names:
                        getattr(module, name.name)
            """;

    private static final Pattern SCHEME = Pattern.compile("[a-z]+:.*");
    private static final Pattern DEV = Pattern.compile("(?<![\\w./])\\./dev ([a-z][a-z0-9-]*)");
    private static final Pattern HEAPSPAN = Pattern.compile("(?<![\\w])dist/bin/heapspan ([a-z][a-z0-9-]*)(.*)");
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z0-9-]*");
    private static final Pattern SPARK_KEY = Pattern.compile("(?<![\\w.])spark\\.heapspan\\.[a-zA-Z0-9.]*[a-zA-Z0-9]");
    private static final Pattern PROPERTY = Pattern.compile("-D(heapspan\\.[a-zA-Z0-9.]*[a-zA-Z0-9])");
    private static final Pattern TABLE_KEY = Pattern.compile("(?m)^\\| `([^`]+)` \\|");

    private static final List<MarkdownPage> PAGES = read();

    @TempDir
    Path folder;

    static List<MarkdownPage> pages() {
        return PAGES;
    }

    private static List<MarkdownPage> read() {
        try {
            return readPages();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<MarkdownPage> readPages() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String part : List.of("docs", "examples", "native", "python")) {
            try (Stream<Path> found = Files.walk(ROOT.resolve(part))) {
                found.filter(file -> file.toString().endsWith(".md")).forEach(files::add);
            }
        }
        try (Stream<Path> found = Files.list(ROOT)) {
            found.filter(file -> file.toString().endsWith(".md")).forEach(files::add);
        }
        List<MarkdownPage> pages = new ArrayList<>();
        for (Path file : files.stream().sorted().toList()) {
            pages.add(MarkdownPage.read(ROOT, ROOT.relativize(file)));
        }
        return pages;
    }

    private static Stream<Named<Block>> blocks(Set<String> languages) {
        return PAGES.stream()
                .flatMap(page -> page.blocks().stream()
                        .filter(block -> languages.contains(block.language()))
                        .map(block -> Named.of(page + ":" + block.line(), block)));
    }

    static Stream<Named<Block>> javaBlocks() {
        return blocks(Set.of("java"));
    }

    static Stream<Named<Block>> shellBlocks() {
        return blocks(SHELLS);
    }

    static Stream<Named<Block>> pythonBlocks() {
        return blocks(Set.of("python"));
    }

    @Tag("once")
    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadToFilesAndHeadings(MarkdownPage page) {
        Map<Path, MarkdownPage> known = new HashMap<>();
        for (MarkdownPage each : PAGES) {
            known.put(each.path(), each);
        }
        for (MarkdownPage.Link link : page.links()) {
            if (SCHEME.matcher(link.target()).matches()) {
                continue;
            }
            String[] parts = link.target().split("#", 2);
            Path target = parts[0].isEmpty()
                    ? page.path()
                    : page.path().resolveSibling(parts[0]).normalize();
            assertThat(ROOT.resolve(target))
                    .as("%s:%d links to %s", page, link.line(), link.target())
                    .exists();
            if (parts.length == 2) {
                assertThat(known).as("%s:%d", page, link.line()).containsKey(target);
                assertThat(known.get(target).anchors())
                        .as("%s:%d links to %s", page, link.line(), link.target())
                        .contains(parts[1]);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("javaBlocks")
    void javaCompilesAndProgramsPrintWhatFollows(Block block) throws Exception {
        JavaSnippet snippet = new JavaSnippet(block);
        snippet.compile(folder);
        if (snippet.isProgram()) {
            MarkdownPage page = PAGES.stream()
                    .filter(each -> each.blocks().contains(block))
                    .findFirst()
                    .orElseThrow();
            Block output = page.after(block);
            assertThat(output.language())
                    .as("%s:%d: the block after a program holds its output", page, output.line())
                    .isEqualTo("text");
            assertThat(snippet.run(folder).strip()).isEqualTo(output.text());
        }
    }

    @Tag("once")
    @ParameterizedTest
    @MethodSource("shellBlocks")
    void shellParses(Block block) throws Exception {
        check(block, "bash", "-n");
    }

    @Tag("once")
    @ParameterizedTest
    @MethodSource("pythonBlocks")
    void pythonParsesAndItsImportsExist(Block block) throws Exception {
        check(block, "python3", "-B", "-c", PYTHON_CHECK);
    }

    /** The command accepts the block, which it reads from its standard input. */
    private void check(Block block, String... command) throws IOException, InterruptedException {
        Path script = Files.writeString(folder.resolve("script"), block.text() + "\n");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectInput(script.toFile()).redirectErrorStream(true);
        builder.environment().put("PYTHONPATH", ROOT.resolve("python").toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as("%s%n%s", output, block.text()).isZero();
    }

    @Tag("once")
    @ParameterizedTest
    @MethodSource("pages")
    void commandsAndOptionsExist(MarkdownPage page) throws IOException {
        String text = Files.readString(ROOT.resolve(page.path()));
        String usage = read("dev");
        String help = read("cli/src/main/java/org/heapspan/cli/Help.java");
        String sparkOptions = read("cli/src/main/java/org/heapspan/cli/SparkArguments.java");
        Matcher dev = DEV.matcher(text);
        while (dev.find()) {
            assertThat(usage).as("%s: %s", page, dev.group()).contains("\n  " + dev.group(1) + " ");
        }
        Matcher heapspan = HEAPSPAN.matcher(text);
        while (heapspan.find()) {
            assertThat(help).as("%s: %s", page, heapspan.group()).containsPattern("\\b" + heapspan.group(1) + "\\b");
            // What follows the application are its own arguments.
            Matcher option = OPTION.matcher(heapspan.group(2));
            while (option.find()) {
                assertThat(help + sparkOptions)
                        .as("%s: %s", page, heapspan.group())
                        .containsPattern(option.group() + "[\\s\\[\"]");
            }
        }
    }

    @Tag("once")
    @ParameterizedTest
    @MethodSource("pages")
    void keysExist(MarkdownPage page) throws IOException {
        Set<String> keys = new TreeSet<>();
        for (String table : List.of("docs/spark.md", "docs/configuration.md", "CONTRIBUTING.md")) {
            Matcher key = TABLE_KEY.matcher(read(table));
            while (key.find()) {
                keys.add(key.group(1));
            }
        }
        String text = Files.readString(ROOT.resolve(page.path()));
        Matcher sparkKey = SPARK_KEY.matcher(text);
        while (sparkKey.find()) {
            assertThat(keys).as("%s names %s", page, sparkKey.group()).contains(sparkKey.group());
        }
        Matcher property = PROPERTY.matcher(text);
        while (property.find()) {
            if (!property.group(1).startsWith("heapspan.tests.")
                    && !property.group(1).matches("heapspan\\.(write|data|root)")) {
                assertThat(keys).as("%s names %s", page, property.group()).contains(property.group(1));
            }
        }
    }

    private static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
