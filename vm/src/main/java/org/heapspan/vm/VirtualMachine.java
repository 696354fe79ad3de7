package org.heapspan.vm;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The running JVM: by which means its objects can be reached, how they lie in its heap and how its collector behaves.
 *
 * <p>Means are tried once, best first ({@link AccessMeans}). One that fails is a {@link #findings finding}, never an
 * exception. Property {@value AccessMeans#PROPERTY} forces one means; if that one fails, what is left is
 * {@link AccessMeans#REFLECTION}. Thread-safe and immutable as seen from outside.
 */
public final class VirtualMachine {
    private static final String NATIVE_IMAGE = "this is a GraalVM native image, not HotSpot";

    private final AccessMeans means;
    private final @Nullable RawMemory memory;
    private final @Nullable HotSpotFacts hotSpotFacts;

    // Why something is not in use; null if it is, or was not tried.
    private final @Nullable String factsFailure;
    private final NativeLibrary.@Nullable Failure libraryFailure;
    private final @Nullable String unsafeFailure;

    // Found out when first asked for; both are the same whoever computes them.
    private volatile @Nullable HeapLayout heapLayout;
    private volatile @Nullable Collector collector;

    private volatile @Nullable CarverOpening opening;
    private final AtomicBoolean unreported = new AtomicBoolean(true);

    /**
     * The running JVM; the first call takes a few milliseconds.
     *
     * @throws IllegalArgumentException if property {@value AccessMeans#PROPERTY} has none of its values: correct or
     *     remove it
     */
    public static VirtualMachine current() {
        VirtualMachine machine = Current.MACHINE;
        if (machine == null) {
            throw new IllegalArgumentException(
                    "property " + AccessMeans.PROPERTY + " is '" + System.getProperty(AccessMeans.PROPERTY)
                            + "', expected native, unsafe or reflection; correct or remove it");
        }
        return machine;
    }

    /** Holds null rather than throw: an initializer that throws is reported well only to the first who asks. */
    private static final class Current {
        static final @Nullable VirtualMachine MACHINE = discover(System.getProperty(AccessMeans.PROPERTY));
    }

    private VirtualMachine(
            AccessMeans means,
            @Nullable RawMemory memory,
            @Nullable HotSpotFacts hotSpotFacts,
            @Nullable String factsFailure,
            NativeLibrary.@Nullable Failure libraryFailure,
            @Nullable String unsafeFailure) {
        this.means = means;
        this.memory = memory;
        this.hotSpotFacts = hotSpotFacts;
        this.factsFailure = factsFailure;
        this.libraryFailure = libraryFailure;
        this.unsafeFailure = unsafeFailure;
    }

    private static @Nullable VirtualMachine discover(@Nullable String forced) {
        boolean tryNative = true;
        boolean tryUnsafe = true;
        if (forced != null) {
            tryNative = forced.equals(AccessMeans.NATIVE_LIBRARY.propertyValue());
            tryUnsafe = forced.equals(AccessMeans.SUN_UNSAFE.propertyValue());
            if (!tryNative && !tryUnsafe && !forced.equals(AccessMeans.REFLECTION.propertyValue())) {
                return null;
            }
        }
        // A native image has neither the modules nor the tables of HotSpot.
        if (System.getProperty("org.graalvm.nativeimage.imagecode") != null) {
            NativeLibrary.Failure library = new NativeLibrary.Failure(NATIVE_IMAGE, "use a HotSpot JVM");
            return new VirtualMachine(AccessMeans.REFLECTION, null, null, NATIVE_IMAGE, library, NATIVE_IMAGE);
        }
        NativeLibrary.Failure libraryFailure = null;
        if (tryNative) {
            libraryFailure = NativeLibrary.open();
            if (libraryFailure == null) {
                try {
                    RawMemory memory = RawMemoryCheck.checked();
                    long[] values = new long[HotSpotFacts.COUNT];
                    String rejected = NativeLibrary.readHotSpotFacts(values);
                    HotSpotFacts facts = rejected == null ? HotSpotFacts.of(values) : null;
                    if (facts != null) {
                        rejected = RawMemoryCheck.contradiction(memory, facts);
                    }
                    return new VirtualMachine(
                            AccessMeans.NATIVE_LIBRARY, memory, rejected == null ? facts : null, rejected, null, null);
                } catch (Exception | LinkageError e) {
                    libraryFailure = NativeLibrary.Failure.unexpected(e.toString());
                }
            }
        }
        String unsafeFailure = null;
        if (tryUnsafe) {
            try {
                SunUnsafeDoor.open();
                return new VirtualMachine(
                        AccessMeans.SUN_UNSAFE,
                        RawMemoryCheck.checked(),
                        null,
                        "no native library",
                        libraryFailure,
                        null);
            } catch (Throwable e) { // a method handle declares it
                Throwable cause = e instanceof InvocationTargetException ? e.getCause() : null;
                unsafeFailure = (cause == null ? e : cause).toString();
            }
        }
        return new VirtualMachine(AccessMeans.REFLECTION, null, null, "no raw memory", libraryFailure, unsafeFailure);
    }

    /** By which means objects are reached. */
    public AccessMeans means() {
        return means;
    }

    /** The door to raw object memory, or {@code null} under {@link AccessMeans#REFLECTION}. */
    public @Nullable RawMemory memory() {
        return memory;
    }

    /**
     * The lookup that may see everything ({@code Lookup.IMPL_LOOKUP}), or {@code null} under
     * {@link AccessMeans#REFLECTION}. Never hand it to user code.
     */
    public MethodHandles.@Nullable Lookup trustedLookup() {
        if (memory == null) {
            return null;
        }
        try {
            Field field = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
            memory.ensureClassInitialized(MethodHandles.Lookup.class);
            return (MethodHandles.Lookup)
                    memory.getReference(memory.staticFieldBase(field), memory.staticFieldOffset(field));
        } catch (NoSuchFieldException e) {
            return null; // a future java.base; callers fall back as under REFLECTION
        }
    }

    /**
     * How objects lie in the heap; {@link HeapLayout#UNKNOWN} under {@link AccessMeans#REFLECTION}.
     *
     * <p>Under {@link AccessMeans#SUN_UNSAFE} the first call starts the management classes (tens of milliseconds).
     */
    public HeapLayout heapLayout() {
        HeapLayout layout = heapLayout;
        if (layout == null) {
            if (memory == null) {
                layout = HeapLayout.UNKNOWN;
            } else {
                int alignment = hotSpotFacts == null ? 0 : hotSpotFacts.objectAlignmentBytes();
                layout = HeapLayout.of(memory, alignment == 0 ? ManagementFlags.objectAlignmentBytes() : alignment);
            }
            heapLayout = layout;
        }
        return layout;
    }

    /**
     * The garbage collector.
     *
     * <p>Without the native library the first call starts the management classes (tens of milliseconds).
     */
    public Collector collector() {
        Collector found = collector;
        if (found == null) {
            found = hotSpotFacts == null ? Collector.UNKNOWN : hotSpotFacts.collector();
            if (found == Collector.UNKNOWN) {
                found = ManagementFlags.collector();
            }
            collector = found;
        }
        return found;
    }

    /** Whether objects keep their addresses except while the collector has stopped all threads. */
    public boolean objectsMoveOnlyInPauses() {
        return collector().movesOnlyInPauses();
    }

    /**
     * Absolute address of a 32-bit counter that HotSpot increments in every pause in which objects may move, or 0 if
     * there is none to rely on.
     *
     * <p>Not 0 only with the native library and a collector that {@linkplain #objectsMoveOnlyInPauses moves objects in
     * pauses only}. Between two equal readings ({@link RawMemory#getIntVolatile}) on a Java thread no object moved. The
     * counter wraps around.
     */
    public long collectionCounterAddress() {
        return hotSpotFacts != null && hotSpotFacts.collector().movesOnlyInPauses()
                ? hotSpotFacts.collectionCounterAddress()
                : 0;
    }

    /** What HotSpot's tables say, or {@code null} without the native library and off HotSpot. */
    public @Nullable HotSpotFacts hotSpotFacts() {
        return hotSpotFacts;
    }

    /** What keeps the native library out; {@code null} if it is in, or if another means of access is forced. */
    NativeLibrary.@Nullable Failure libraryFailure() {
        return libraryFailure;
    }

    /** Vector instructions of the processor. */
    public CpuFeatures cpuFeatures() {
        return means == AccessMeans.NATIVE_LIBRARY
                ? CpuFeatures.ofBits(NativeLibrary.cpuFeatures())
                : CpuFeatures.ofProcCpuinfo();
    }

    /**
     * Makes objects of the copies in raw images, where this JVM lets it; {@code null} where it does not, and {@link #findings} say why.
     *
     * <p>The first call may take a tenth of a second. Where a user who did nothing special gets no carver, it says so in one line of
     * {@link System.Logger} at level WARNING. Property {@code heapspan.direct} and environment variable {@code HEAPSPAN_DIRECT}:
     * {@code false} for none, {@code force} to try combinations of JVM, collector and JIT compiler that are not tested. A carver that
     * was {@linkplain Carver#switchOff switched off} is not given out any more.
     */
    public @Nullable Carver carver() {
        CarverOpening opening = opening();
        if (opening.surprising() && unreported.compareAndSet(true, false)) {
            System.getLogger("org.heapspan")
                    .log(
                            System.Logger.Level.WARNING,
                            "direct engine off, the portable engine is used instead: " + opening.why()
                                    + (opening.whatToDo().isEmpty() ? "" : "; " + opening.whatToDo()));
        }
        Carver carver = opening.carver();
        return carver == null || carver.switchedOff() != null ? null : carver;
    }

    /** Values that property {@code heapspan.direct} takes. */
    public static List<String> directEngineSettings() {
        return CarverOpening.SETTINGS;
    }

    /**
     * Opened when first asked for; again if that ended in an error that nobody could catch, at the end of a stack. A static initializer would not
     * run a second time.
     */
    private CarverOpening opening() {
        CarverOpening known = opening;
        if (known == null) {
            synchronized (unreported) {
                known = opening;
                if (known == null) {
                    known = CarverOpening.of(this);
                    opening = known;
                }
            }
        }
        return known;
    }

    /**
     * Everything found out about this JVM and, where it is not at its best, why and what to do. Opens the direct engine, as {@link #carver} does.
     */
    public List<Finding> findings() {
        return Diagnosis.of(this, opening(), libraryFailure, unsafeFailure, factsFailure);
    }

    /**
     * As {@link #findings}, but does not open the direct engine. Until something else has opened it, its state is {@link Finding#UNUSED}, unless it
     * is switched off.
     */
    public List<Finding> findingsSoFar() {
        CarverOpening known = opening;
        CarverOpening decided = known == null ? CarverOpening.ofSettings() : known;
        return Diagnosis.of(this, decided, libraryFailure, unsafeFailure, factsFailure);
    }
}
