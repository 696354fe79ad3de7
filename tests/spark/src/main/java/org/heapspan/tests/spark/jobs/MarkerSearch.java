package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkEnv;

/** Looks for texts in all files in which an executor could have left them: those that it has open, with a name or without, and those in Spark's folders. */
final class MarkerSearch {
    private static final int CHUNK_BYTES = 1 << 20;

    private MarkerSearch() {}

    /** A text that is in no class file. */
    static String marker(String kind, long number) {
        return "marker-" + Long.toHexString(0x5ec2e7L) + "-" + kind + "-" + number + ";";
    }

    /** What the texts of a kind begin with. */
    static String prefix(String kind) {
        String marker = marker(kind, 0);
        return marker.substring(0, marker.length() - 2);
    }

    /** The names of the files that hold a text. */
    static List<String> filesWith(String text) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : LocalFiles.open()) {
            String name = LocalFiles.name(file);
            if (!name.endsWith(".jar") && !name.endsWith("/modules") && holds(file, text)) {
                found.add(name);
            }
        }
        for (String folder : SparkEnv.get().blockManager().diskBlockManager().localDirsString()) {
            found.addAll(inFolder(Path.of(folder), text));
        }
        return found;
    }

    /** The files of a folder that hold a text. */
    static List<String> inFolder(Path folder, String text) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : LocalFiles.below(folder)) {
            if (holds(file, text)) {
                found.add(file.toString());
            }
        }
        return found;
    }

    private static boolean holds(Path file, String text) throws IOException {
        byte[] wanted = text.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer buffer = ByteBuffer.allocate(CHUNK_BYTES);
        // Opened anew, so that nobody's position moves.
        try (FileChannel channel = FileChannel.open(file)) {
            while (channel.read(buffer) > 0) {
                String content = new String(buffer.array(), 0, buffer.position(), StandardCharsets.ISO_8859_1);
                if (content.contains(text)) {
                    return true;
                }
                int kept = Math.min(buffer.position(), wanted.length - 1);
                buffer.position(buffer.position() - kept).limit(buffer.position() + kept);
                buffer.compact();
            }
        } catch (NoSuchFileException e) {
            // Deleted meanwhile.
            return false;
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).equals("Is a directory")) {
                // The descriptor was closed meanwhile, and its number belongs to a folder that another task looks
                // through.
                return false;
            }
            throw e;
        }
        return false;
    }
}
