package org.heapspan.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Ports;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The page of {@code heapspan serve --page}, from the one jar, as a browser shows it. */
final class StatusPageIT {
    private static final String FOREIGN = "<script>alert('key')</script>";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private static String browser() {
        String browser = System.getProperty("heapspan.chromium", "");
        assumeTrue(!browser.isEmpty(), "no Chromium on this machine; ./dev test says how to get one");
        return browser;
    }

    private Process serve(String name, String... options) throws IOException {
        return serve(0, name, options);
    }

    private Process serve(int port, String name, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("heapspan.jar")
                        + File.pathSeparator
                        + System.getProperty("heapspan.replication.jar"),
                "org.heapspan.cli.Main",
                "serve",
                "--port=" + port,
                "--page=0",
                "--memory=64m",
                "--dir=" + Files.createDirectory(folder.resolve(name))));
        command.addAll(List.of(options));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void end(Process server) throws InterruptedException {
        server.destroy();
        if (!server.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)) {
            server.destroyForcibly();
        }
    }

    @Test
    void aBrowserShowsWhatTheServerHas() throws Exception {
        String browser = browser();
        Process server = serve("files");
        try (BufferedReader lines = server.inputReader()) {
            String url = word(lines.readLine(), "heapspan://[^ ]+");
            String page = word(lines.readLine(), "http://[^ ]+");
            try (GlobalHeap heap = GlobalHeap.connect(url)) {
                for (int i = 0; i < 12; i++) {
                    heap.put("key/" + i, new byte[100_000 * (1 + i % 5)]);
                    heap.get("key/" + i, byte[].class);
                    TimeUnit.MILLISECONDS.sleep(250);
                }
                heap.put(FOREIGN, List.of("a", "b"));
                check(browser, page);
            }
        } finally {
            end(server);
        }
    }

    /** What changes after the page was shown is on it too, on those of both servers. */
    @Test
    void aBrowserShowsKeepersAndWhatChanges() throws Exception {
        String browser = browser();
        Process server = serve("files");
        try (BufferedReader lines = server.inputReader()) {
            String url = word(lines.readLine(), "heapspan://[^ ]+");
            String page = word(lines.readLine(), "http://[^ ]+");
            Process keeper = serve("copies", "--join=" + url);
            try (BufferedReader linesOfKeeper = keeper.inputReader()) {
                String urlOfKeeper = word(linesOfKeeper.readLine(), "heapspan://127[^ ]+(?= as)");
                String pageOfKeeper = word(linesOfKeeper.readLine(), "http://[^ ]+");
                try (GlobalHeap heap = GlobalHeap.connect(urlOfKeeper)) {
                    heap.put("key/first", new byte[100_000]);
                    String dom = domAfterChange(browser, page, () -> heap.put("key/second", new byte[200_000]));
                    assertThat(rows(dom, "key-table")).isEqualTo(2);
                    assertThat(dom).contains("<td class=\"\">key/first</td>", "<td class=\"\">key/second</td>");
                    assertThat(rows(dom, "keeper-table")).isEqualTo(1);
                    assertThat(table(dom, "keeper-table"))
                            .contains("<td class=\"\">" + urlOfKeeper + "</td>", "<td class=\"number\">2</td>");
                    assertThat(dom).doesNotContain("This is a keeper");

                    dom = domAfterChange(browser, pageOfKeeper, () -> heap.remove("key/first"));
                    assertThat(dom)
                            .contains("This is a keeper, with copies of groups of " + url + ". ")
                            .contains("<b id=\"keys\">1</b>");
                    assertThat(table(dom, "keeper-table")).contains("no keepers have joined");
                    assertThat(table(dom, "key-table")).contains("listed on the page of the main server");
                    assertThat(rows(dom, "client-table")).isEqualTo(1);
                }
            } finally {
                end(keeper);
            }
        } finally {
            end(server);
        }
    }

    @Test
    void aBrowserShowsServersThatReplicateTheirKeys() throws Exception {
        String browser = browser();
        List<Integer> ports = Ports.take(3);
        String peers = ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        List<Process> servers = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                servers.add(serve(ports.get(i), "peer-" + i, "--peers=" + peers));
            }
            List<String> pages = new ArrayList<>();
            for (Process each : servers) {
                BufferedReader lines = each.inputReader();
                word(lines.readLine(), "heapspan://[^ ]+(?= as)");
                pages.add(word(lines.readLine(), "http://[^ ]+"));
            }
            GlobalHeapOptions patient =
                    GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(Eventually.MOST_SECONDS));
            try (GlobalHeap heap = GlobalHeap.connect("heapspan://" + peers, patient)) {
                heap.put("replicated", new byte[100_000]);
            }
            String key = "<td class=\"\">replicated</td>";
            int follower = onePageShows(
                    browser,
                    pages,
                    List.of("leads reachable", "not known here", "this server"),
                    "listed on the page of the leader");
            onePageShows(browser, pages, List.of("leads this server", "reachable", "reachable"), key);
            servers.get(follower).destroyForcibly().waitFor();
            pages.remove(follower);
            onePageShows(browser, pages, List.of("leads this server", "reachable", "silent for some time"), key);
        } finally {
            for (Process each : servers) {
                end(each);
            }
        }
    }

    /**
     * Waits until the page of one of several servers shows what it knows of all: the lead may change meanwhile.
     *
     * @param expected what stands behind the addresses of the servers, sorted
     * @param keys what is in the table of the keys
     * @return the number of the page
     */
    private int onePageShows(String browser, List<String> pages, List<String> expected, String keys) throws Exception {
        Set<Integer> found = new TreeSet<>();
        Eventually.holds("a page shows " + expected, () -> {
            for (int i = 0; i < pages.size(); i++) {
                String dom = browse(browser, pages.get(i), folder.resolve("browser"), "--dump-dom");
                List<String> rows = all(table(dom, "peer-table"), "(?<=<tr>).*?(?=</tr>)").stream()
                        .map(row -> row.replaceAll("(<[^>]*>)+", " ").strip())
                        .toList();
                assertThat(rows).as(dom).hasSize(3).allMatch(row -> row.startsWith("heapspan://127.0.0.1:"));
                List<String> known = rows.stream()
                        .map(row -> row.substring(row.indexOf(' ') + 1).replaceAll("[0-9]+ s$", "some time"))
                        .sorted()
                        .toList();
                if (known.equals(expected) && table(dom, "key-table").contains(keys)) {
                    found.add(i);
                }
            }
            return !found.isEmpty();
        });
        return found.iterator().next();
    }

    /**
     * What a browser shows of a page.
     *
     * @param change is made when the page has got its first numbers
     */
    private String domAfterChange(String browser, String page, Runnable change) throws Exception {
        AtomicInteger answers = new AtomicInteger();
        HttpServer between = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        between.createContext("/", exchange -> {
            try (exchange) {
                String path = exchange.getRequestURI().getPath();
                URL target = URI.create(page).resolve(path).toURL();
                HttpURLConnection connection = (HttpURLConnection) target.openConnection();
                byte[] body = connection.getInputStream().readAllBytes();
                for (String name : List.of("Content-Type", "Content-Security-Policy")) {
                    exchange.getResponseHeaders().set(name, connection.getHeaderField(name));
                }
                if (path.endsWith("/status.json") && answers.getAndIncrement() == 0) {
                    change.run();
                }
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        between.start();
        try {
            Path log = folder.resolve("browser");
            String address = "http://127.0.0.1:" + between.getAddress().getPort()
                    + URI.create(page).getPath();
            String dom = browse(browser, address, log, "--dump-dom");
            assertThat(Files.readString(log).lines().filter(line -> line.contains("CONSOLE")))
                    .isEmpty();
            assertThat(answers.get()).as(dom).isGreaterThan(1);
            return dom;
        } finally {
            between.stop(0);
        }
    }

    @Test
    void aJavaWithoutAWebServerIsNamed() throws Exception {
        Path output = folder.resolve("output");
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--limit-modules=java.logging,jdk.jfr,jdk.management,jdk.unsupported",
                        "-jar",
                        System.getProperty("heapspan.jar"),
                        "serve",
                        "--port=0",
                        "--page=0",
                        "--dir=" + Files.createDirectory(folder.resolve("no files")))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!server.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)) {
            server.destroyForcibly().waitFor();
        }
        assertThat(Files.readString(output)).contains("heapspan: the server cannot be started", "jdk.httpserver");
        assertThat(server.exitValue()).isEqualTo(1);
        assertThat(folder.resolve("no files")).isEmptyDirectory();
    }

    private void check(String browser, String page) throws Exception {
        Path log = folder.resolve("browser");
        String dom = browse(browser, page, log, "--dump-dom");
        String said = Files.readString(log);
        assertThat(dom).as(said).contains("<html");
        // Errors of scripts, and what the Content-Security-Policy kept from running.
        assertThat(said.lines().filter(line -> line.contains("CONSOLE"))).isEmpty();
        assertThat(dom).contains("<b id=\"keys\">13</b>", "<b id=\"clients\">1</b>", "<b id=\"chunks\">1</b>");
        assertThat(dom).contains("&lt;script&gt;alert('key')&lt;/script&gt;").doesNotContain(FOREIGN);
        assertThat(rows(dom, "key-table")).isEqualTo(13);
        assertThat(rows(dom, "client-table")).isEqualTo(1);
        assertThat(rows(dom, "chunk-table")).isEqualTo(1);
        assertThat(dom).contains("<td class=\"\">shared memory</td>");
        assertThat(table(dom, "peer-table")).contains("keys are not replicated");
        for (String line : List.of("readBytes", "writtenBytes", "requests", "usedBytes")) {
            String path =
                    all(dom, "<path [^>]*data-line=\"" + line + "\"[^>]*>").get(0);
            List<String> heights = all(path, " [0-9.]+(?=[L\"])");
            assertThat(heights).as("points of %s", line).hasSizeGreaterThan(2);
            assertThat(heights.stream().distinct()).as("%s is not flat", line).hasSizeGreaterThan(1);
        }
        for (String width : List.of("1400,1300", "420,1600")) {
            Path picture = Path.of("target", "status-" + width.substring(0, width.indexOf(',')) + ".png")
                    .toAbsolutePath();
            browse(browser, page, log, "--window-size=" + width, "--hide-scrollbars", "--screenshot=" + picture);
            assertThat(picture).isNotEmptyFile();
        }
    }

    private static String word(String line, String pattern) {
        List<String> found = all(String.valueOf(line), pattern);
        assertThat(found).as(line).hasSize(1);
        return found.get(0);
    }

    private static List<String> all(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .toList();
    }

    private static int rows(String dom, String table) {
        return all(table(dom, table), "<tr>").size();
    }

    private static String table(String dom, String table) {
        int body = dom.indexOf("<tbody", dom.indexOf("id=\"" + table + "\""));
        return dom.substring(body, dom.indexOf("</tbody>", body));
    }

    /** What the browser writes to its output. */
    private String browse(String browser, String page, Path log, String... options)
            throws IOException, InterruptedException {
        Path output = folder.resolve("dom");
        List<String> command = new ArrayList<>(List.of(
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--enable-logging=stderr",
                "--virtual-time-budget=4000",
                "--user-data-dir=" + folder.resolve("browser-profile")));
        command.addAll(List.of(options));
        command.add(page);
        Process process = new ProcessBuilder(command)
                .redirectError(log.toFile())
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            throw new AssertionError("the browser did not end: " + command + "\n" + Files.readString(log));
        }
        return Files.readString(output);
    }
}
