package org.heapspan.examples;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.heapspan.examples.DemoData.Account;
import org.heapspan.examples.DemoData.Author;
import org.heapspan.examples.DemoData.Event;
import org.heapspan.examples.DemoData.Everything;
import org.heapspan.examples.DemoData.Link;
import org.heapspan.examples.DemoData.Repository;
import org.heapspan.examples.DemoData.Tweet;

/** Data for the demo where there are no files: of the same classes and about the same size, the same in every JVM. */
final class DemoGenerator {
    private static final long SEED = 20_260_103L;
    private static final int EVENTS = 330;
    private static final int ACCOUNTS = 50;
    private static final int REPOSITORIES = 40;
    private static final int TWEETS = 100;
    private static final int AUTHORS = 60;

    private static final String[] KINDS = {"push", "issues", "issue_comment", "pull_request", "release", "star", "fork"
    };
    private static final String[] WORDS = {
        "heap",
        "graph",
        "object",
        "image",
        "stream",
        "chunk",
        "record",
        "group",
        "reader",
        "writer",
        "field",
        "class",
        "loader",
        "caf\u00e9",
        "\u56fe",
        "region",
        "collector",
        "reference",
        "identity",
        "cycle"
    };

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final List<Account> accounts = new ArrayList<>();
    private final List<Repository> repositories = new ArrayList<>();

    Everything everything() {
        for (int i = 0; i < ACCOUNTS; i++) {
            String login = word() + "-" + i;
            accounts.add(new Account(
                    1_000_000L + i,
                    login,
                    i % 9 == 0 ? "Organization" : "User",
                    i == 0,
                    "https://example.org/users/" + login));
        }
        for (int i = 0; i < REPOSITORIES; i++) {
            Account owner = one(accounts);
            repositories.add(
                    new Repository(5_000_000L + i, owner.login() + "/" + word(), i % 4 == 0, owner, details(30)));
        }
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            events.add(event(KINDS[i % KINDS.length]));
        }
        return new Everything(events, tweets());
    }

    private Event event(String kind) {
        Map<String, Object> subject = details(40);
        subject.put("title", sentence(6));
        subject.put("body", sentence(40));
        subject.put("user", one(accounts));
        List<Object> assignees = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            assignees.add(one(accounts));
        }
        subject.put("assignees", assignees);
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put("action", random.nextBoolean() ? "created" : "edited");
        payload.put(kind, subject);
        payload.put("repository", one(repositories));
        payload.put("sender", one(accounts));
        return new Event(kind, payload);
    }

    /** Numbers, links and times, as such payloads mostly consist of. */
    private Map<String, Object> details(int count) {
        Map<String, Object> details = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String name = WORDS[i % WORDS.length] + "_" + i;
            Object value = switch (i % 5) {
                case 0 -> "https://example.org/" + word() + "/" + random.nextInt(1_000_000);
                case 1 -> random.nextInt(10_000);
                case 2 -> random.nextBoolean();
                case 3 ->
                    String.format(
                            Locale.ROOT,
                            "2026-01-%02dT%02d:%02d:00Z",
                            i % 28 + 1,
                            random.nextInt(24),
                            random.nextInt(60));
                default -> random.nextLong(Long.MAX_VALUE);
            };
            details.put(name, value);
        }
        return details;
    }

    private List<Tweet> tweets() {
        List<Author> authors = new ArrayList<>();
        for (int i = 0; i < AUTHORS; i++) {
            authors.add(new Author(
                    9_000_000L + i,
                    word() + " " + word(),
                    word() + i,
                    sentence(12),
                    random.nextInt(100_000),
                    random.nextInt(2_000),
                    i % 20 == 0));
        }
        List<Tweet> tweets = new ArrayList<>();
        for (int i = 0; i < TWEETS; i++) {
            String address = "https://example.org/" + random.nextInt(1_000_000);
            tweets.add(new Tweet(
                    7_000_000_000L + i,
                    "Sun Aug 31 00:29:15 +0000 2014",
                    sentence(15),
                    "<a href=\"https://example.org\">" + word() + "</a>",
                    one(authors),
                    random.nextInt(100),
                    random.nextInt(100),
                    false,
                    random.nextBoolean() ? "en" : "fr",
                    List.of(new Link(address, address + "/" + word(), 10, 33)),
                    i % 3 == 2 ? tweets.get(random.nextInt(i)) : null));
        }
        return tweets;
    }

    private <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String word() {
        return WORDS[random.nextInt(WORDS.length)];
    }

    private String sentence(int words) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words; i++) {
            text.append(i == 0 ? "" : " ").append(word());
        }
        return text.toString();
    }
}
