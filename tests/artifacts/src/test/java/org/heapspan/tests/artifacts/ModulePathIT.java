package org.heapspan.tests.artifacts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program on the module path: it can use what Heapspan exports, and nothing else. */
final class ModulePathIT {
    @TempDir
    Path folder;

    @Test
    void aModuleUsesTheLibraryAndTheSecondHeap() throws Exception {
        write("module-info.java", "module app { requires org.heapspan.h2; }");
        write("app/Main.java", """
                package app;

                import java.io.Serializable;
                import java.nio.file.Path;
                import java.util.List;
                import org.heapspan.Encoding;
                import org.heapspan.Heapspan;
                import org.heapspan.h2.Label;
                import org.heapspan.h2.SecondHeap;
                import org.heapspan.h2.SecondHeapOptions;

                public class Main {
                    record Order(int number, List<String> items) implements Serializable {}

                    public static void main(String[] arguments) throws Exception {
                        Order order = new Order(1, List.of("a", "b"));
                        Heapspan heapspan = Heapspan.create();
                        check(order.equals(heapspan.decode(heapspan.encode(order), Order.class)));
                        check(order.equals(heapspan.decodeTrusted(heapspan.encode(order, Encoding.RAW), Order.class)));
                        try (SecondHeap heap = SecondHeap.open(Path.of(arguments[0]), SecondHeapOptions.capacity(64L << 20));
                                var handle = heap.tagRoot(order, Label.of(1))) {
                            heap.move(Label.of(1));
                            check(order.equals(handle.get()));
                        }
                        System.out.println("in " + Heapspan.class.getModule() + " and " + SecondHeap.class.getModule());
                    }

                    private static void check(boolean holds) {
                        if (!holds) {
                            throw new AssertionError();
                        }
                    }
                }
                """);
        assertThat(compiled()).isEmpty();
        String output = runMain(Files.createDirectory(folder.resolve("heap")));
        assertThat(output).contains("in module org.heapspan and module org.heapspan.h2");
    }

    @Test
    void aModuleUsesTheGlobalHeap() throws Exception {
        write("module-info.java", "module app { requires org.heapspan.exchange; }");
        write("app/Main.java", """
                package app;

                import org.heapspan.exchange.ExchangeServer;
                import org.heapspan.exchange.ExchangeServerOptions;
                import org.heapspan.exchange.GlobalHeap;

                public class Main {
                    public static void main(String[] arguments) throws Exception {
                        try (ExchangeServer server = ExchangeServer.start(ExchangeServerOptions.port(0));
                                GlobalHeap heap = GlobalHeap.connect(server.url())) {
                            heap.put("key", "value");
                            System.out.println(heap.get("key", String.class) + " in " + GlobalHeap.class.getModule());
                        }
                    }
                }
                """);
        assertThat(compiled()).isEmpty();
        String output = runMain();
        assertThat(output).contains("value in module org.heapspan.exchange");
    }

    /** What replicates keys is not on the module path, and the server says so. */
    @Test
    void aServerThatReplicatesItsKeysSaysWhatIsMissing() throws Exception {
        write("module-info.java", "module app { requires org.heapspan.exchange; }");
        write("app/Main.java", """
                package app;

                import java.io.IOException;
                import java.net.ServerSocket;
                import java.nio.file.Path;
                import org.heapspan.exchange.ExchangeServer;
                import org.heapspan.exchange.ExchangeServerOptions;

                public class Main {
                    public static void main(String[] arguments) throws Exception {
                        int port;
                        try (ServerSocket free = new ServerSocket(0)) {
                            port = free.getLocalPort();
                        }
                        ExchangeServerOptions options = ExchangeServerOptions.port(port)
                                .withDirectory(Path.of(arguments[0]))
                                .withMemory(64L << 20)
                                .replicating("127.0.0.1:" + port + ",127.0.0.1:1,127.0.0.1:2");
                        try (ExchangeServer server = ExchangeServer.start(options)) {
                            System.out.println("started");
                        } catch (IOException e) {
                            System.out.println(e.getMessage());
                        }
                    }
                }
                """);
        assertThat(compiled()).isEmpty();
        String output = runMain(Files.createDirectory(folder.resolve("heap")));
        assertThat(output).contains("servers that replicate their keys need heapspan-replication.jar");
    }

    @Test
    void whatIsInternalIsNotVisible() throws Exception {
        write("module-info.java", "module app { requires org.heapspan.h2; }");
        write("app/Main.java", """
                package app;

                class Main {
                    org.heapspan.image.graph.ImageWriter writer;
                    org.heapspan.vm.VirtualMachine machine;
                    org.heapspan.image.inspect.ImageInspector exported;
                }
                """);
        assertThat(compiled())
                .contains("package org.heapspan.image.graph is not visible", "package org.heapspan.vm is not visible")
                .doesNotContain("image.inspect");
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve("source").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static String modulePath() throws IOException {
        return new PublishedArtifact(PublishedArtifact.LIBRARY).jar() + ":"
                + new PublishedArtifact(PublishedArtifact.SECOND_HEAP).jar() + ":"
                + new PublishedArtifact(PublishedArtifact.EXCHANGE).jar();
    }

    private static String java() {
        return PublishedArtifact.jdk().resolve("bin/java").toString();
    }

    /** What the compiler has to say. */
    private String compiled() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                PublishedArtifact.jdk().resolve("bin/javac").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "--module-path",
                modulePath(),
                "-d",
                folder.resolve("classes").toString(),
                folder.resolve("source/module-info.java").toString(),
                folder.resolve("source/app/Main.java").toString()));
        return run(command);
    }

    /** What {@code app.Main} of the compiled module prints. */
    private String runMain(Path... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                java(),
                "-XX:TieredStopAtLevel=1",
                "--module-path",
                modulePath() + ":" + folder.resolve("classes"),
                "--module",
                "app/app.Main"));
        for (Path argument : arguments) {
            command.add(argument.toString());
        }
        return run(command);
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES))
                    .as("%s ends", command)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(log);
    }
}
