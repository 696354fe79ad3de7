package org.heapspan.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Compiles a native RDD program: C++ sources become one shared object. */
final class NativeBuild implements Command {
    private final List<Path> sources = new ArrayList<>();
    private final List<String> further = new ArrayList<>();
    private final boolean debug;
    private final Path target;
    private final Surroundings around;

    NativeBuild(List<String> words, Surroundings around) throws Failure {
        this.around = around;
        boolean forCompiler = false;
        boolean asDebug = false;
        String named = null;
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (forCompiler) {
                further.add(word);
            } else if (word.equals("--")) {
                forCompiler = true;
            } else if (word.equals("--debug")) {
                asDebug = true;
            } else if (word.equals("-o")) {
                if (++i == words.size()) {
                    throw Failure.ofUsage("-o needs a value");
                }
                named = words.get(i);
            } else if (word.startsWith("-")) {
                throw Failure.ofUsage(
                        "native build does not know '" + word + "'; options of the compiler come after --");
            } else {
                sources.add(Path.of(word));
            }
        }
        if (sources.isEmpty()) {
            throw Failure.ofUsage("native build needs a source file");
        }
        debug = asDebug;
        target = named == null ? beside(sources.get(0)) : Path.of(named);
    }

    /** {@code wordcount.cpp} becomes {@code wordcount.so}, in the current folder. */
    private static Path beside(Path source) {
        String name = String.valueOf(source.getFileName());
        int dot = name.lastIndexOf('.');
        return Path.of((dot <= 0 ? name : name.substring(0, dot)) + ".so");
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        for (Path source : sources) {
            if (!Files.isRegularFile(source)) {
                throw Failure.of("there is no source file " + source);
            }
        }
        NativeCompiler compiler = NativeCompiler.find(around);
        Path headers = headers();
        List<String> options = new ArrayList<>(NativeCompiler.options(headers, debug, further));
        long start = System.nanoTime();
        options.addAll(new PrecompiledHeader(compiler, options, headers, around).words());
        compile(compiler, options);
        out.println("built " + target + " in " + Math.round((System.nanoTime() - start) / 1e8) / 10.0 + " s");
    }

    private void compile(NativeCompiler compiler, List<String> options) throws Failure {
        List<String> words = new ArrayList<>(options);
        sources.forEach(source -> words.add(source.toString()));
        // A JVM may have the old file mapped: it stays as it is, and a new one takes its name.
        Path unfinished = target.resolveSibling(target.getFileName() + ".part");
        words.addAll(NativeCompiler.LINKER_OPTIONS);
        words.addAll(List.of("-o", unfinished.toString()));
        try {
            if (compiler.run(words, around) != 0) {
                Files.deleteIfExists(unfinished);
                throw Failure.of("the compiler reports errors; " + target + " was not built");
            }
            Files.move(unfinished, target, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw Failure.of("cannot write " + target + ": " + e);
        }
    }

    /** The headers of this distribution, beside the folder of the jar or in it. */
    private Path headers() throws Failure {
        Path folder = around.ownJar().toAbsolutePath().normalize().resolveSibling("include");
        if (!Files.isDirectory(folder.resolve("heapspan/rdd"))) {
            throw Failure.of("there are no headers in " + folder + "/heapspan/rdd; use a complete distribution, as"
                    + " `./dev build` makes it in dist/");
        }
        return folder;
    }
}
