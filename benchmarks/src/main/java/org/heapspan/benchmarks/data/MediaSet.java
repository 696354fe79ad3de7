package org.heapspan.benchmarks.data;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Media contents with the values of jvm-serializers: its standard value (media.1), or the one that is all Unicode and has
 * nulls (media.2). Each record is numbered in its strings and numbers, so that no two are equal.
 */
final class MediaSet implements DataSet {
    private final boolean unicode;

    MediaSet(boolean unicode) {
        this.unicode = unicode;
    }

    @Override
    public String name() {
        return unicode ? "media-unicode" : "media";
    }

    @Override
    public String title() {
        return unicode ? "JSBS media content, Unicode and nulls" : "JSBS media content";
    }

    @Override
    public Object[] records() {
        JsonNode value = JsonFiles.read("js/jsbs/media." + (unicode ? 2 : 1) + ".json");
        Object[] records = new Object[CHUNK_RECORDS];
        for (int i = 0; i < records.length; i++) {
            records[i] = content(value, i);
        }
        return records;
    }

    @Override
    public List<Class<?>> classes() {
        return List.of(MediaContent.class, Media.class, Image.class, Player.class, Size.class, ArrayList.class);
    }

    private static MediaContent content(JsonNode value, int number) {
        MediaContent content = new MediaContent();
        content.media = media(value.get("media"), number);
        content.images = new ArrayList<>();
        for (JsonNode image : value.get("images")) {
            content.images.add(image(image, number));
        }
        return content;
    }

    private static Media media(JsonNode value, int number) {
        Media media = new Media();
        media.uri = text(value, "uri", number);
        media.title = text(value, "title", number);
        media.width = value.get("width").intValue() + number % 100;
        media.height = value.get("height").intValue() + number % 10;
        media.format = text(value, "format", number);
        media.duration = value.get("duration").longValue() + number;
        media.size = value.get("size").longValue() + 100L * number;
        media.hasBitrate = !value.get("bitrate").isNull();
        media.bitrate = media.hasBitrate ? value.get("bitrate").intValue() + number : 0;
        media.persons = new ArrayList<>();
        for (JsonNode person : value.get("persons")) {
            media.persons.add(numbered(person.textValue(), number));
        }
        media.player = Player.valueOf(value.get("player").textValue());
        media.copyright = text(value, "copyright", number);
        return media;
    }

    private static Image image(JsonNode value, int number) {
        Image image = new Image();
        image.uri = text(value, "uri", number);
        image.title = text(value, "title", number);
        image.width = value.get("width").intValue() + number % 100;
        image.height = value.get("height").intValue() + number % 10;
        image.size = Size.valueOf(value.get("size").textValue());
        return image;
    }

    private static String text(JsonNode value, String field, int number) {
        JsonNode text = value.get(field);
        return text.isNull() ? null : numbered(text.textValue(), number);
    }

    /** Puts the number into the text: as long as before, same characters at its end, but distinct content. */
    private static String numbered(String text, int number) {
        String digits = Integer.toString(1000 + number);
        // The last two characters stay: in media.2 it is they that are not Latin, once as a surrogate pair.
        int from = text.length() - 2 - digits.length();
        return text.substring(0, from) + digits + text.substring(text.length() - 2);
    }
}
