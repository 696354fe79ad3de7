package org.heapspan.examples;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.heapspan.examples.DemoData.Account;
import org.heapspan.examples.DemoData.Author;
import org.heapspan.examples.DemoData.Event;
import org.heapspan.examples.DemoData.Everything;
import org.heapspan.examples.DemoData.Link;
import org.heapspan.examples.DemoData.Repository;
import org.heapspan.examples.DemoData.Tweet;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/** Real data for the demo: webhook events as GitHub publishes them and tweets of a search, from an archive of JSON files. */
final class DemoFiles {
    static final String ARCHIVE = "json.tar.xz";

    private static final String EVENTS = "js/octokit-webhooks.json";
    private static final String TWEETS = "js/twitter.json";

    /** Equal accounts and repositories of the files become one object: the graph shares them. */
    private final Map<JsonNode, Object> shared = new HashMap<>();

    private DemoFiles() {}

    /**
     * Reads the files.
     *
     * @throws IOException if the archive is damaged or does not hold them
     */
    static Everything read(Path archive) throws IOException {
        DemoFiles files = new DemoFiles();
        JsonNode events = extract(archive, EVENTS);
        JsonNode tweets = extract(archive, TWEETS);
        return new Everything(files.events(events), files.tweets(tweets.path("statuses")));
    }

    private static JsonNode extract(Path archive, String name) throws IOException {
        try (InputStream file = new BufferedInputStream(Files.newInputStream(archive));
                TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(file))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                if (entry.getName().equals(name)) {
                    return new ObjectMapper()
                            .enable(JsonParser.Feature.ALLOW_COMMENTS)
                            .readTree(tar.readAllBytes());
                }
            }
        } catch (IOException e) {
            throw new IOException("reading " + name + " from " + archive + " failed: " + e.getMessage(), e);
        }
        throw new IOException(archive + " holds no " + name);
    }

    private List<Event> events(JsonNode kinds) {
        List<Event> events = new ArrayList<>();
        for (JsonNode kind : kinds) {
            for (JsonNode example : kind.path("examples")) {
                events.add(new Event(kind.path("name").asText(), map(example)));
            }
        }
        return events;
    }

    private Map<String, Object> map(JsonNode object) {
        Map<String, Object> map = new LinkedHashMap<>();
        object.properties().forEach(field -> map.put(field.getKey(), value(field.getValue())));
        return map;
    }

    private @Nullable Object value(JsonNode node) {
        if (node.isTextual()) {
            return node.textValue();
        } else if (node.isInt()) {
            return node.intValue();
        } else if (node.isIntegralNumber()) {
            return node.longValue();
        } else if (node.isNumber()) {
            return node.doubleValue();
        } else if (node.isBoolean()) {
            return node.booleanValue();
        } else if (node.isArray()) {
            List<Object> list = new ArrayList<>();
            node.forEach(element -> list.add(value(element)));
            return list;
        } else if (node.isObject()) {
            return object(node);
        }
        return null;
    }

    private Object object(JsonNode node) {
        if (node.has("login") && node.has("id") && node.has("type")) {
            Object known = shared.get(node);
            if (known == null) {
                known = new Account(
                        node.get("id").longValue(),
                        node.get("login").asText(),
                        node.get("type").asText(),
                        node.path("site_admin").booleanValue(),
                        node.path("url").asText());
                shared.put(node, known);
            }
            return known;
        }
        if (node.has("full_name") && node.has("owner")) {
            Object known = shared.get(node);
            if (known == null) {
                Map<String, Object> more = map(node);
                Object owner = more.remove("owner");
                known = new Repository(
                        node.path("id").longValue(),
                        node.get("full_name").asText(),
                        node.path("private").booleanValue(),
                        owner,
                        more);
                shared.put(node, known);
            }
            return known;
        }
        return map(node);
    }

    private List<Tweet> tweets(JsonNode statuses) {
        List<Tweet> tweets = new ArrayList<>();
        for (JsonNode status : statuses) {
            tweets.add(tweet(status));
        }
        return tweets;
    }

    private Tweet tweet(JsonNode status) {
        List<Link> links = new ArrayList<>();
        for (JsonNode link : status.at("/entities/urls")) {
            links.add(new Link(
                    link.path("url").asText(),
                    link.path("expanded_url").asText(),
                    link.at("/indices/0").intValue(),
                    link.at("/indices/1").intValue()));
        }
        JsonNode original = status.get("retweeted_status");
        return new Tweet(
                status.get("id").longValue(),
                status.path("created_at").asText(),
                status.path("text").asText(),
                status.path("source").asText(),
                author(status.get("user")),
                status.path("retweet_count").intValue(),
                status.path("favorite_count").intValue(),
                status.path("truncated").booleanValue(),
                status.path("lang").asText(),
                links,
                original == null ? null : tweet(original));
    }

    private Author author(JsonNode user) {
        Object known = shared.get(user);
        if (known == null) {
            known = new Author(
                    user.get("id").longValue(),
                    user.path("name").asText(),
                    user.path("screen_name").asText(),
                    user.path("description").asText(),
                    user.path("followers_count").intValue(),
                    user.path("friends_count").intValue(),
                    user.path("verified").booleanValue());
            shared.put(user, known);
        }
        return (Author) known;
    }
}
