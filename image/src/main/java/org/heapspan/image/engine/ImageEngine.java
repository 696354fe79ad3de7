package org.heapspan.image.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.OutputStream;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.heapspan.Encoding;
import org.heapspan.EngineStatistics;
import org.heapspan.FieldUpdate;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.LoaderScopes;
import org.heapspan.Mode;
import org.heapspan.ObjectLinks;
import org.heapspan.TypeRegistry;
import org.heapspan.image.format.BufferSink;
import org.heapspan.image.format.ChannelInput;
import org.heapspan.image.format.FrameSink;
import org.heapspan.image.format.FrameSource;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.Limits;
import org.heapspan.image.format.StreamSource;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.graph.FindableClasses;
import org.heapspan.image.graph.Handover;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.RegisteredTypes;
import org.heapspan.image.graph.SmallCopy;
import org.heapspan.image.graph.TypeResolver;
import org.heapspan.image.memory.Pool;
import org.heapspan.image.memory.StackRoom;
import org.heapspan.image.policy.PolicyCodecRegistry;
import org.heapspan.image.raw.RawImageReader;
import org.heapspan.image.raw.RawImageWriter;
import org.heapspan.image.statistics.EngineCounters;
import org.heapspan.image.type.NamePattern;
import org.heapspan.vm.Finding;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind {@link org.heapspan.Heapspan}: writers and readers for one set of options. Internal; use the facade.
 *
 * <p>Thread-safe.
 */
public final class ImageEngine {
    private final CodecRegistry registry;
    private final @Nullable ObjectInputFilter filter;
    private final boolean followsJvmFilter;
    private final List<NamePattern> allowed;
    private final @Nullable ClassLoader loader;
    private final Limits limits;
    private volatile @Nullable Untrusting untrusting;
    private final int flags;
    private final Pool<ImageWriter> writers;
    private final Pool<ImageReader> copyReaders;
    private final Pool<ImageReader> trustingReaders;
    private final TypeResolver trustingResolver;
    private final @Nullable RegisteredTypes registeredTypes;

    /** Set if nothing may be written that {@link #trustingReaders} would not find the class of. */
    private final @Nullable FindableClasses findable;

    /** Set if trusted images are to be decoded twice now and then. */
    private final @Nullable Verification verification;

    /**
     * Creates an engine.
     *
     * @param mode what happens to transient fields
     * @param updates fields that get their values after arrival
     * @param links objects that images refer to and do not hold; null for none
     * @param checksum whether frames carry a CRC32C
     * @param filter asked for each class; null for none
     * @param followsJvmFilter whether the filter of the JVM is asked in place of {@code filter}, as it is when something is read
     * @param allowed patterns of admitted class names; empty for no allow-list
     * @param loader where classes are found; null for the context class loader of the reading thread
     * @param findableOnly whether objects are refused whose classes would not be found
     * @param limits what a reader is willing to take
     * @param typeRegistry numbers for types; null to describe them in each image
     * @param loaderScopes names of the loaders whose classes the registry tells apart
     * @param verifiedShare how many of the trusted raw images both engines decode, 0 to 1
     */
    public ImageEngine(
            Mode mode,
            Map<Field, FieldUpdate> updates,
            @Nullable ObjectLinks links,
            boolean checksum,
            @Nullable ObjectInputFilter filter,
            boolean followsJvmFilter,
            List<String> allowed,
            @Nullable ClassLoader loader,
            boolean findableOnly,
            Limits limits,
            @Nullable TypeRegistry typeRegistry,
            LoaderScopes loaderScopes,
            double verifiedShare) {
        registeredTypes = typeRegistry == null ? null : new RegisteredTypes(typeRegistry, loaderScopes);
        registry = PolicyCodecRegistry.of(mode, updates, links);
        this.filter = filter;
        this.followsJvmFilter = followsJvmFilter;
        this.allowed = NamePattern.parseAll(allowed);
        this.loader = loader;
        this.limits = limits;
        flags = (checksum ? ImageFormat.FLAG_CHECKSUM : 0) | (mode == Mode.CLONE ? ImageFormat.FLAG_CLONE : 0);
        // Classes, not lambdas, here and wherever else a first use comes along: the first lambda of a JVM is slow to
        // make.
        writers = new Pool<>() {
            @Override
            public ImageWriter make() {
                ImageWriter made = newWriter();
                EngineCounters.register(made);
                return made;
            }

            @Override
            public boolean isReusable(ImageWriter idle) {
                return !idle.isAbandoned();
            }
        };
        trustingResolver = new TypeResolver(
                registry, new TypeResolver.Admission(true, null, List.of(), loader, limits), registeredTypes);
        trustingReaders = new ReaderPool(trustingResolver);
        findable = findableOnly ? new FindableClasses(trustingResolver, loader, registeredTypes) : null;
        verification = verifiedShare == 0 ? null : new Verification(verifiedShare, trustingResolver, registry);
        copyReaders = new ReaderPool(new TypeResolver(registry, TypeResolver.Admission.everything(), null));
    }

