package org.heapspan.vm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether this JVM gets a carver, and opens it: only where the combination of JVM, collector and JIT compiler is one that is
 * tested, and only after a test of itself.
 *
 * @param carver the carver, or {@code null}
 * @param why what it stands on, or why there is none
 * @param whatToDo how to get one; empty if there is one or nothing helps
 * @param surprising whether a user who did nothing special gets none
 */
record CarverOpening(@Nullable Carver carver, String why, String whatToDo, boolean surprising) {
    /** Name of the property that switches the direct engine off ({@code false}) or tries untested combinations ({@code force}). */
    static final String PROPERTY = "heapspan.direct";

    /** The same as an environment variable; the property wins. */
    static final String ENVIRONMENT = "HEAPSPAN_DIRECT";

    /** Values of both. */
    static final List<String> SETTINGS = List.of("true", "false", "force");

    private static final List<Integer> TESTED_VERSIONS = List.of(17, 21, 25);

    private static final long MIN_CALIBRATION_NANOS = 1_000_000;

    static CarverOpening of(VirtualMachine machine) {
        try {
            return asWished(machine);
        } catch (Throwable e) {
            // Also at the end of a stack, where the first image may be read, or where a class of the JDK could not be
            // initialized: whatever it is must not disable the portable engine.
            return none(e.toString(), "report this; the portable engine does the work", true);
        }
    }

    private static CarverOpening asWished(VirtualMachine machine) {
        CarverOpening refused = ofSettings();
        if (refused != null) {
            return refused;
        }
        String veto = DirectEngineGate.veto();
        return veto == null ? of(machine, wish().equals("force")) : none(veto, "", true);
    }

    private static String wish() {
        String property = System.getProperty(PROPERTY);
        String environment = System.getenv(ENVIRONMENT);
        return property != null ? property : environment != null ? environment : "true";
    }

    /** What the settings alone decide; null if they let a carver be opened. Opens nothing. */
    static @Nullable CarverOpening ofSettings() {
        String wish = wish();
        String source =
                (System.getProperty(PROPERTY) != null ? "-D" + PROPERTY : "environment " + ENVIRONMENT) + "=" + wish;
        if (!SETTINGS.contains(wish)) {
            return none(source + " is not true, false or force", "correct or remove it", true);
        }
        if (wish.equals("false")) {
            return none("switched off by " + source, "remove it", false);
        }
        return null;
    }

    private static CarverOpening of(VirtualMachine machine, boolean forced) {
        RawMemory memory = machine.memory();
        HotSpotFacts facts = machine.hotSpotFacts();
        if (machine.means() != AccessMeans.NATIVE_LIBRARY || memory == null) {
            NativeLibrary.Failure failure = machine.libraryFailure();
            return failure == null
                    ? none("needs the native library", "remove -D" + AccessMeans.PROPERTY, false)
                    : none("needs the native library: " + failure.why(), failure.whatToDo(), !failure.wanted());
        }
        if (facts == null) {
            return none("needs HotSpot's tables", "use a HotSpot JVM of version 17, 21 or 25", true);
        }
        if (!facts.collector().movesOnlyInPauses()) {
            return none(
                    facts.collector().displayName() + " moves objects while the program runs",
                    "use -XX:+UseG1GC, -XX:+UseParallelGC or -XX:+UseSerialGC",
                    true);
        }
        CpuPath limit = CpuPath.limit(System.getProperty(CpuPath.PROPERTY));
        if (limit == null) {
            return none(
                    "-D" + CpuPath.PROPERTY + "=" + System.getProperty(CpuPath.PROPERTY)
                            + " is not scalar, avx2 or avx512",
                    "correct or remove it",
                    true);
        }
        return open(machine, memory, facts, limit, forced);
    }

    private static CarverOpening none(String why, String whatToDo, boolean surprising) {
        return new CarverOpening(null, why, whatToDo, surprising);
    }

