package org.heapspan.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.heapspan.HeapspanException;
import org.heapspan.image.inspect.ImageInspector;
import org.heapspan.image.inspect.InspectedImage;

/** Stores the image of a file under a key. */
final class HeapPut implements Command {
    private final HeapServer server;
    private final Surroundings around;
    private final String key;
    private final String file;

    HeapPut(Options options, Surroundings around) throws Failure {
        this.around = around;
        server = new HeapServer(options);
        key = options.argument("a KEY and a FILE that holds an image");
        file = options.argument("a FILE that holds an image");
        options.finish();
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        server.use(heap -> {
            Path path = HeapServer.path(file);
            String type = typeOf(path);
            long sizeBytes = Files.size(path);
            Progress progress = new Progress(around, "reading " + file, sizeBytes);
            try (InputStream image = new Counted(Files.newInputStream(path), progress)) {
                long version = heap.putImage(key, image, type, sizeBytes);
                out.println("key '" + key + "' has version " + version + ", " + Text.bytes(sizeBytes));
            }
        });
    }

    /** Only images: what is put by mistake would be an error of its readers. */
    private String typeOf(Path path) throws IOException, Failure {
        try (InputStream image = Files.newInputStream(path)) {
            InspectedImage inspected = new ImageInspector(1, 1).inspect(image);
            HeapspanException problem = inspected.problem();
            if (problem != null) {
                throw Failure.of(file + " is no image that can be put: " + problem.getMessage());
            }
            if (inspected.header().raw()) {
                throw Failure.of(file + " is a raw image; only compact images can be put");
            }
            if (inspected.sharedReferences() > 0) {
                throw Failure.of(file + " refers " + Text.count(inspected.sharedReferences())
                        + (inspected.sharedReferences() == 1 ? " time" : " times")
                        + " to shared values that are not in it, so readers could not decode it; let a program get the"
                        + " object from the global heap, and put it");
            }
            return inspected.tree().children().isEmpty()
                    ? ""
                    : inspected.tree().children().get(0).type();
        } catch (NoSuchFileException e) {
            throw Failure.of("there is no file " + file);
        } catch (HeapspanException e) {
            throw Failure.of(file + " is no image: " + e.getMessage());
        }
    }

    private static final class Counted extends FilterInputStream {
        private final Progress progress;

        Counted(InputStream source, Progress progress) {
            super(source);
            this.progress = progress;
        }

        @Override
        public int read() throws IOException {
            int value = super.read();
            progress.add(value < 0 ? 0 : 1);
            return value;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int count = super.read(target, offset, length);
            progress.add(Math.max(0, count));
            return count;
        }
    }
}