    /**
     * What reads bytes that need not be trusted.
     *
     * @param filter the filter of all its readers
     * @param resolver resolves types with it
     * @param readers idle readers
     */
    private record Untrusting(@Nullable ObjectInputFilter filter, TypeResolver resolver, Pool<ImageReader> readers) {}

    /**
     * Made by the first read, and again if the JVM has another filter since: asking the JVM for its filter starts its logging, which
     * a program that only writes need not wait for, and a program may set the filter after this engine was made.
     */
    private Untrusting untrusting() {
        ObjectInputFilter current = followsJvmFilter ? jvmFilter() : filter;
        Untrusting known = untrusting;
        if (known == null || known.filter != current) {
            TypeResolver resolver = new TypeResolver(registry, admission(current), registeredTypes);
            known = new Untrusting(current, resolver, new ReaderPool(resolver));
            untrusting = known;
        }
        return known;
    }

    private TypeResolver.Admission admission(@Nullable ObjectInputFilter chosen) {
        return new TypeResolver.Admission(false, chosen, allowed, loader, limits);
    }

    private static @Nullable ObjectInputFilter jvmFilter() {
        try {
            return ObjectInputFilter.Config.getSerialFilter();
        } catch (IllegalStateException | ExceptionInInitializerError e) {
            throw new HeapspanException(
                    Category.USAGE, "the filter of the JVM cannot be used; correct jdk.serialFilter: " + e, e);
        }
    }

    private static final class ReaderPool extends Pool<ImageReader> {
        private final TypeResolver resolver;

        ReaderPool(TypeResolver resolver) {
            this.resolver = resolver;
        }

        @Override
        public ImageReader make() {
            ImageReader made = new ImageReader(resolver, RawImageReader::new);
            EngineCounters.register(made);
            return made;
        }

        @Override
        public boolean isReusable(ImageReader idle) {
            return !idle.isAbandoned();
        }
    }

    /**
     * Checks a pattern of class names.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static void checkPattern(String pattern) {
        NamePattern.parse(pattern);
    }

    ImageWriter newWriter() {
        return new ImageWriter(registry, registeredTypes, findable, RawImageWriter::of);
    }

    /** A reader for a stream or group; with a filter of its own if there is one. */
    ImageReader newReader(@Nullable ObjectInputFilter ownFilter) {
        return new ImageReader(
                ownFilter == null
                        ? untrusting().resolver
                        : new TypeResolver(registry, admission(ownFilter), registeredTypes),
                RawImageReader::new);
    }

    ImageReader newTrustingReader() {
        return new ImageReader(trustingResolver, RawImageReader::new);
    }

    /** Readers for groups. */
    Pool<ImageReader> readers(boolean trusted) {
        return trusted ? trustingReaders : untrusting().readers;
    }

    /** A reader for trusted bytes that the direct engine has no part in. */
    ImageReader newPortableReader() {
        return RawImageReader.portable(trustingResolver);
    }

    @Nullable
    Verification verification() {
        return verification;
    }

    /** What this process has encoded and decoded so far. */
    public static EngineStatistics statistics() {
        return EngineCounters.snapshot();
    }

