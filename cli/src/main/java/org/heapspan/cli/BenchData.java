package org.heapspan.cli;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Classes of the sample graphs; public, because libraries that generate code need that. */
public final class BenchData {
    private BenchData() {}

    /** A person who buys. */
    public record Customer(long id, String name, String email, Instant since) implements Serializable {}

    /** What somebody bought. */
    public record Line(String product, int quantity, double price) implements Serializable {}

    /** How far an order has come. */
    public enum State {
        PLACED,
        PAID,
        SENT
    }

    /** Customers are shared by orders. */
    public record Order(long number, Customer customer, State state, List<Line> lines, Map<String, String> notes)
            implements Serializable {}

    /** A place in the plane. */
    public record Point(double x, double y) implements Serializable {}

    /** Two values that Java boxes. */
    public record Pair(Long first, Double second) implements Serializable {}

    /** An element of a linked list; the hash code of a list would need as much stack as the list is long. */
    public record Node(long value, @Nullable Node next) implements Serializable {}

    /** What plays a film. */
    public enum Player {
        JAVA,
        FLASH
    }

    /** How large a picture is. */
    public enum Size {
        SMALL,
        LARGE
    }

    /** A picture of a film. */
    public record Image(String uri, @Nullable String title, int width, int height, Size size) implements Serializable {}

    /** A film, in the shape of the Java serialization benchmark set (jvm-serializers). */
    public record Media(
            String uri,
            @Nullable String title,
            int width,
            int height,
            String format,
            long duration,
            long size,
            int bitrate,
            boolean hasBitrate,
            List<String> persons,
            Player player,
            @Nullable String copyright)
            implements Serializable {}

    /** A film and its pictures. */
    public record MediaContent(Media media, List<Image> images) implements Serializable {}

    /** An account of a code hosting site. */
    public record Account(long id, String login, String url, boolean admin) implements Serializable {}

    /** Where code is kept. */
    public record Repository(
            long id, String name, Account owner, boolean isPrivate, Map<String, String> urls, Instant created)
            implements Serializable {}

    /** What is talked about. */
    public record Issue(
            long number,
            String title,
            String body,
            Account author,
            List<Account> assignees,
            List<String> labels,
            @Nullable Instant closed)
            implements Serializable {}

    /** Something that happened, as sites tell others: mostly strings, in many small objects. */
    public record Event(String action, Issue issue, Repository repository, Account sender) implements Serializable {}

    /** What a weather station measured, all primitive. */
    public record Reading(
            int station,
            long timeMillis,
            double latitude,
            double longitude,
            double pressure,
            float temperature,
            float humidity,
            float windSpeed,
            float rain,
            int windDirection,
            int visibility,
            int cloudBase,
            long sequence,
            short battery,
            byte quality,
            boolean calibrated)
            implements Serializable {}
}
