package org.heapspan.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
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
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                throw isThere();
            }
            Path part = HeapServer.path(file + ".part");
            OutputStream target;
            try {
                target = Files.newOutputStream(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            } catch (FileAlreadyExistsException e) {
                throw Failure.of("there is a file " + part + " already: another get writes it, or has been ended;"
                        + " delete it in this case");
            }
            long sizeBytes = write(heap, part, target, path, info);
            out.println(file + " has the image of key '" + key + "', " + Text.bytes(sizeBytes));
        });
    }

    private Failure isThere() {
        return Failure.of("there is a file " + file + " already; name a new one");
    }

    /** A part of an image is of no use to anybody: the file gets its name when all of it is there. */
    private long write(GlobalHeap heap, Path part, OutputStream target, Path path, KeyInfo info)
            throws Failure, IOException {
        boolean complete = false;
        try {
            long sizeBytes;
            try (OutputStream counted =
                    new Counted(target, new Progress(around, "writing " + file, info.sizeBytes()))) {
                sizeBytes = heap.copyImage(key, counted);
            }
            Files.move(part, path);
            complete = true;
            return sizeBytes;
        } catch (FileAlreadyExistsException e) {
            throw isThere();
        } finally {
            if (!complete) {
                Files.deleteIfExists(part);
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
