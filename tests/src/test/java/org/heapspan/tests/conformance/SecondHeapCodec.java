package org.heapspan.tests.conformance;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.heapspan.Encoding;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.h2.H2Sequence;
import org.heapspan.h2.Label;
import org.heapspan.h2.SecondHeap;
import org.heapspan.h2.SecondHeapOptions;
import org.heapspan.tests.conformance.ConformanceCase.TransientMode;
import org.heapspan.tests.conformance.ConformanceCase.Trust;

/**
 * What is read from the file of a second heap: bytes take the place there of a group that was appended, behind the back of the heap.
 * For one thread, on Linux, where a file without a name is found among those that the process holds open.
 */
final class SecondHeapCodec implements Codec {
    private static final int MOST_PLACES = 5000;
    private static final int MAGIC = 0x49505348;
    private static final int MARK_BYTES = 16;
    private static final int IMAGE_HEADERS_BYTES = 20;
    private static final long CAPACITY_BYTES = 64 << 20;

    private final boolean checksum;
    private final Heapspan heapspan;
    private final SplittableRandom random = new SplittableRandom(1);

    /** By length. */
    private final TreeMap<Integer, Place> places = new TreeMap<>();

    private SecondHeap heap;
    private FileChannel file;

    /** Up to where the file is known: places follow each other. */
    private int searched;

    /** Of a group beside the bytes of the one text in it. */
    private int overheadBytes;

    private record Place(long offset, H2Sequence<Object> sequence) {}

    SecondHeapCodec(boolean checksum) {
        this.checksum = checksum;
        heapspan = Heapspan.builder().checksum(checksum).build();
    }

    @Override
    public String name() {
        return checksum ? "heapspan:second-heap" : "heapspan:second-heap-unchecked";
    }

    @Override
    public String category(Throwable refusal) {
        return refusal instanceof HeapspanException e ? e.category().name() : "";
    }

    @Override
    public byte[] encode(Object root, TransientMode mode) {
        // What the heap stores.
        GroupWriter group = heapspan.groupWriter(Encoding.RAW);
        group.write(root);
        return group.finish();
    }

    @Override
    public Object decode(byte[] bytes, TransientMode mode, Trust trust, ClassLoader loader) throws IOException {
        if (heap == null) {
            open(loader);
        }
        if (!places.containsKey(bytes.length) && places.size() < MOST_PLACES) {
            addPlace(Math.max(MARK_BYTES, bytes.length - overheadBytes));
        }
        Map.Entry<Integer, Place> chosen = places.floorEntry(bytes.length);
        if (chosen == null) {
            chosen = places.firstEntry();
        }
        ByteBuffer content = ByteBuffer.allocate(chosen.getKey());
        content.put(bytes, 0, Math.min(bytes.length, chosen.getKey())).rewind();
        Place place = chosen.getValue();
        while (content.hasRemaining()) {
            file.write(content, place.offset + content.position());
        }
        List<Object> elements = new ArrayList<>();
        try (var iterator = place.sequence.iterator()) {
            for (Iterator<Object> each = iterator; each.hasNext(); ) {
                elements.add(each.next());
            }
        }
        return elements;
    }

    private void open(ClassLoader loader) throws IOException {
        Path directory = Files.createTempDirectory("heapspan-fuzz");
        Heapspan reading =
                Heapspan.builder().checksum(checksum).classLoader(loader).build();
        heap = SecondHeap.open(
                directory,
                SecondHeapOptions.capacity(CAPACITY_BYTES)
                        .withRegionBytes(SecondHeapOptions.LEAST_REGION_BYTES)
                        .withoutThresholds()
                        .withHeapspan(reading));
        overheadBytes = addPlace(1 << 10) - (1 << 10);
        // The one file has no name by now.
        Files.delete(directory);
    }

    /** Appends a text, whose group will give way to others; returns the length of the group. */
    private int addPlace(int textBytes) throws IOException {
        byte[] text = new byte[textBytes];
        Arrays.fill(text, (byte) '.');
        for (int i = 0; i < MARK_BYTES; i++) {
            text[i] = (byte) ('a' + random.nextInt(26));
        }
        byte[] mark = Arrays.copyOf(text, MARK_BYTES);
        // Of an Optional a group has as many bytes as it takes; objects that are copied take multiples of eight.
        H2Sequence<Object> sequence =
                heap.append(Label.of(1), List.of(Optional.of(new String(text, StandardCharsets.US_ASCII))));
        if (file == null) {
            file = openedFile();
        }
        ByteBuffer all = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()).order(ByteOrder.LITTLE_ENDIAN);
        int offset = find(all, mark, searched);
        searched = offset;
        while (all.getInt(offset) != MAGIC) {
            offset--;
        }
        int length = IMAGE_HEADERS_BYTES + all.getInt(offset + 8) + all.getInt(offset + 12);
        places.put(length, new Place(offset, sequence));
        return length;
    }

    private static int find(ByteBuffer all, byte[] wanted, int from) {
        ByteBuffer mark = ByteBuffer.wrap(wanted);
        for (int at = from; at <= all.limit() - wanted.length; at++) {
            if (all.get(at) == wanted[0] && all.slice(at, wanted.length).equals(mark)) {
                return at;
            }
        }
        throw new AssertionError("the file does not hold what was appended to the second heap");
    }

    private static FileChannel openedFile() throws IOException {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : open) {
                if (isRegions(each)) {
                    return FileChannel.open(each, StandardOpenOption.READ, StandardOpenOption.WRITE);
                }
            }
        }
        throw new AssertionError("no file of a second heap is open");
    }

    private static boolean isRegions(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("heapspan-h2-");
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }
}
