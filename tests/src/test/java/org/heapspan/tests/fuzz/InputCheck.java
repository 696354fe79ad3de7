package org.heapspan.tests.fuzz;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.heapspan.image.inspect.ImageInspector;
import org.heapspan.image.inspect.InspectedImage;
import org.heapspan.tests.conformance.Samples;

/**
 * Has an input decoded and judges what comes of it: a refusal with a category or a graph, each field and element of which is of its
 * declared type; memory in proportion to the input; and no class that is only described.
 */
final class InputCheck {
    /**
     * Twice what {@code SECURITY.md} lets an input hold in memory for each of its bytes: what is measured here is all that is allocated, garbage
     * too. Where that is more, a {@link SmallHeap} tells.
     */
    static final long MOST_BYTES_PER_INPUT_BYTE = 256;

    /** Twice what it lets any input hold. */
    static final long MOST_FIXED_BYTES = 6 << 20;

    /** How violations begin that differ in their numbers and names only. */
    static final String MEMORY = "memory: ";

    static final String CLASSES = "classes: ";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final byte[] MAGIC = "HSPI".getBytes(StandardCharsets.US_ASCII);
    private static final ImageInspector INSPECTOR = new ImageInspector(1, 1);

    private static final Set<String> ENUM_SETS = Set.of("java.util.RegularEnumSet", "java.util.JumboEnumSet");

    private final Samples samples;
    private final RecordingLoader loader;
    private final SmallHeap smallHeap;
    private final GraphWalk walk = new GraphWalk();
    private String outcome = "";
    private boolean endlessHash;
    private long largestRatio;

    /** Creates one for the decoder of samples, whose loader is {@code loader} and whose codec has this name. */
    InputCheck(Samples samples, RecordingLoader loader, String codec) {
        this.samples = samples;
        this.loader = loader;
        smallHeap = new SmallHeap(codec);
    }

    /** What came of the latest input: {@code decoded}, or why not. */
    String outcome() {
        return outcome;
    }

    /** How many bytes were allocated for each byte of an input at most, where they were many. */
    long largestRatio() {
        return largestRatio;
    }

    boolean isDecoded() {
        return outcome.equals("decoded");
    }

    /** Decodes; returns what is wrong with that, or nothing. */
    String decode(byte[] input) {
        String violation = decodeOnce(input);
        if (violation.startsWith(MEMORY)) {
            // The first time classes are loaded and code is made.
            violation = decodeOnce(input);
        }
        return violation.startsWith(MEMORY) && isGarbage(input) ? "" : violation;
    }

    private boolean isGarbage(byte[] input) {
        try {
            return smallHeap.holds(input);
        } catch (IOException e) {
            throw new UncheckedIOException("no JVM with a small heap", e);
        }
    }

    private String decodeOnce(byte[] input) {
        loader.forget();
        outcome = "";
        endlessHash = false;
        Object root = null;
        String violation = "";
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            root = samples.decode(input);
            outcome = "decoded";
        } catch (OutOfMemoryError | StackOverflowError e) {
            violation = described(e);
        } catch (Throwable e) {
            violation = judged(e);
        }
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        if (violation.isEmpty() && !endlessHash) {
            violation = excess(allocated, input.length);
        }
        if (violation.isEmpty() && !samples.isTrusting()) {
            violation = unusedClass(input);
        }
        if (violation.isEmpty() && root != null && !samples.isInspector()) {
            String fault = walk.fault(root);
            violation = fault.isEmpty() ? "" : "types: " + fault;
        }
        return violation;
    }

    private String excess(long allocated, int inputBytes) {
        if (allocated > MOST_FIXED_BYTES / 2) {
            largestRatio = Math.max(largestRatio, allocated / Math.max(1, inputBytes));
        }
        return allocated <= MOST_FIXED_BYTES + MOST_BYTES_PER_INPUT_BYTE * inputBytes
                ? ""
                : MEMORY + allocated + " bytes were allocated for an input of " + inputBytes + ", expected at most "
                        + MOST_FIXED_BYTES + " and " + MOST_BYTES_PER_INPUT_BYTE + " for each byte";
    }

    /** Hash codes without an end take memory as long as the stack lasts, which {@code SECURITY.md} states apart. */
    private static boolean hasEndlessHash(Throwable e) {
        return String.valueOf(e.getMessage()).contains("hashCode, equals or compareTo of its keys nest too deeply");
    }

    private String judged(Throwable e) {
        String category = samples.category(e);
        if (!category.isEmpty()) {
            outcome = category;
            endlessHash = hasEndlessHash(e);
            return "";
        }
        // The streams promise what ObjectInputStream promises; the route's own checks see other values.
        if (samples.isStream() && (e instanceof IOException || e instanceof ClassNotFoundException)) {
            outcome = e.getClass().getSimpleName();
            return "";
        }
        if (e.getClass() == AssertionError.class
                && e.getStackTrace()[0].getClassName().endsWith(".Check")) {
            outcome = "other values";
            return "";
        }
        return described(e);
    }

    /** Says which class was looked for of which the image has no object. */
    private String unusedClass(byte[] input) {
        Set<String> asked = new HashSet<>(loader.asked());
        if (asked.isEmpty() || input.length < MAGIC.length || input[0] != MAGIC[0]) {
            return "";
        }
        InspectedImage image;
        try {
            image = INSPECTOR.inspect(input);
        } catch (RuntimeException e) {
            return "";
        }
        if (image.problem() != null) {
            return "";
        }
        Set<String> used = new HashSet<>();
        image.classes().forEach(each -> used.add(each.className()));
        // Sets and maps of enums name them by bits, which are no objects.
        boolean hasEnumBits =
                used.contains("java.util.EnumMap") || used.stream().anyMatch(ENUM_SETS::contains);
        Set<String> mayBeAsked = new HashSet<>();
        for (InspectedImage.Type each : image.types()) {
            if (used.contains(each.name()) || hasEnumBits && each.kind().equals("ENUM")) {
                mayBeAsked.add(each.name());
                mayBeAsked.addAll(each.names());
            }
        }
        for (InspectedImage.Type each : image.types()) {
            if (!used.contains(each.name()) && !mayBeAsked.contains(each.name())) {
                Set<String> names = new HashSet<>(each.kind().equals("PROXY") ? each.names() : Set.of(each.name()));
                names.retainAll(asked);
                names.removeAll(mayBeAsked);
                names.removeIf(name -> isText(input, image, name));
                if (!names.isEmpty()) {
                    return CLASSES + names + " looked for, and the image only describes them";
                }
            }
        }
        return "";
    }

    /** Whether a body has the name too, for a class as a value or the text of a method. */
    private static boolean isText(byte[] input, InspectedImage image, String name) {
        String text = new String(input, StandardCharsets.ISO_8859_1);
        return image.frames().first().stream().anyMatch(frame -> {
            int body = (int) frame.offset() + 12 + frame.typesBytes();
            int at = text.indexOf(name, Math.min(body, text.length()));
            return at >= 0 && at < body + frame.bodyBytes() || text.indexOf(name.replace('.', '/'), body) >= 0;
        });
    }

    private static String described(Throwable e) {
        StringBuilder text = new StringBuilder(e.toString());
        StackTraceElement[] trace = e.getStackTrace();
        for (int i = 0; i < Math.min(25, trace.length); i++) {
            text.append("\n  at ").append(trace[i]);
        }
        if (e.getCause() != null) {
            text.append("\ncaused by ").append(e.getCause());
        }
        return new String(text.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
