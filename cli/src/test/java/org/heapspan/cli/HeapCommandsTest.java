package org.heapspan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.exchange.SharedValues;
import org.heapspan.testing.Certificates;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** serve, ls, stat, get, put, rm. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class HeapCommandsTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private ExchangeServer server;

    @BeforeEach
    void start() throws Exception {
        server = ExchangeServer.start(ExchangeServerOptions.port(0).withMemory(1 << 24));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private int run(String... arguments) {
        out.reset();
        errors.reset();
        return Main.run(
                arguments,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(errors, true, StandardCharsets.UTF_8));
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String errors() {
        return errors.toString(StandardCharsets.UTF_8);
    }

    private String option() {
        return "--server=" + server.url();
    }

    @Test
    void anImageIsPutListedAndGot() throws Exception {
        byte[] image = Heapspan.create().encode(new String[] {"a", "b"});
        Path file = Files.write(folder.resolve("image"), image);
        assertThat(run("put", option(), "some/key", file.toString()))
                .as(errors())
                .isZero();
        assertThat(output()).contains("key 'some/key' has version 1");
        try (GlobalHeap heap = GlobalHeap.connect(server.url())) {
            assertThat(heap.get("some/key", String[].class)).containsExactly("a", "b");
            heap.put("other", List.of(1));
        }
        assertThat(run("ls", option())).isZero();
        assertThat(output()).contains("size", "  some/key\n", "  other\n");
        assertThat(run("ls", "some", option())).isZero();
        assertThat(output()).contains("some/key").doesNotContain("other");
        assertThat(run("ls", "--json", option())).isZero();
        assertThat(output()).contains("\"key\": \"some/key\"", "\"version\": 1");
        assertThat(run("stat", option(), "some/key")).isZero();
        assertThat(output()).contains("sizeBytes       " + image.length, "type            java.lang.String[]");
        assertThat(run("stat", option())).isZero();
        assertThat(output()).contains("keys            2");

        Path copy = folder.resolve("copy");
        assertThat(run("get", option(), "some/key", copy.toString()))
                .as(errors())
                .isZero();
        assertThat(Files.readAllBytes(copy)).isEqualTo(image);
        assertThat(run("get", option(), "some/key", copy.toString())).isEqualTo(1);
        assertThat(errors()).contains("there is a file");

        assertThat(run("rm", option(), "some/key")).isZero();
        assertThat(run("rm", option(), "some/key")).isEqualTo(1);
        assertThat(errors()).contains("'some/key' has not been committed");
        assertThat(run("get", option(), "some/key", folder.resolve("no").toString()))
                .isEqualTo(1);
        assertThat(folder.resolve("no")).doesNotExist();
    }

    /** A get that is killed leaves no file that looks like an image. */
    @Test
    void aFileGetsItsNameWhenAllOfTheImageIsThere() throws Exception {
        byte[] image = Heapspan.create().encode("x");
        Path file = Files.write(folder.resolve("image"), image);
        assertThat(run("put", option(), "k", file.toString())).isZero();
        Path copy = folder.resolve("copy");
        Path part = Files.writeString(folder.resolve("copy.part"), "of another get");
        assertThat(run("get", option(), "k", copy.toString())).isEqualTo(1);
        assertThat(errors()).contains("there is a file " + part);
        assertThat(part).hasContent("of another get");
        assertThat(copy).doesNotExist();

        Files.delete(part);
        assertThat(run("get", option(), "k", copy.toString())).isZero();
        assertThat(copy).hasBinaryContent(image);
        assertThat(part).doesNotExist();
    }

    @Test
    void onlyCompactImagesArePut() throws Exception {
        Path text = Files.writeString(folder.resolve("text"), "no image");
        assertThat(run("put", option(), "k", text.toString())).isEqualTo(1);
        assertThat(errors()).contains("is no image");
        Path raw = Files.write(folder.resolve("raw"), Heapspan.create().encode("x", Encoding.RAW));
        assertThat(run("put", option(), "k", raw.toString())).isEqualTo(1);
        assertThat(errors()).contains("raw");
        assertThat(run("put", option(), "k", folder.resolve("missing").toString()))
                .isEqualTo(1);
        assertThat(errors()).contains("there is no file");
        assertThat(run("put", option(), "k")).isEqualTo(2);
        assertThat(server.status().keys()).isZero();
    }

    /** Another key, or another server, would not keep the values, and nobody could say later which ones they were. */
    @Test
    void anImageThatRefersToSharedValuesIsNotPut() throws Exception {
        Path refers = folder.resolve("refers");
        Path standsAlone = folder.resolve("stands-alone");
        try (GlobalHeap heap = GlobalHeap.connect(server.url());
                SharedValues shared = heap.share(List.of("a value that is shared"))) {
            heap.put("refers", new String[] {"a value that is shared", "own"});
            heap.put("stands-alone", new String[] {"own"});
            assertThat(shared.address()).isPositive();
        }
        assertThat(run("get", option(), "refers", refers.toString())).isZero();
        assertThat(run("get", option(), "stands-alone", standsAlone.toString())).isZero();
        assertThat(run("put", option(), "k", refers.toString())).isEqualTo(1);
        assertThat(errors())
                .contains("refers 1 time to shared values that are not in it")
                .hasLineCount(1);
        assertThat(run("put", option(), "k", standsAlone.toString()))
                .as(errors())
                .isZero();
        try (GlobalHeap heap = GlobalHeap.connect(server.url())) {
            assertThat(heap.get("k", String[].class)).containsExactly("own");
        }
        assertThat(run("inspect", refers.toString())).isZero();
        assertThat(output()).contains("1 references to shared values outside of the image");
    }

    @Test
    void aServerThatIsNotThereIsOneLine() {
        assertThat(run("ls", "--server", "heapspan://127.0.0.1:1")).isEqualTo(1);
        assertThat(errors())
                .startsWith("heapspan: connecting to heapspan://127.0.0.1:1 failed")
                .hasLineCount(1);
        assertThat(run("ls", "--server", "nonsense")).isEqualTo(2);
        assertThat(errors()).contains("expected heapspan://HOST:PORT");
    }

    @Test
    void secretsAreReadFromFiles() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef\n");
        Path other = Files.writeString(folder.resolve("other"), "0123456789abcdeX\n");
        try (ExchangeServer careful = ExchangeServer.start(
                ExchangeServerOptions.port(0).withMemory(1 << 24).withSecretFile(secret))) {
            String at = "--server=" + careful.url();
            assertThat(run("ls", at, "--secret-file", secret.toString()))
                    .as(errors())
                    .isZero();
            assertThat(run("ls", at, "--secret-file", other.toString())).isEqualTo(1);
            assertThat(errors()).contains("does not know the secret");
            assertThat(run("ls", at)).isEqualTo(1);
            assertThat(errors()).contains("needs a secret");
        }
    }

    @Test
    void serveUsesTlsAndClientsTrustItsCertificate() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.make("server", "-ext", "san=ip:127.0.0.1");
        Path both = Files.writeString(
                folder.resolve("server.pem"),
                Files.readString(certificates.certificate("server")) + Files.readString(certificates.key("server")));
        Path base = Files.createDirectory(folder.resolve("base"));
        Path second = folder.resolve("second");
        Thread thread = new Thread(() -> run(
                "serve", "--port", "0", "--dir", base.toString(), "--tls-certificate=" + both, "--tls-key=" + both));
        thread.start();
        String url = servedUrl();
        assertThat(output()).contains(url + " over TLS with ");
        assertThat(run("ls", "--server", url)).isEqualTo(1);
        assertThat(errors()).contains("both ends must use TLS").hasLineCount(1);
        assertThat(run("stat", "--server", url, "--tls-trust", both.toString()))
                .as(errors())
                .isZero();
        assertThat(run("ls", option(), "--tls-trust", both.toString())).isEqualTo(1);
        assertThat(errors()).contains("does not speak TLS").hasLineCount(1);
        thread.interrupt();
        thread.join(Eventually.MOST_MILLIS);
        assertThat(thread.isAlive()).isFalse();
        assertThat(run("serve", "--tls-key", both.toString())).isEqualTo(2);
        assertThat(errors()).contains("TLS needs both --tls-certificate FILE and --tls-key FILE");
        assertThat(run("serve", "--tls-certificate=no", "--tls-key=no")).isEqualTo(1);
        assertThat(errors()).contains("cannot be started: there is no file no");
    }

    /** When it has said that it serves. */
    private String servedUrl() throws Exception {
        Eventually.holds("it serves", () -> output().contains("Ctrl-C"));
        String rest = output().substring("serving ".length());
        return rest.substring(0, rest.indexOf(' '));
    }

    @Test
    void serveRunsUntilItIsEnded() throws Exception {
        Path base = Files.createDirectory(folder.resolve("base"));
        Path second = folder.resolve("second");
        Thread thread = new Thread(() -> run(
                "serve",
                "--port",
                "0",
                "--memory",
                "1m",
                "--client-memory=512k",
                "--dir",
                base.toString(),
                "--overflow-dir",
                second.toString(),
                "--overflow=2m"));
        thread.start();
        String url = servedUrl();
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            heap.put("k", "v");
            assertThat(heap.status().capacityBytes()).isEqualTo(3 << 20);
            assertThat(heap.status().directory()).startsWith(base.toString());
            assertThat(second).isNotEmptyDirectory();
        }
        thread.interrupt();
        thread.join(Eventually.MOST_MILLIS);
        assertThat(thread.isAlive()).isFalse();
        assertThat(base).isEmptyDirectory();
        assertThat(second).isEmptyDirectory();
        assertThat(output()).contains(base + " and " + second);
    }

    @Test
    void serveJoinsAnotherServer() throws Exception {
        Path base = Files.createDirectory(folder.resolve("keeper"));
        Thread serving = new Thread(() -> run("serve", "--port=0", "--dir", base.toString(), "--join", server.url()));
        serving.start();
        String url = servedUrl();
        assertThat(output()).contains("as a keeper of " + server.url());
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            heap.put("k", "v");
        }
        try (GlobalHeap heap = GlobalHeap.connect(server.url())) {
            assertThat(heap.get("k", String.class)).isEqualTo("v");
        }
        serving.interrupt();
        serving.join(Eventually.MOST_MILLIS);
        assertThat(serving.isAlive()).isFalse();
        assertThat(base).isEmptyDirectory();
        assertThat(run("serve", "--join", server.url(), "--keep")).isEqualTo(2);
        assertThat(run("serve", "--tls-trust", "x")).isEqualTo(2);
        assertThat(run("serve", "--port=0", "--join", "nonsense")).isEqualTo(2);
        assertThat(run("serve", "--port=0", "--join", "heapspan://127.0.0.1:1")).isEqualTo(1);
    }

    @Test
    void serveJoinsAServerThatUsesTls() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.make("alone", "-ext", "san=ip:127.0.0.1");
        String certificate = certificates.certificate("alone").toString();
        try (ExchangeServer encrypted = ExchangeServer.start(ExchangeServerOptions.port(0)
                .withMemory(1 << 24)
                .withTls(certificates.certificate("alone"), certificates.key("alone")))) {
            assertThat(run("serve", "--port=0", "--join", encrypted.url())).isEqualTo(1);
            assertThat(errors()).contains("speaks TLS");
            Thread serving = new Thread(() -> run(
                    "serve",
                    "--port=0",
                    "--dir=" + folder.resolve("keeper"),
                    "--join=" + encrypted.url(),
                    "--tls-trust=" + certificate,
                    "--tls-certificate=" + certificate,
                    "--tls-key=" + certificates.key("alone")));
            serving.start();
            String url = servedUrl();
            assertThat(output()).contains(url + " over TLS as a keeper of " + encrypted.url());
            GlobalHeapOptions client = GlobalHeapOptions.defaults().withTlsTrust(certificates.certificate("alone"));
            try (GlobalHeap atKeeper = GlobalHeap.connect(url, client);
                    GlobalHeap atServer = GlobalHeap.connect(encrypted.url(), client)) {
                atKeeper.put("k", "v");
                assertThat(atServer.get("k", String.class)).isEqualTo("v");
            }
            serving.interrupt();
            serving.join(Eventually.MOST_MILLIS);
            assertThat(serving.isAlive()).isFalse();
        }
    }

    @Test
    void serveChecksTheServersThatReplicateKeys() {
        String three = "127.0.0.1:7077,127.0.0.1:7078,127.0.0.1:7079";
        assertThat(run("serve", "--peers", three, "--keep")).isEqualTo(2);
        assertThat(run("serve", "--peers", three, "--join", server.url())).isEqualTo(2);
        assertThat(run("serve", "--peers", "a:1,b:1", "--dir", folder.toString()))
                .isEqualTo(2);
        assertThat(run("serve", "--peers", three)).isEqualTo(2);
        assertThat(errors()).contains("--dir");
        // The module that has the consensus is not on this class path.
        assertThat(run(
                        "serve",
                        "--peers",
                        three,
                        "--dir",
                        folder.resolve("peer").toString()))
                .isEqualTo(1);
        assertThat(errors()).contains("heapspan-replication.jar");
    }

    /** What servers leave that were killed; SeveralProcessesTest kills one. */
    @Test
    void cleanTellsWhatItHasDeleted() {
        assertThat(run("clean", "--dir", folder.toString())).isZero();
        assertThat(output()).isEqualTo("no killed server has left files in " + folder + "\n");
        assertThat(run("clean", "more")).isEqualTo(2);
    }

    @Test
    void serveRefusesWhatIsUnsafeOrWrong() throws Exception {
        assertThat(run("serve", "--port", "0", "--host", "0.0.0.0")).isEqualTo(2);
        assertThat(errors()).contains("needs a secret", "--allow-anyone");
        assertThat(run("serve", "--memory", "many")).isEqualTo(2);
        assertThat(errors()).contains("such as 4g");
        assertThat(run("serve", "--overflow", "1g")).isEqualTo(2);
        assertThat(errors()).contains("--overflow-dir DIR");
        assertThat(run("serve", "--overflow-dir", folder.toString(), "--overflow", "much"))
                .isEqualTo(2);
        assertThat(run("serve", "--port=0", "--keep", "--overflow-dir", folder.toString()))
                .isEqualTo(2);
        assertThat(errors()).contains("has no overflow folder");
        assertThat(run("serve", "--port", "70000")).isEqualTo(2);
        assertThat(run("serve", "--keep", "--force-after", "61")).isEqualTo(2);
        assertThat(run("serve", "--force-after", "0")).isEqualTo(2);
        assertThat(errors()).contains("--force-after is for keys that are kept (--keep)");
        String port = server.url().substring(server.url().lastIndexOf(':') + 1);
        assertThat(run("serve", "--port", port)).isEqualTo(1);
        assertThat(errors()).contains("cannot be started");
        assertThat(HeapServe.bytes("--memory", "3")).isEqualTo(3);
        assertThat(HeapServe.bytes("--memory", "4G")).isEqualTo(4L << 30);
        assertThatThrownBy(() -> HeapServe.bytes("--memory", "9999999999t"))
                .hasMessageContaining("more than there can be");
    }
}
