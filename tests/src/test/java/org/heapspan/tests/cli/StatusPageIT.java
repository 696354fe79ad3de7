package org.heapspan.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The page of {@code heapspan serve --page}, from the one jar, as a browser shows it. */
final class StatusPageIT {
    private static final String FOREIGN = "<script>alert('key')</script>";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void aBrowserShowsWhatTheServerHas() throws Exception {
        String browser = System.getProperty("heapspan.chromium", "");
        assumeTrue(!browser.isEmpty(), "no Chromium on this machine; ./dev test says how to get one");
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        System.getProperty("heapspan.jar"),
                        "serve",
                        "--port=0",
                        "--page=0",
                        "--memory=64m",
                        "--dir=" + Files.createDirectory(folder.resolve("files")))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
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
            server.destroy();
            if (!server.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
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
        int body = dom.indexOf("<tbody", dom.indexOf("id=\"" + table + "\""));
        return all(dom.substring(body, dom.indexOf("</tbody>", body)), "<tr>").size();
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
