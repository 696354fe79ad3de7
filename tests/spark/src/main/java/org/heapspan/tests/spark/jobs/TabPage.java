package org.heapspan.tests.spark.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The tab "Heapspan" of an application, as its own driver sees it while executors still die. */
final class TabPage {
    private static final Pattern ALERT = Pattern.compile("<div class=\"alert [^>]*role=\"alert\">([^<]*)</div>");

    private static final int MOST_TRIALS = 1_200;

    private TabPage() {}

    /** Which parts of Heapspan are on, and why others are off: once each executor has told of its own. */
    static String parts(String address) throws IOException, InterruptedException {
        for (int i = 0; ; i++) {
            JsonNode data = new ObjectMapper().readTree(get(address + "/heapspan/json/"));
            List<String> parts = new ArrayList<>();
            boolean complete = false;
            for (JsonNode part : data.get("parts")) {
                parts.add(String.join(
                        " ",
                        part.get("part").asText(),
                        part.get("state").asText(),
                        part.get("why").asText(),
                        part.get("executors").toString()));
                complete |= part.get("part").asText().equals("second heap");
            }
            if (complete || i == MOST_TRIALS) {
                return String.join("; ", parts);
            }
            Thread.sleep(100);
        }
    }

    /** The lines on top that warn. */
    static String alerts(String address) throws IOException, InterruptedException {
        return ALERT.matcher(get(address + "/heapspan/"))
                .results()
                .map((MatchResult alert) -> alert.group(1))
                .collect(Collectors.joining("; "));
    }

    private static String get(String address) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
