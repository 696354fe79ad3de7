package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.heapspan.testing.JavaProcess;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What recordings get to see, in a JVM of its own each: a recording leaves traces in a JVM. */
@SuppressWarnings("serial")
public class FlightRecordingTest {
    @TempDir
    Path folder;

    static final class Link implements Serializable {
        Link next;
    }

    private static void work() {
        Heapspan heapspan = Heapspan.create();
        Link link = null;
        for (int i = 0; i < 200_000; i++) {
            Link next = new Link();
            next.next = link;
            link = next;
        }
        heapspan.decode(heapspan.encode(new String[] {"a", "b"}), String[].class);
        heapspan.decodeTrusted(heapspan.encode(new String[] {"a", "b"}, Encoding.RAW), String[].class);
        heapspan.decodeTrusted(heapspan.encode(link, Encoding.RAW), Link.class);
        GroupWriter writer = heapspan.groupWriter(Encoding.RAW);
        for (int i = 0; i < 10; i++) {
            writer.write("record " + i);
        }
        GroupReader reader = heapspan.trustedGroupReader(writer.finish());
        while (reader.hasNext()) {
            reader.next();
        }
    }

    /** Main class of a JVM that records, or cannot. */
    public static final class Program {
        private Program() {}

        /** Works; with an argument a recording of the work goes into the file of that name. */
        public static void main(String[] arguments) throws Exception {
            work();
            if (arguments.length > 0) {
                Recorded.run(Path.of(arguments[0]));
            }
            System.out.println("engine=" + (VirtualMachine.current().carver() != null ? "direct" : "portable"));
            System.out.println(
                    "module=" + ModuleLayer.boot().findModule("jdk.jfr").isPresent());
            System.out.println("images="
                    + Heapspan.statistics().decoded().get(Encoding.RAW).images());
        }
    }

    private static final class Recorded {
        static void run(Path file) throws Exception {
            try (Recording recording = new Recording()) {
                recording.enable("org.heapspan.Encode").withoutThreshold();
                recording.enable("org.heapspan.Decode").withoutThreshold();
                recording.start();
                work();
                recording.stop();
                recording.dump(file);
            }
        }
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("org.heapspan." + name))
                .toList();
    }

    @Test
    void recordsWhatIsEncodedAndDecoded() throws Exception {
        Assumptions.assumeTrue(VirtualMachine.current().memory() != null, "needs raw memory");
        Path file = folder.resolve("recording.jfr");
        JavaProcess.Result result = JavaProcess.run(Program.class, List.of(), file.toString());
        boolean direct = result.value("engine").equals("direct");
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        List<RecordedEvent> encoded = named(events, "Encode");
        assertThat(encoded)
                .extracting(event -> event.getString("encoding"))
                .containsExactly("COMPACT", "RAW", "RAW", "RAW");
        assertThat(encoded).extracting(event -> event.getLong("records")).containsExactly(1L, 1L, 1L, 10L);
        assertThat(encoded)
                .allSatisfy(event -> assertThat(event.getLong("bytes")).isPositive());
        assertThat(encoded.get(2).getClass("rootClass").getName()).isEqualTo(Link.class.getName());
        List<RecordedEvent> decoded = named(events, "Decode");
        assertThat(decoded)
                .extracting(event -> event.getLong("bytes"))
                .containsExactlyElementsOf(
                        encoded.stream().map(event -> event.getLong("bytes")).toList());
        assertThat(decoded).extracting(event -> event.getLong("records")).containsExactly(1L, 1L, 1L, 10L);
        String first = direct ? "direct" : "portable";
        assertThat(decoded)
                .extracting(event -> event.getString("engine"))
                .containsExactly("portable", first, "portable", first);
        List<RecordedEvent> fallbacks = named(events, "Fallback");
        String reason = (direct ? FallbackReason.DECLINED : FallbackReason.NO_DIRECT_ENGINE).name();
        assertThat(fallbacks).anySatisfy(event -> {
            assertThat(event.getString("reason")).isEqualTo(reason);
            assertThat(event.getLong("chunks")).isPositive();
        });
        if (direct) {
            assertThat(named(events, "Window")).isNotEmpty().allSatisfy(event -> {
                assertThat(event.getLong("windows")).isPositive();
                assertThat(event.getDuration("longest")).isPositive();
            });
        } else {
            assertThat(named(events, "Window")).isEmpty();
        }
    }

    @Test
    void recordsFromTheBeginningAsTheJvmDoes() throws Exception {
        Assumptions.assumeTrue(VirtualMachine.current().memory() != null, "needs raw memory");
        Path file = folder.resolve("recording.jfr");
        JavaProcess.run(Program.class, List.of("-XX:StartFlightRecording:filename=" + file + ",settings=profile"));
        assertThat(named(RecordingFile.readAllEvents(file), "Fallback")).isNotEmpty();
    }

    @Test
    void worksWithoutTheModule() throws Exception {
        Assumptions.assumeTrue(VirtualMachine.current().memory() != null, "needs raw memory");
        JavaProcess.Result result = JavaProcess.run(
                Program.class, List.of("--limit-modules", "java.base,jdk.unsupported,java.logging", "-Xverify:all"));
        assertThat(result.value("module")).isEqualTo("false");
        assertThat(result.value("images")).isEqualTo("3");
    }
}
