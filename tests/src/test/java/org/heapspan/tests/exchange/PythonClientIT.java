package org.heapspan.tests.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.testing.Certificates;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Ports;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client in {@code python/}, with a server and values of this JVM. {@code python/tests/with_java.py} is the other side. */
@Timeout(Eventually.TEST_SECONDS)
final class PythonClientIT {
    private static final Path ROOT = Path.of(System.getProperty("heapspan.root", ".."));

    private static final int HANG_SECONDS = Eventually.TEST_SECONDS - 60;

    /** A folder with what pip needs to build the client, or nothing. Without it the client in the repository is used. */
    private static final String WHEELS = System.getProperty("heapspan.python.wheels", "");

    @TempDir
    static Path home;

    @TempDir
    Path folder;

    record Model(String name) implements Serializable {}

    /** With the tests alone beside it, so that only an installed client is found, and without traces of pip in the repository. */
    @BeforeAll
    static void install() throws Exception {
        copy(ROOT.resolve("python/tests"), home.resolve("tests"));
        if (WHEELS.isEmpty()) {
            return;
        }
        Path sources = Files.createDirectories(home.resolve("sources"));
        for (String each : List.of("pyproject.toml", "README.md")) {
            Files.copy(ROOT.resolve("python").resolve(each), sources.resolve(each));
        }
        copy(ROOT.resolve("python/heapspan"), sources.resolve("heapspan"));
        run(List.of("python3", "-m", "venv", "--system-site-packages", "venv"));
        // As a user does, but for the place of setuptools.
        run(List.of(
                installed(),
                "-m",
                "pip",
                "install",
                "--disable-pip-version-check",
                "--no-index",
                "--find-links=" + WHEELS,
                "./sources"));
    }

