package org.heapspan.image.engine;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.heapspan.vm.Finding;
import org.jspecify.annotations.Nullable;

/** The properties of {@link Verification}, read once. */
final class VerificationSetting {
    /** How many of the trusted raw images are decoded by both engines: a number from 0, the default, to 1. */
    static final String PROPERTY = "heapspan.verify";

    /** An existing folder in which an image is kept that the engines decode differently; none by default. */
    static final String DUMP_PROPERTY = "heapspan.verify.dump";

    private static final double DEFAULT_SHARE = 0;

    private static final @Nullable String TEXT = System.getProperty(PROPERTY);
    private static final @Nullable String DUMP_TEXT = System.getProperty(DUMP_PROPERTY);
    private static final double SHARE = parse(TEXT);
    private static final @Nullable Path DUMP_FOLDER = folder(DUMP_TEXT);

    private VerificationSetting() {}

    private static double parse(@Nullable String text) {
        if (text == null) {
            return DEFAULT_SHARE;
        }
        try {
            double share = Double.parseDouble(text);
            return isShare(share) ? share : Double.NaN;
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private static @Nullable Path folder(@Nullable String text) {
        try {
            Path folder = text == null ? null : Path.of(text).toAbsolutePath();
            return folder != null && Files.isDirectory(folder) ? folder : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    static boolean isShare(double share) {
        return share >= 0 && share <= 1;
    }

    /** What is wrong with the properties, or null. */
    private static @Nullable String mistake() {
        if (Double.isNaN(SHARE)) {
            return "property " + PROPERTY + " is '" + TEXT + "', expected a number from 0 to 1";
        }
        if (DUMP_TEXT != null && DUMP_FOLDER == null) {
            return "property " + DUMP_PROPERTY + " is '" + DUMP_TEXT + "', expected a folder that exists";
        }
        return null;
    }

    /**
     * The share that the property asks for.
     *
     * @throws IllegalArgumentException if one of the properties has no value that is allowed
     */
    static double share() {
        String mistake = mistake();
        if (mistake != null) {
            throw new IllegalArgumentException(mistake + "; correct or remove it");
        }
        return SHARE;
    }

    static @Nullable Path dumpFolder() {
        return DUMP_FOLDER;
    }

    static Finding finding() {
        String mistake = mistake();
        if (mistake != null) {
            return new Finding("verification", "wrong", mistake, "correct or remove it");
        }
        String dump = DUMP_FOLDER == null
                ? "-D" + DUMP_PROPERTY + "=DIRECTORY keeps images that the engines decode differently"
                : "images that the engines decode differently are kept in " + DUMP_FOLDER;
        return SHARE == 0
                ? new Finding(
                        "verification",
                        "off",
                        "-D" + PROPERTY + "=0.01 decodes 1 of 100 trusted raw images by both engines, to compare",
                        "")
                : new Finding("verification", Double.toString(SHARE), "share of trusted raw images; " + dump, "");
    }
}
