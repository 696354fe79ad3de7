package org.heapspan.vm;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.CodeSource;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** {@code libheapspan.so}: found or extracted, loaded once, and its entry points. */
@SuppressWarnings("restricted") // JDK 24+ warns of System.load; a refusal is a finding, see VirtualMachine
final class NativeLibrary {
    /** Path of the library to load instead of the one in the jar, or {@value #NONE}. */
    static final String PATH_PROPERTY = "heapspan.native.library";

    /** Value of {@link #PATH_PROPERTY} that keeps the library out. */
    static final String NONE = "none";

    /** Directory to extract the library into, tried before all others. */
    static final String DIRECTORY_PROPERTY = "heapspan.native.dir";

    /** Grows whenever an entry point changes its meaning; the same number as in {@code vm_entry_points.cpp}. */
    private static final int INTERFACE_VERSION = 2;

    private static final int ATTEMPTS_PER_DIRECTORY = 8;

    private NativeLibrary() {}

    /**
     * What keeps the library out.
     *
     * @param why in the words of a {@link Finding}
     * @param whatToDo how to get it
     * @param wanted whether a user asked for this
     */
    record Failure(String why, String whatToDo, boolean wanted) {
        Failure(String why, String whatToDo) {
            this(why, whatToDo, false);
        }

        /** Nothing that a user did. */
        static Failure unexpected(String why) {
            return new Failure(why, "report this; Heapspan works without, slower");
        }
    }

    /**
     * Loads the library and lets it export {@code java.base/jdk.internal.misc} to our module.
     *
     * @return {@code null}, or why this did not work
     */
    static @Nullable Failure open() {
        String named = System.getProperty(PATH_PROPERTY);
        String why;
        try {
            Failure failure = load(named);
            if (failure != null) {
                return failure;
            }
            why = exportInternals(INTERFACE_VERSION, Object.class.getModule(), NativeLibrary.class.getModule());
            if (why == null) {
                return null;
            }
        } catch (IllegalCallerException e) {
            return new Failure(e.toString(), "start with " + Diagnosis.ENABLE_NATIVE_ACCESS);
        } catch (Exception | LinkageError e) {
            why = e.toString();
        }
        return named == null
                ? Failure.unexpected(why)
                : new Failure(why, "correct or remove -D" + PATH_PROPERTY + "=" + named);
    }

    private static @Nullable Failure load(@Nullable String named) throws IOException {
        if (named != null) {
            if (named.equals(NONE)) {
                return new Failure(
                        "kept out by -D" + PATH_PROPERTY + "=" + NONE, "remove -D" + PATH_PROPERTY + "=" + NONE, true);
            }
            System.load(new File(named).getAbsolutePath());
            return null;
        }
        NativePlatform platform = NativePlatform.current();
        String folder = platform.folder();
        if (folder == null) {
            return new Failure(
                    "no native library for this platform: " + platform.describe(),
                    "use Linux with glibc on x86-64 for the fastest engine");
        }
        String resource = "META-INF/native/".concat(folder).concat("/libheapspan.so");
        byte[] content = contentOf(resource);
        return content == null
                ? new Failure(
                        "no resource " + resource + " beside the classes of org.heapspan.vm",
                        "use a jar of Heapspan that holds META-INF/native")
                : extractAndLoad(content);
    }

    /**
     * Reads a resource of our jar straight from the jar: asking the class loader would first open the JDK's own resources
     * and start the URL handlers, a quarter of the start-up time of this package.
     */
    private static byte @Nullable [] contentOf(String resource) throws IOException {
        CodeSource source = NativeLibrary.class.getProtectionDomain().getCodeSource();
        URL location = source == null ? null : source.getLocation();
        if (location != null
                && location.getProtocol().equals("file")
                && location.getPath().endsWith(".jar")
                && location.getPath().indexOf('%') < 0) {
            File jar = new File(location.getPath());
            if (jar.isFile()) {
                try (ZipFile zip = new ZipFile(jar)) {
                    ZipEntry entry = zip.getEntry(resource);
                    if (entry != null) {
                        try (InputStream in = zip.getInputStream(entry)) {
                            return in.readAllBytes();
                        }
                    }
                }
            }
        }
        try (InputStream in = NativeLibrary.class.getResourceAsStream("/".concat(resource))) {
            return in == null ? null : in.readAllBytes();
        }
    }

    /** Tries directories until one is writable and not mounted noexec. */
    private static @Nullable Failure extractAndLoad(byte[] content) {
        String home = System.getProperty("user.home", "");
        String cache = home.concat("/.cache");
        String[] directories = {
            System.getProperty(DIRECTORY_PROPERTY),
            System.getProperty("java.io.tmpdir"),
            new File(cache).isDirectory() ? cache : home,
            System.getProperty("user.dir")
        };
        StringBuilder failures = new StringBuilder();
        for (String directory : directories) {
            if (directory == null || directory.isEmpty()) {
                continue;
            }
            try {
                extractAndLoad(content, directory);
                return null;
            } catch (IOException | UnsatisfiedLinkError e) {
                failures.append(failures.length() == 0 ? "" : "; ")
                        .append(directory)
                        .append(": ")
                        .append(e);
            }
        }
        return new Failure(
                failures.toString(),
                "name a directory that is writable and not mounted noexec with -D" + DIRECTORY_PROPERTY);
    }

    private static void extractAndLoad(byte[] content, String directory) throws IOException {
        // The loader opens the library by its name.
        FolderProtection.check(Path.of(directory));
        Path file = writeNew(content, directory);
        try {
            System.load(file.toAbsolutePath().toString());
        } finally {
            // The mapping outlives the name. Without one, nothing is left behind however the JVM ends.
            Files.deleteIfExists(file);
        }
    }

    /**
     * Creates the file exclusively and readable by its owner only, so that nobody can put another library in its place
     * before it is loaded, in a folder where nobody else can replace it. A name from the clock, because a random one would start {@code SecureRandom}.
     */
    private static Path writeNew(byte[] content, String directory) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var ownerOnly = PosixFilePermissions.asFileAttribute(
                Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
        for (int attempt = 1; ; attempt++) {
            Path file = Path.of(
                    directory,
                    ".libheapspan-".concat(Long.toHexString(System.nanoTime())).concat(".so"));
            try (SeekableByteChannel out = Files.newByteChannel(file, options, ownerOnly)) {
                ByteBuffer remaining = ByteBuffer.wrap(content);
                while (remaining.hasRemaining()) {
                    out.write(remaining);
                }
                return file;
            } catch (FileAlreadyExistsException e) {
                if (attempt == ATTEMPTS_PER_DIRECTORY) {
                    throw e;
                }
            } catch (IOException e) {
                Files.deleteIfExists(file); // a full disk leaves half a file
                throw e;
            }
        }
    }

    /**
     * Exports {@code jdk.internal.misc} of one module to another.
     *
     * @return {@code null}, or why this did not work
     */
    private static native @Nullable String exportInternals(int interfaceVersion, Module from, Module to);

    /**
     * Reads HotSpot's tables.
     *
     * @param facts filled with what {@link HotSpotFacts#of} reads; {@link HotSpotFacts#COUNT} elements
     * @return {@code null}, or why this did not work
     */
    static native @Nullable String readHotSpotFacts(long[] facts);

    /** Bits for {@link CpuFeatures#ofBits}. */
    static native int cpuFeatures();
}
