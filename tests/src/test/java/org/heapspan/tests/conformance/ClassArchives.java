package org.heapspan.tests.conformance;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Archives of class data (AppCDS) for the processes of pairs, one for each Java. A process that has one takes a quarter less of processor time. The
 * first process of a Java that has no options of its own makes it when it ends. A process that the archive does not fit starts without it, and if the
 * Java refuses what it has made, all of its processes do, which the output of the tests says.
 *
 * <p>A JVM accepts an archive only if its class path has no folders, so that the class path here consists of jars.
 */
final class ClassArchives {
    private final Path folder;
    private final String classPath;

    /** Options by the feature version of Java, once there is an archive or it is known that there will be none. */
    private final Map<Integer, List<String>> made = new HashMap<>();

    /**
     * Packs the folders of the class path.
     *
     * @param folder where jars and archives are written
     * @param classPath of the tests
     */
    ClassArchives(Path folder, String classPath) throws IOException {
        this.folder = folder;
        List<String> jars = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            jars.add(
                    Files.isDirectory(path)
                            ? pack(path, folder.resolve(jars.size() + ".jar")).toString()
                            : entry);
        }
        this.classPath = String.join(File.pathSeparator, jars);
    }

    /** The class path of the tests, as jars. */
    String classPath() {
        return classPath;
    }

    private static Path pack(Path classes, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> all = Files.walk(classes)) {
            for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                Files.copy(each, out);
            }
        }
        return jar;
    }

    /** Options of a process that makes an archive, or finds its classes in one. */
    List<String> options(JvmSide side) {
        List<String> options = made.get(side.javaFeature());
        if (options != null) {
            return options;
        }
        return makes(side) ? List.of("-XX:ArchiveClassesAtExit=" + file(side)) : List.of();
    }

    private Path file(JvmSide side) {
        return folder.resolve(side.javaFeature() + ".jsa");
    }

    /** An archive adds to that of the JDK, which some run-time images do not have. */
    private static boolean makes(JvmSide side) {
        Path home = side.launcher().getParent().getParent();
        return side.options().isEmpty() && Files.exists(home.resolve("lib/server/classes.jsa"));
    }

    /** After the end of a process: if it was to make an archive, looks whether that fits. */
    void ended(JvmSide side) throws IOException, InterruptedException {
        if (made.containsKey(side.javaFeature()) || !makes(side)) {
            return;
        }
        // A JVM starts with this option only if it can use the archive.
        Process process = new ProcessBuilder(
                        side.launcher().toString(),
                        "-XX:SharedArchiveFile=" + file(side),
                        "-Xshare:on",
                        "-cp",
                        classPath,
                        "-version")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        boolean fits = process.waitFor() == 0;
        if (!fits) {
            System.out.println("Java " + side.javaFeature() + " refuses its archive of class data: " + output);
        }
        made.put(side.javaFeature(), fits ? List.of("-XX:SharedArchiveFile=" + file(side), "-Xshare:auto") : List.of());
    }
}