    private static String installed() {
        return home.resolve("venv/bin/python").toString();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(from, "*.py")) {
            for (Path each : files) {
                Files.copy(each, to.resolve(each.getFileName()));
            }
        }
    }

    private static String python(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(WHEELS.isEmpty() ? "python3" : installed(), "-B"));
        command.addAll(List.of(arguments));
        return run(command);
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Path output = home.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().remove("PYTHONPATH");
        if (WHEELS.isEmpty()) {
            builder.environment()
                    .put("PYTHONPATH", ROOT.resolve("python").toAbsolutePath().toString());
        }
        Process process = builder.start();
        // Checksums of large values take their time without a library for them.
        if (!process.waitFor(HANG_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }

    @Test
    void pipInstallsTheClient() throws Exception {
        assumeTrue(!WHEELS.isEmpty(), "no setuptools to install the Python client with; ./dev test downloads it");
        assertThat(python(
                        "-c",
                        "import heapspan, importlib.metadata as m; print(m.version('heapspan'), heapspan.__file__)"))
                .matches("[0-9.a-z]+ " + Pattern.quote(home.toRealPath().resolve("venv") + "/") + ".*\\n");
    }

    @Test
    void theTestsOfTheClientPass() throws Exception {
        assertThat(python("-m", "unittest", "discover", "-s", "tests", "-t", "."))
                .contains("OK")
                .doesNotContain("Ran 0 tests");
    }

    @Test
    void pythonAndJavaReadEachOthersValues() throws Exception {
        share(options(), GlobalHeapOptions.defaults());
    }

    @Test
    void withASecretTheFramesAreAuthentic() throws Exception {
        Path secret = Files.write(folder.resolve("secret"), "0123456789abcdef-python\n".getBytes(US_ASCII));
        share(options().withSecretFile(secret), GlobalHeapOptions.defaults().withSecretFile(secret), secret.toString());
    }

    @Test
    void connectionsAreEncrypted() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.make("server", "-ext", "san=ip:127.0.0.1");
        Path certificate = certificates.certificate("server");
        Path key = certificates.key("server");
        Path secret = Files.write(folder.resolve("secret"), "0123456789abcdef-python\n".getBytes(US_ASCII));
        share(
                options().withTls(certificate, key).withSecretFile(secret),
                GlobalHeapOptions.defaults().withTlsTrust(certificate).withSecretFile(secret),
                secret.toString(),
                certificate.toString());
    }

    @Test
    void objectsAreSharedThroughAKeeper() throws Exception {
        try (ExchangeServer origin = ExchangeServer.start(options())) {
            share(options().joining(origin.url()), GlobalHeapOptions.defaults());
        }
    }

    @Test
    void theClientFollowsTheLeaderOfServersThatReplicateTheirKeys() throws Exception {
        List<Integer> ports = Ports.take(3);
        String all = ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        List<ExchangeServer> servers = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                servers.add(ExchangeServer.start(ExchangeServerOptions.port(ports.get(i))
                        .withDirectory(folder.resolve("peer-" + i))
                        .withMemory(16 << 20)
                        .replicating(all)));
            }
            String url = "heapspan://" + all;
            for (int i = 0; i < 3; i++) {
                // Each server is away once, also the one that leads.
                ExchangeServer away = servers.get(i);
                assertThat(python("tests/with_replicas.py", url, Integer.toString(i), "write"))
                        .endsWith("done\n");
                away.close();
                assertThat(python("tests/with_replicas.py", url, Integer.toString(i), "read"))
                        .endsWith("done\n");
                servers.set(
                        i,
                        ExchangeServer.start(ExchangeServerOptions.port(ports.get(i))
                                .withDirectory(folder.resolve("peer-" + i))
                                .withMemory(16 << 20)
                                .replicating(all)));
            }
            try (GlobalHeap heap = GlobalHeap.connect(url)) {
                assertThat(heap.get("round/2/large", double[].class)).hasSize(100_000);
            }
        } finally {
            for (ExchangeServer each : servers) {
                each.close();
            }
        }
    }

    private static ExchangeServerOptions options() {
        return ExchangeServerOptions.port(0).withMemory(16 << 20);
    }

    private void share(ExchangeServerOptions serverOptions, GlobalHeapOptions options, String... files)
            throws Exception {
        try (ExchangeServer server = ExchangeServer.start(serverOptions);
                GlobalHeap heap = GlobalHeap.connect(server.url(), options)) {
            put(heap);
            List<String> arguments = new ArrayList<>(List.of("tests/with_java.py", server.url()));
            arguments.addAll(List.of(files));
            assertThat(python(arguments.toArray(String[]::new))).endsWith("done\n");
            check(heap);
        }
    }

    private static void put(GlobalHeap heap) {
        heap.put(
                "java/list",
                new ArrayList<>(Arrays.asList("a", 1, 1L << 40, 2.5, true, null, 0.25f, (byte) -3, 'x', (short) 7)));
        heap.put("java/immutable", List.of(List.of("a", "b"), Map.of("k", 1), Set.of("e"), List.of()));
        heap.put("java/map", new HashMap<>(Map.of("one", List.of(1), "two", List.of(2, 2))));
        heap.put("java/sorted", new TreeMap<>(Map.of("a", 1.5, "b", -1.5)));
        heap.put("java/strings", new String[] {"a", null, "\u20ac"});
        heap.put("java/objects", new Object[] {1, List.of("x"), null});
        heap.put("java/integers", new Integer[] {1, null, 3});
        heap.put("java/ints", new int[] {1, -2});
        heap.put("java/doubles", new double[] {0.5});
        byte[] bytes = new byte[700_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 7);
        }
        heap.put("java/bytes", bytes);
        heap.put("java/text", "\u20ac".repeat(300_000));
        heap.put("java/decimal", new BigDecimal("-12.50"));
        heap.put("java/uuid", new UUID(1, 2));
        heap.put("java/null", null);
        List<Object> same = new ArrayList<>(List.of("shared"));
        heap.put("java/shared", new ArrayList<>(List.of(same, same, new ArrayList<>(List.of(same)))));
        List<Object> deep = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            deep = new ArrayList<>(List.of(deep));
        }
        heap.put("java/deep", deep);
        heap.put("java/model", new Model("of Java alone"));
    }

    private static void check(GlobalHeap heap) {
        Map<?, ?> json = heap.get("python/json", Map.class);
        assertThat(json.get("name")).isEqualTo("x");
        assertThat(json.get("numbers")).isEqualTo(new ArrayList<>(Arrays.asList(1, 2.5, 1L << 40, null)));
        assertThat(json.get("nested")).isEqualTo(Map.of("flags", List.of(true, false)));
        assertThat(heap.get("python/text", String.class)).isEqualTo("again");
        double[] large = heap.get("python/large", double[].class);
        assertThat(large).hasSize(100_000);
        assertThat(large[99_999]).isEqualTo(99_999 / 2.0);
        byte[] bytes = heap.get("python/bytes", byte[].class);
        assertThat(bytes).hasSize(1_024_000);
        assertThat(bytes[255]).isEqualTo((byte) 255);
        assertThat(heap.get("python/ints", int[].class)).containsExactly(1, -2);
        assertThat(heap.get("python/big", BigInteger.class)).isEqualTo(BigInteger.ONE.shiftLeft(100));
        assertThat(heap.get("python/longs", Object.class)).isEqualTo(List.of(Long.MIN_VALUE, 1L << 40));
        assertThat(heap.get("python/null", Object.class)).isNull();
        assertThat(heap.find("python/text").orElseThrow().typeName()).isEqualTo("java.lang.String");
    }
}
