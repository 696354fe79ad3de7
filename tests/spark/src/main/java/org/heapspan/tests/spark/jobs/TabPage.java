package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The tab "Heapspan" of an application, as its own driver sees it while executors still die. */
final class TabPage {
    private static final Pattern ALERT = Pattern.compile("<div class=\"alert [^>]*role=\"alert\">([^<]*)</div>");

    private TabPage() {}

    /** The lines on top that warn. */
    static String alerts(String address) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(address + "/heapspan/")).build();
        String page = HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
        return ALERT.matcher(page)
                .results()
                .map((MatchResult alert) -> alert.group(1))
                .collect(Collectors.joining("; "));
    }
}