    /** The share of trusted raw images that properties want decoded by both engines. */
    public static double verifiedShare() {
        return VerificationSetting.share();
    }

    /** Whether a number can be a share of images. */
    public static boolean isShare(double share) {
        return VerificationSetting.isShare(share);
    }

    /** What there is to say about this JVM in addition to {@link org.heapspan.vm.VirtualMachine#findings}. */
    public static List<Finding> findings() {
        return List.of(VerificationSetting.finding());
    }

    int flags() {
        return flags;
    }

    /**
     * The identity of the registry.
     *
     * @throws HeapspanException if there is no registry, without which bodies of records mean nothing
     */
    UUID registryId() {
        RegisteredTypes registered = registeredTypes;
        if (registered == null) {
            throw new HeapspanException(
                    Category.USAGE,
                    "bodies of records have numbers for types, and this instance has no registry; set"
                            + " HeapspanBuilder.typeRegistry");
        }
        return registered.registry().id();
    }

    CodecRegistry registry() {
        return registry;
    }

    // ---------------------------------------------------------------- single graphs

    /** Encodes a graph into an array. */
    public byte[] encode(@Nullable Object root, Encoding encoding) {
        EncodeEvent event = FlightRecording.encode();
        ImageWriter writer = writers.take();
        try {
            begin(writer, encoding, ImageFormat.FLAG_RECORD_SCOPE, null);
            writeRecord(writer, root);
            byte[] image = writer.endToArray();
            writer.tally.addImage(writer.encoding(), image.length);
            if (event != null) {
                event.end(writer.encoding(), image.length, 1, root);
            }
            return image;
        } finally {
            writer.release();
            writers.give(writer);
        }
    }

    /**
     * Begins an image of records.
     *
     * @param scope {@code ImageFormat.FLAG_RECORD_SCOPE}, or FLAG_GROUP_SCOPE in the compact encoding
     */
    void begin(ImageWriter writer, Encoding encoding, int scope, @Nullable FrameSink sink) {
        if (encoding == Encoding.RAW) {
            writer.beginRaw(flags | scope, sink);
        } else {
            writer.begin(flags | scope, sink);
        }
    }

    /** Writes a record of an image that has begun; what fails says where in the record. */
    void writeRecord(ImageWriter writer, @Nullable Object root) {
        try {
            writer.writeRecord(root);
        } catch (HeapspanException e) {
            throw located(e, root);
        } catch (StackOverflowError e) {
            throw tooDeep(e);
        }
    }

    /** Adds the path to the object of a refused class. */
    HeapspanException located(HeapspanException e, @Nullable Object root) {
        if (e.category() != Category.CLASS_REFUSED || root == null) {
            return e;
        }
        return RefusalPath.locate(registry, findable, root, e);
    }

    static HeapspanException tooDeep(StackOverflowError e) {
        return StackRoom.usedUp(e);
    }

    /** Encodes a graph of any size; frames leave as they fill up. */
    public void encodeTo(@Nullable Object root, Encoding encoding, OutputStream target) throws IOException {
        encodeToSink(root, encoding, null, sinkOf(target));
    }

    /** Encodes a graph of any size in the compact encoding, with references to what its reader has already. */
    public void encodeTo(@Nullable Object root, ToIntFunction<Object> shared, OutputStream target) throws IOException {
        encodeToSink(root, Encoding.COMPACT, shared, sinkOf(target));
    }

    /** Streams of other modules that hold an image in memory are sinks too. */
    private static FrameSink sinkOf(OutputStream target) {
        return target instanceof FrameSink sink ? sink : target::write;
    }

    /** Encodes a graph of any size into a channel. */
    public void encodeTo(@Nullable Object root, Encoding encoding, WritableByteChannel target) throws IOException {
        ChannelInput.requireBlocking(target);
        encodeToSink(root, encoding, null, (bytes, offset, length) -> {
            ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
            while (buffer.hasRemaining()) {
                if (target.write(buffer) == 0) {
                    ChannelInput.requireBlocking(target);
                }
            }
        });
    }

