package org.heapspan.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.image.memory.Access;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The worked dump of a raw image in {@code docs/formats/image.md} is what the code writes. */
final class RawFormatDocumentTest {
    private static final String BEGIN = "<!-- raw dump: begin -->";
    private static final String END = "<!-- raw dump: end -->";
    private static final String VARIES = "(varies)";

    enum State {
        SENT,
        LOST
    }

    /** The class of the dump. */
    @SuppressWarnings("serial") // Optional is not Serializable; Heapspan does not mind.
    static final class Parcel implements Serializable {
        private static final long serialVersionUID = 1L;

        int number = 300;
        State state = State.LOST;
        String owner = "Ada";
        Optional<String> sender = Optional.of(owner);
        Parcel next = this;
    }

    private static final Heapspan HEAPSPAN = Heapspan.builder().checksum(false).build();

    @Test
    void dumpIsWhatTheCodeWrites() throws Exception {
        var heap = Access.MACHINE.heapLayout();
        Assumptions.assumeTrue(
                heap.referenceSizeBytes() == 4
                        && heap.objectHeaderSizeBytes() == 12
                        && heap.objectAlignmentBytes() == 8
                        && heap.byteArrayBaseOffset() == 16,
                "the dump is of another heap layout");
        byte[] image = HEAPSPAN.encode(new Parcel(), Encoding.RAW);
        byte[] documented = documented(image);
        assertThat(HexFormat.ofDelimiter(" ").formatHex(documented))
                .as("bytes of the raw dump in docs/formats/image.md")
                .isEqualTo(HexFormat.ofDelimiter(" ").formatHex(image));
    }

    /** On a JVM of any layout; the class words of the document are not those of this JVM. */
    @Test
    void dumpDecodes() throws Exception {
        Parcel copy = HEAPSPAN.decodeTrusted(documented(new byte[0]), Parcel.class);

        assertThat(copy.number).isEqualTo(300);
        assertThat(copy.state).isSameAs(State.LOST);
        assertThat(copy.owner).isEqualTo("Ada");
        assertThat(copy.sender.orElseThrow()).isSameAs(copy.owner);
        assertThat(copy.next).isSameAs(copy);
    }

    /**
     * The bytes of the dump.
     *
     * @param actual where the bytes that vary are taken from, as far as it reaches
     */
    private static byte[] documented(byte[] actual) throws Exception {
        Path root = Path.of(System.getProperty("heapspan.root", ".."));
        String document =
                Files.readString(root.resolve("docs").resolve("formats").resolve("image.md"));
        String dump = document.substring(document.indexOf(BEGIN) + BEGIN.length(), document.indexOf(END));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String line : dump.lines().toList()) {
            if (line.matches("[0-9a-f]{4}  .*")) {
                byte[] ofLine = HexFormat.ofDelimiter(" ")
                        .parseHex(line.substring(6).split("  ", 2)[0].trim());
                int at = bytes.size();
                assertThat(Integer.parseInt(line.substring(0, 4), 16)).as(line).isEqualTo(at);
                if (line.contains(VARIES) && actual.length >= at + ofLine.length) {
                    System.arraycopy(actual, at, ofLine, 0, ofLine.length);
                }
                bytes.write(ofLine);
            }
        }
        return bytes.toByteArray();
    }
}
