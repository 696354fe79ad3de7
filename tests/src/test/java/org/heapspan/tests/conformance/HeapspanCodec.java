package org.heapspan.tests.conformance;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanBuilder;
import org.heapspan.HeapspanException;
import org.heapspan.Mode;
import org.heapspan.image.inspect.ImageInspector;
import org.heapspan.tests.conformance.ConformanceCase.TransientMode;
import org.heapspan.tests.conformance.ConformanceCase.Trust;

/** Heapspan by bytes, streams, files and groups. */
@SuppressWarnings("StatementSwitchToExpressionSwitch")
final class HeapspanCodec implements Codec {

    private final String route;
    private final Heapspan serial = Heapspan.create();
    private final Heapspan clone = Heapspan.builder().mode(Mode.CLONE).build();

    private final Heapspan unchecked = Heapspan.builder().checksum(false).build();
    private final Heapspan uncheckedClone =
            Heapspan.builder().checksum(false).mode(Mode.CLONE).build();
    private final Map<Object, Heapspan> receivers = new HashMap<>();

    HeapspanCodec() {
        this("bytes");
    }

    HeapspanCodec(String route) {
        this.route = route;
    }

    @Override
    public String name() {
        return "heapspan:" + route;
    }

    @Override
    public boolean judgesMessages() {
        return true;
    }

    @Override
    public String category(Throwable refusal) {
        return refusal instanceof HeapspanException e ? e.category().name() : "";
    }

    @Override
    public byte[] encode(Object root, TransientMode mode) throws Exception {
        Heapspan heapspan = mode == TransientMode.CLONE ? clone : serial;
        switch (route) {
            case "bytes":
                return heapspan.encode(root);
            case "unchecked", "unchecked-stream", "inspect":
                return (mode == TransientMode.CLONE ? uncheckedClone : unchecked).encode(root);
            case "stream": {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                heapspan.encodeTo(root, bytes);
                return bytes.toByteArray();
            }
            case "raw":
                return heapspan.encode(root, Encoding.RAW);
            case "raw-unchecked":
                return (mode == TransientMode.CLONE ? uncheckedClone : unchecked).encode(root, Encoding.RAW);
            case "raw-stream": {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                heapspan.encodeTo(root, Encoding.RAW, bytes);
                return bytes.toByteArray();
            }
            case "file": {
                // What travels between the processes is the name of the file.
                Path file = Files.createTempFile("heapspan-conformance", ".image");
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    heapspan.encodeTo(root, channel);
                }
                return file.toString().getBytes(StandardCharsets.UTF_8);
            }
            case "group", "raw-group", "unchecked-group", "raw-unchecked-group": {
                Heapspan writing = !route.contains("unchecked")
                        ? heapspan
                        : mode == TransientMode.CLONE ? uncheckedClone : unchecked;
                GroupWriter writer = writing.groupWriter(route.startsWith("raw") ? Encoding.RAW : Encoding.COMPACT);
                writer.write("before");
                writer.write(root);
                writer.write("after");
                return writer.finish();
            }
            default:
                throw new IllegalArgumentException(route);
        }
    }

    @Override
    public Object decode(byte[] bytes, TransientMode mode, Trust trust, ClassLoader loader) throws Exception {
        Heapspan heapspan =
                receivers.computeIfAbsent(List.of(mode, trust, loader), key -> receiver(mode, trust, loader));
        switch (route) {
            case "bytes", "unchecked":
                return heapspan.decode(bytes, Object.class);
            case "inspect":
                return new ImageInspector(8, 20).inspect(bytes);
            case "stream", "unchecked-stream":
                return heapspan.decodeFrom(new ByteArrayInputStream(bytes), Object.class);
            case "raw", "raw-unchecked":
                return heapspan.decodeTrusted(bytes, Object.class);
            case "raw-stream":
                return heapspan.decodeTrustedFrom(new ByteArrayInputStream(bytes), Object.class);
            case "file": {
                Path file = Path.of(new String(bytes, StandardCharsets.UTF_8));
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.DELETE_ON_CLOSE)) {
                    return heapspan.decodeFrom(channel, Object.class);
                }
            }
            case "group", "raw-group", "unchecked-group", "raw-unchecked-group": {
                GroupReader reader =
                        route.startsWith("raw") ? heapspan.trustedGroupReader(bytes) : heapspan.groupReader(bytes);
                Check.that(reader.hasNext(), "a first record");
                Check.equal("before", reader.next(), "first record");
                Check.that(reader.hasNext(), "a second record");
                Object root = reader.next();
                Check.that(reader.hasNext(), "a third record");
                Check.equal("after", reader.next(), "last record");
                Check.that(!reader.hasNext(), "no further record");
                return root;
            }
            default:
                throw new IllegalArgumentException(route);
        }
    }

    private Heapspan receiver(TransientMode mode, Trust trust, ClassLoader loader) {
        HeapspanBuilder builder = Heapspan.builder().classLoader(loader);
        if (mode == TransientMode.CLONE) {
            builder.mode(Mode.CLONE);
        }
        if (trust == Trust.CORPUS_ALLOWED) {
            builder.allow("org.heapspan.tests.**").allow("java.io.ObjectStreamClass");
        }
        if (trust == Trust.ALL_ALLOWED) {
            builder.allow("*");
        }
        if (route.contains("unchecked")) {
            builder.checksum(false);
        }
        return builder.build();
    }

    @Override
    public Object copy(Object root, TransientMode mode) {
        return (mode == TransientMode.CLONE ? clone : serial).copy(root);
    }
}
