package org.heapspan.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The headers of native programs, compiled once for a compiler and its options, in the cache folder of the user. A program then compiles in a second. */
final class PrecompiledHeader {
    private static final String HEADER = "heapspan/rdd.hpp";
    private static final String NAME = "program.h";
    private static final int DIGITS = 24;

    private final NativeCompiler compiler;
    private final List<String> options;
    private final Path headers;
    private final Surroundings around;

    PrecompiledHeader(NativeCompiler compiler, List<String> options, Path headers, Surroundings around) {
        this.compiler = compiler;
        this.options = options;
        this.headers = headers;
        this.around = around;
    }

    /** The header to include first, which has a compiled one beside it; null if there can be none. A program compiles without it too. */
    @Nullable
    Path path() throws Failure {
        Path cache = around.cache();
        if (cache == null || !Files.isRegularFile(headers.resolve(HEADER))) {
            return null;
        }
        try {
            Path folder = cache.resolve("native").resolve(key());
            if (!Files.isRegularFile(folder.resolve(NAME + ".gch"))) {
                Files.createDirectories(folder.getParent());
                make(folder);
            }
            return folder.resolve(NAME);
        } catch (IOException e) {
            around.note("compiles without a precompiled header, because there can be none in " + cache + ": " + e);
            return null;
        }
    }

    private void make(Path folder) throws IOException, Failure {
        around.note("compiles the headers once (" + folder + ")");
        Path unfinished = Files.createTempDirectory(
                folder.getParent(),
                "unfinished",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path header = unfinished.resolve(NAME);
        Files.writeString(header, "#include <" + HEADER + ">\n");
        List<String> words = new ArrayList<>(options);
        words.addAll(List.of("-x", "c++-header", header.toString(), "-o", header + ".gch"));
        if (compiler.run(words, around) != 0) {
            throw Failure.of("the compiler cannot compile the headers in " + headers + "; is it one for C++20?");
        }
        try {
            Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            // Another process was faster.
            if (!Files.isRegularFile(folder.resolve(NAME + ".gch"))) {
                throw e;
            }
        }
    }

    /** Stands for all that the compiled header depends on. */
    private String key() throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
        List<String> words =
                new ArrayList<>(List.of(compiler.path().toRealPath().toString(), compiler.version()));
        words.addAll(options);
        for (String word : words) {
            digest.update(word.concat("\0").getBytes(StandardCharsets.UTF_8));
        }
        try (Stream<Path> files = Files.walk(headers)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                digest.update(headers.relativize(file).toString().concat("\0").getBytes(StandardCharsets.UTF_8));
                digest.update(Files.readAllBytes(file));
            }
        }
        return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
    }
}