    /**
     * Encodes a graph into the remaining space of buffers; their positions are left as they were if it fails.
     *
     * @return how many bytes the image has
     */
    public long encodeTo(@Nullable Object root, Encoding encoding, ByteBuffer... targets) {
        EncodeEvent event = FlightRecording.encode();
        BufferSink sink = new BufferSink(targets);
        ImageWriter writer = writers.take();
        boolean complete = false;
        try {
            begin(writer, encoding, ImageFormat.FLAG_RECORD_SCOPE, sink);
            writeRecord(writer, root);
            writer.endToMemory();
            long sizeBytes = sink.end();
            complete = true;
            writer.tally.addImage(writer.encoding(), sizeBytes);
            if (event != null) {
                event.end(writer.encoding(), sizeBytes, 1, root);
            }
            return sizeBytes;
        } finally {
            if (!complete) {
                sink.takeBack();
            }
            writer.release();
            writers.give(writer);
        }
    }

    private void encodeToSink(
            @Nullable Object root, Encoding encoding, @Nullable ToIntFunction<Object> shared, FrameSink sink)
            throws IOException {
        EncodeEvent event = FlightRecording.encode();
        ImageWriter writer = writers.take();
        try {
            if (shared == null) {
                begin(writer, encoding, ImageFormat.FLAG_RECORD_SCOPE, sink);
            } else {
                writer.begin(flags | ImageFormat.FLAG_RECORD_SCOPE | ImageFormat.FLAG_SHARED_OBJECTS, sink);
                writer.share(shared);
            }
            writeRecord(writer, root);
            writer.endToSink();
            writer.tally.addImage(writer.encoding(), writer.sinkBytes());
            if (event != null) {
                event.end(writer.encoding(), writer.sinkBytes(), 1, root);
            }
        } catch (HeapspanException e) {
            writer.checkSink();
            throw e;
        } finally {
            writer.release();
            writers.give(writer);
        }
    }

    private static HeapspanException unwrapped(HeapspanException e) throws IOException {
        if (e.category() == Category.IO && e.getCause() instanceof IOException io) {
            throw io;
        }
        return e;
    }

    /** Decodes a graph from bytes that need not be trusted. */
    public @Nullable Object decode(byte[] image) {
        return decode(untrusting().readers, new FrameSource.OfArray(image, 0, image.length));
    }

    /** Decodes a graph, in either encoding, from bytes that a process wrote which the caller trusts. */
    public @Nullable Object decodeTrusted(byte[] image) {
        if (verification != null && verification.chooses(image, 0, image.length)) {
            return verification.decode(image);
        }
        return decode(trustingReaders, new FrameSource.OfArray(image, 0, image.length));
    }

    private static @Nullable Object decode(Pool<ImageReader> pool, FrameSource source) {
        return decode(pool, source, null);
    }

    private static @Nullable Object decode(
            Pool<ImageReader> pool, FrameSource source, @Nullable IntFunction<?> shared) {
        ImageReader reader = pool.take();
        try {
            return readCounted(reader, source, shared);
        } finally {
            reader.release();
            pool.give(reader);
        }
    }

    /** Reads a graph, and tells whoever wants to know. */
    static @Nullable Object readCounted(ImageReader reader, FrameSource source) {
        return readCounted(reader, source, null);
    }

    private static @Nullable Object readCounted(
            ImageReader reader, FrameSource source, @Nullable IntFunction<?> shared) {
        DecodeEvent event = FlightRecording.decode();
        Object root = read(reader, source, null, shared);
        reader.tally.addImage(reader.encoding(), reader.imageBytes());
        if (event != null) {
            event.end(reader, 1, root);
        }
        return root;
    }

    static @Nullable Object read(ImageReader reader, FrameSource source) {
        return read(reader, source, null, null);
    }

