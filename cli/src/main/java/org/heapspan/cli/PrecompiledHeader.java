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

/**
 * The headers of native programs, compiled once for a compiler and its options, in the cache folder of the user: as a precompiled header, and as an object
 * file with the functions that are the same in all programs.
 */
final class PrecompiledHeader {
    private static final String HEADER = "heapspan/rdd.hpp";
    private static final String NAME = "program.h";
    private static final String SOURCE = "program.cpp";
    private static final String OBJECT = "program.o";

    /** Says to the headers that the object file has these functions; {@code HEAPSPAN_ONCE} in {@code rdd/error.h}. */
    private static final String IN_OBJECT = "-DHEAPSPAN_COMPILED_ONCE";

    /** Says to the headers that this is the object file. */
    private static final String IS_OBJECT = "-DHEAPSPAN_COMPILES_ONCE";

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

    /** What a program is compiled and linked with; nothing if there can be no compiled headers, without which it only takes longer. */
    List<String> words() throws Failure {
        Path folder = folder();
        return folder == null
                ? List.of()
                : List.of(
                        IN_OBJECT,
                        "-include",
                        folder.resolve(NAME).toString(),
                        folder.resolve(OBJECT).toString());
    }

    private @Nullable Path folder() throws Failure {
        Path cache = around.cache();
        if (cache == null || !Files.isRegularFile(headers.resolve(HEADER))) {
            return null;
        }
        try {
            // Its object file becomes a part of programs.
            Path folder = OwnFolder.make(cache.resolve("native")).resolve(key());
            if (!Files.isRegularFile(folder.resolve(NAME + ".gch"))) {
                make(folder);
            }
            OwnFolder.check(folder, OwnFolder.user());
            return folder;
        } catch (IOException e) {
            around.note("compiles without a precompiled header, because there can be none in " + cache + ": " + e);
            return null;
        }
    }

    private void make(Path folder) throws IOException, Failure {
        around.note("compiles the headers once (" + folder + ")");
        Path unfinished = Files.createTempDirectory(
                folder.getParent(), "unfinished", PosixFilePermissions.asFileAttribute(OwnFolder.MODE));
        try {
            make(unfinished, folder);
        } finally {
            // Nothing is left of it if it is complete.
            OwnFolder.delete(unfinished);
        }
    }

    private void make(Path unfinished, Path folder) throws IOException, Failure {
        Path header = unfinished.resolve(NAME);
        compile(header, IN_OBJECT, "-x", "c++-header", header.toString(), "-o", header + ".gch");
        Path source = unfinished.resolve(SOURCE);
        compile(
                source,
                IS_OBJECT,
                "-ffunction-sections",
                "-c",
                source.toString(),
                "-o",
                unfinished.resolve(OBJECT).toString());
        try {
            Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            // Another process was faster.
            if (!Files.isRegularFile(folder.resolve(NAME + ".gch"))) {
                throw e;
            }
        }
    }

    private void compile(Path file, String... further) throws IOException, Failure {
        Files.writeString(file, "#include <" + HEADER + ">\n");
        List<String> words = new ArrayList<>(options);
        words.addAll(List.of(further));
        if (compiler.run(words, around) != 0) {
            throw Failure.of("the compiler cannot compile the headers in " + headers + "; is it one for C++20?");
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
