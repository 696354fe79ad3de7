package org.heapspan.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.IdentityScope;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The worked dump in {@code docs/formats/image.md} is what the code writes. */
@Tag("once")
final class FormatDocumentTest {
    private static final String BEGIN = "<!-- dump: begin -->";
    private static final String END = "<!-- dump: end -->";

    /** The class of the dump. */
    static final class Order implements Serializable {
        private static final long serialVersionUID = 1L;

        int number = 300;
        boolean paid = true;
        String customer = "Ada";
        List<String> items;
        Order next;
    }

    private static Order order() {
        String pen = "pen";
        Order order = new Order();
        order.items = new ArrayList<>(List.of(pen, "ink", pen));
        order.next = order;
        return order;
    }

    @Test
    void dumpIsWhatTheCodeWrites() throws Exception {
        byte[] image = Heapspan.create().encode(order());
        assertThat(documentedBytes())
                .as("bytes of the dump in docs/formats/image.md; the code writes:%n%s", dump(image))
                .isEqualTo(HexFormat.ofDelimiter(" ").formatHex(image));
    }

    @Test
    void dumpDecodes() throws Exception {
        byte[] image = HexFormat.ofDelimiter(" ").parseHex(documentedBytes());

        Order copy = Heapspan.create().decode(image, Order.class);

        assertThat(copy.number).isEqualTo(300);
        assertThat(copy.paid).isTrue();
        assertThat(copy.customer).isEqualTo("Ada");
        assertThat(copy.items).containsExactly("pen", "ink", "pen");
        assertThat(copy.items.get(2)).isSameAs(copy.items.get(0));
        assertThat(copy.next).isSameAs(copy);
    }

    @Test
    void groupScopesAreWhatTheCodeWrites() throws Exception {
        Object[] record = new Object[2];
        java.util.Arrays.fill(record, new int[] {5});
        for (IdentityScope scope : IdentityScope.values()) {
            GroupWriter writer = Heapspan.create().groupWriter(scope);
            writer.write(record);
            writer.write(record.clone());
            byte[] group = writer.finish();
            String body = HexFormat.ofDelimiter(" ")
                    .formatHex(group, ImageFormat.IMAGE_HEADER_BYTES + ImageFormat.FRAME_HEADER_BYTES, group.length);
            String documented = document()
                    .lines()
                    .filter(line -> line.startsWith(scope + "_SCOPE  "))
                    .map(line -> line.substring(14).replace("| ", ""))
                    .findFirst()
                    .orElseThrow();
            assertThat(documented).isEqualTo(body);
        }
    }

    @Test
    void documentNamesEveryBuiltInTag() throws Exception {
        String document = document();
        for (int tag = 0; tag < ImageFormat.TAG_FIRST_DESCRIBED_TYPE; tag++) {
            Codec codec = BuiltInTypes.codec(tag);
            if (codec != null) {
                assertThat(document).as("row of tag %d, %s", tag, codec.type).contains("\n| " + tag + " | ");
            }
        }
    }

    private static String document() throws Exception {
        Path root = Path.of(System.getProperty("heapspan.root", ".."));
        return Files.readString(root.resolve("docs").resolve("formats").resolve("image.md"));
    }

    /** Lines of the dump are an offset, two blanks, bytes, two blanks, words. */
    private static String documentedBytes() throws Exception {
        String document = document();
        String dump = document.substring(document.indexOf(BEGIN) + BEGIN.length(), document.indexOf(END));
        List<String> bytes = new ArrayList<>();
        for (String line : dump.lines().toList()) {
            if (line.matches("[0-9a-f]{4}  .*")) {
                bytes.add(line.substring(6).split("  ", 2)[0].trim());
            }
        }
        return String.join(" ", bytes);
    }

    private static String dump(byte[] image) {
        StringBuilder lines = new StringBuilder();
        for (int offset = 0; offset < image.length; offset += 16) {
            int end = Math.min(offset + 16, image.length);
            lines.append(String.format(
                    "%04x  %s%n", offset, HexFormat.ofDelimiter(" ").formatHex(image, offset, end)));
        }
        return lines.toString();
    }
}