    private static @Nullable Object read(
            ImageReader reader, FrameSource source, @Nullable Handover ofCopy, @Nullable IntFunction<?> shared) {
        try {
            reader.begin(source);
            if (ofCopy != null) {
                reader.take(ofCopy);
            }
            if (shared != null) {
                reader.share(shared);
            }
            reader.expectRecords();
            Object root = reader.readRoot();
            if (!reader.atEnd() || source instanceof FrameSource.InMemory memory && !memory.atEnd()) {
                throw reader.malformed("bytes follow the end of the graph");
            }
            return root;
        } catch (StackOverflowError e) {
            throw tooDeep(e);
        }
    }

    /** Decodes a graph from a stream, reading no further than its end. */
    public @Nullable Object decodeFrom(InputStream source) throws IOException {
        return decodeFrom(untrusting().readers, source);
    }

    /** Decodes a graph from a blocking channel. */
    public @Nullable Object decodeFrom(ReadableByteChannel source) throws IOException {
        return decodeFrom(untrusting().readers, new ChannelInput(source));
    }

    /** Decodes a trusted graph, in either encoding, from a stream, reading no further than its end. */
    public @Nullable Object decodeTrustedFrom(InputStream source) throws IOException {
        if (verification != null && verification.choosesNext()) {
            try {
                return verification.decodeFrom(source);
            } catch (HeapspanException e) {
                throw unwrapped(e);
            }
        }
        return decodeFrom(trustingReaders, source);
    }

    /** Decodes a trusted graph, in either encoding, from a blocking channel. */
    public @Nullable Object decodeTrustedFrom(ReadableByteChannel source) throws IOException {
        return decodeTrustedFrom(new ChannelInput(source));
    }

    private static @Nullable Object decodeFrom(Pool<ImageReader> pool, InputStream source) throws IOException {
        try {
            return decode(pool, new StreamSource(source, true));
        } catch (HeapspanException e) {
            throw unwrapped(e);
        }
    }

    /** Decodes a graph from the remaining bytes of buffers, which together must be one image; their positions stay. */
    public @Nullable Object decodeFrom(ByteBuffer... sources) {
        return decode(untrusting().readers, sourceOf(sources));
    }

    /** As {@link #decodeFrom(ByteBuffer...)}, for an image with references to what this reader has already. */
    public @Nullable Object decodeFrom(ByteBuffer[] sources, IntFunction<?> shared) {
        return decode(untrusting().readers, sourceOf(sources), shared);
    }

    /** As {@link #decodeFrom(ByteBuffer...)}, for a trusted graph in either encoding. */
    public @Nullable Object decodeTrustedFrom(ByteBuffer... sources) {
        return verification != null && verification.choosesNext()
                ? verification.decode(() -> sourceOf(sources), () -> bytesOf(sources))
                : decode(trustingReaders, sourceOf(sources));
    }

    private static FrameSource sourceOf(ByteBuffer... sources) {
        if (sources.length == 1 && sources[0].hasArray()) {
            ByteBuffer source = sources[0];
            return new FrameSource.OfArray(
                    source.array(), source.arrayOffset() + source.position(), source.remaining());
        }
        return new FrameSource.OfBuffers(sources);
    }

    private static byte[] bytesOf(ByteBuffer... sources) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (ByteBuffer source : sources) {
            byte[] part = new byte[source.remaining()];
            source.duplicate().get(part);
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }

    /** Makes a deep copy. */
    public @Nullable Object copy(@Nullable Object root) {
        Object small = root == null ? null : SmallCopy.of(registry, root);
        if (small != null) {
            // As behind a constructor, for final fields.
            VarHandle.storeStoreFence();
            return small;
        }
        ImageWriter writer = writers.take();
        Handover handover = new Handover();
        byte[] image;
        try {
            writer.beginCopy((flags & ~ImageFormat.FLAG_CHECKSUM) | ImageFormat.FLAG_RECORD_SCOPE, handover);
            writeRecord(writer, root);
            image = writer.endCopy(handover);
        } finally {
            writer.release();
            writers.give(writer);
        }
        ImageReader reader = copyReaders.take();
        try {
            return read(reader, new FrameSource.OfArray(image, 0, image.length), handover, null);
        } finally {
            reader.release();
            copyReaders.give(reader);
        }
    }
}
