package org.heapspan.nativerdd;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the file says that a JVM writes when it crashes.
 *
 * @param signal such as SIGSEGV
 * @param frame the place in the code
 */
record CrashReport(String signal, String frame) {
    private static final int MOST_FRAME_CHARACTERS = 200;
    private static final String FRAME = "# Problematic frame:";

    /** Null if there is none. */
    static @Nullable CrashReport read(Path file) {
        if (!Files.exists(file)) {
            return null;
        }
        try {
            return of(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                    .lines()
                    .toList());
        } catch (IOException e) {
            return null;
        }
    }

    static @Nullable CrashReport of(List<String> lines) {
        String signal = null;
        for (int i = 0; i + 1 < lines.size(); i++) {
            String line = lines.get(i).replaceFirst("^# +", "");
            if (signal == null && line.startsWith("SIG")) {
                signal = line.replaceFirst("[ (].*", "");
            } else if (signal != null && lines.get(i).equals(FRAME)) {
                String frame = lines.get(i + 1)
                        .replaceFirst("^# +", "")
                        .replaceAll(" +", " ")
                        .strip();
                return new CrashReport(signal, frame.substring(0, Math.min(frame.length(), MOST_FRAME_CHARACTERS)));
            }
        }
        return null;
    }
}
