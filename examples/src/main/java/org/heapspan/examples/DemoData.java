package org.heapspan.examples;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the demo sends: webhook events and tweets as objects.
 *
 * @param source where they are from, to be shown
 * @param everything the graph
 */
public record DemoData(String source, Everything everything) {

    /** All that is sent. */
    public record Everything(List<Event> events, List<Tweet> tweets) implements Serializable {}

    /** Something that happened on GitHub. */
    public record Event(String kind, Map<String, Object> payload) implements Serializable {}

    /** Who did it. */
    public record Account(long id, String login, String type, boolean siteAdmin, String url) implements Serializable {}

    /** Where it was done. */
    public record Repository(
            long id,
            String fullName,
            boolean isPrivate,
            @Nullable Object owner,
            Map<String, Object> more) implements Serializable {}

    /** A tweet. */
    public record Tweet(
            long id,
            String createdAt,
            String text,
            String source,
            Author author,
            int retweets,
            int favorites,
            boolean truncated,
            String language,
            List<Link> links,
            @Nullable Tweet original)
            implements Serializable {}

    /** Who wrote it. */
    public record Author(
            long id, String name, String screenName, String description, int followers, int friends, boolean verified)
            implements Serializable {}

    /** A link in a tweet. */
    public record Link(String url, String expandedUrl, int begin, int end) implements Serializable {}

    /**
     * Reads the files where there are any, else makes up data of the same classes; two JVMs get equal graphs.
     *
     * @throws IOException if there is an archive that cannot be read
     */
    static DemoData find() throws IOException {
        Path archive = Path.of(System.getProperty("heapspan.data", "../shared/data"), DemoFiles.ARCHIVE);
        return Files.exists(archive)
                ? new DemoData(
                        DemoFiles.ARCHIVE + ", events as GitHub publishes them and tweets of a search",
                        DemoFiles.read(archive))
                : new DemoData(
                        "made-up events and tweets, because there is no " + archive.normalize()
                                + " (HEAPSPAN_DATA names another folder)",
                        new DemoGenerator().everything());
    }
}