    private static CarverOpening open(
            VirtualMachine machine, RawMemory memory, HotSpotFacts facts, CpuPath limit, boolean forced) {
        long firstTicks = CarvingLibrary.ticks();
        long firstNanos = System.nanoTime();
        long workshopBytes = CarvingLibrary.workshopBytes();
        if (CarvingLibrary.requestBytes() != RequestBlock.BYTES) {
            return none("the native library lays requests out otherwise", "use the library of this jar", true);
        }
        long workshop = memory.allocateMemory(workshopBytes); // lives as long as the JVM
        memory.setMemory(null, workshop, workshopBytes, (byte) 0);
        long[] values = new long[CarvingLibrary.VALUE_COUNT];
        String failure = CarvingLibrary.open(workshop, limit.number(), values);
        if (failure != null) {
            return none(failure, "use a HotSpot JVM of version 17, 21 or 25", true);
        }
        String untested = untested(values[CarvingLibrary.OTHER_COMPILER] != 0);
        if (untested != null && !forced) {
            return none(untested + " is not tested", "-D" + PROPERTY + "=force tries it all the same", true);
        }
        boolean criticalCall = Carver.usesCriticalCall();
        if (criticalCall && CriticalCall.failure() != null) {
            return none(
                    "no critical calls: " + CriticalCall.failure(), "use a JDK with its own linker for x86-64", true);
        }
        // Behind the other door walks over the heap go on, to which class and length must change in one store.
        if (!criticalCall && values[CarvingLibrary.CLASS_WORDS_CHANGE_AT_ONCE] == 0) {
            return none("class pointers are not compressed", "remove -XX:-UseCompressedClassPointers", true);
        }
        if (!criticalCall && values[CarvingLibrary.REGIONS_CAN_BE_PINNED] != 0) {
            return none(
                    "JNI critical sections do not lock this JVM's collector", "use a JDK of the OpenJDK project", true);
        }

        HeapLayout layout = machine.heapLayout();
        ClassInspector inspector =
                new ClassInspector(memory, layout, facts, workshop, values[CarvingLibrary.CLASS_POINTER_OFFSET]);
        Class<?> numbers = Carver.numberArrayType(layout);
        ClassInspector.Verdict numberArray = inspector.inspect(numbers);
        ClassInspector.Verdict objectArray = inspector.inspect(Object[].class);
        if (numberArray.facts() == null || objectArray.facts() == null) {
            return none("arrays: " + numberArray.refusal() + ", " + objectArray.refusal(), "report this", true);
        }
        if (memory.arrayBaseOffset(numbers) != layout.referenceArrayBaseOffset()) {
            return none("arrays of numbers and of references begin differently", "report this", true);
        }
        long baseOffsets = layout.referenceArrayBaseOffset() | (long) layout.byteArrayBaseOffset() << 8;
        long elapsed = System.nanoTime() - firstNanos;
        while (elapsed < MIN_CALIBRATION_NANOS) {
            Thread.onSpinWait();
            elapsed = System.nanoTime() - firstNanos;
        }
        double nanosPerTick = (double) elapsed / Math.max(1, CarvingLibrary.ticks() - firstTicks);
        CarvingLibrary.complete(
                workshop, numberArray.facts().classWord(), objectArray.facts().classWord(), baseOffsets, (long)
                        (nanosPerTick * (1L << 32)));

        CpuPath path = CpuPath.of(values[CarvingLibrary.CPU_PATH]);
        // The table's address is the workshop's first word.
        Carver carver = new Carver(
                inspector,
                new KnownClasses(memory, workshop),
                layout,
                workshop,
                values[CarvingLibrary.MAX_OBJECT_BYTES]);
        String wrong = new CarverSelfTest(carver, memory, layout).run();
        if (wrong != null && wrong.startsWith(CarverSelfTest.COPIES)) {
            return none(CarverSelfTest.COPIES, "remove -Xcheck:jni", true);
        }
        if (wrong != null) {
            return none("the test of itself failed: " + wrong, "report this; the portable engine does the work", true);
        }
        carver.forgetStatistics();
        String door = criticalCall ? "critical calls of the linker" : "JNI critical sections";
        return new CarverOpening(
                carver,
                door + ", " + path.propertyValue()
                        + (untested == null ? "" : "; forced, " + untested + " is not tested"),
                "",
                false);
    }

    private static @Nullable String untested(boolean otherCompiler) {
        int version = Runtime.version().feature();
        if (!TESTED_VERSIONS.contains(version)) {
            return "Java " + version;
        } else if (!System.getProperty("jdk.debug", "release").equals("release")) {
            return "a debug build of the JVM";
        } else if (otherCompiler) {
            return "a JIT compiler other than HotSpot's";
        }
        return null;
    }
}
