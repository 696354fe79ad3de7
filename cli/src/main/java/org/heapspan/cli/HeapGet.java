package org.heapspan.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.KeyInfo;

/** Writes the image of a key to a new file. */
final class HeapGet implements Command {
    private final HeapServer server;
    private final Surroundings around;
    private final String key;
    private final String file;

    HeapGet(Options options, Surroundings around) throws Failure {
        this.around = around;
        server = new HeapServer(options);
        key = options.argument("a KEY and a FILE");
        file = options.argument("a FILE to write the image to");
        options.finish();
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        server.use(heap -> {
            KeyInfo info = heap.find(key).orElseThrow(() -> Failure.of("key '" + key + "' has not been committed"));
            Path path = HeapServer.path(file);
            OutputStream target;
            try {
                target = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            } catch (FileAlreadyExistsException e) {
                throw Failure.of("there is a file " + file + " already; name a new one");
            }
            long sizeBytes = copy(heap, path, target, info);
            out.println(file + " has the image of key '" + key + "', " + Text.bytes(sizeBytes));
        });
    }

    /** A part of an image is of no use to anybody. */
    private long copy(GlobalHeap heap, Path path, OutputStream target, KeyInfo info) throws IOException {
        boolean complete = false;
        try (OutputStream counted = new Counted(target, new Progress(around, "writing " + file, info.sizeBytes()))) {
            long sizeBytes = heap.copyImage(key, counted);
            complete = true;
            return sizeBytes;
        } finally {
            if (!complete) {
                Files.deleteIfExists(path);
            }
        }
    }

    private static final class Counted extends FilterOutputStream {
        private final Progress progress;

        Counted(OutputStream target, Progress progress) {
            super(target);
            this.progress = progress;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            progress.add(length);
        }
    }
}
