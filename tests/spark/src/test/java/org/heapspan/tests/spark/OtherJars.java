package org.heapspan.tests.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.ToolProvider;

/** Jars that differ from those that other JVMs of the same application have. */
final class OtherJars {
    private OtherJars() {}

    /** A copy of a jar that says to be of another version. */
    static Path withVersion(Path jar, Path copy, String version) throws IOException {
        try (JarFile source = new JarFile(jar.toFile())) {
            Manifest manifest = new Manifest(source.getManifest());
            manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
            try (OutputStream file = Files.newOutputStream(copy);
                    JarOutputStream target = new JarOutputStream(file, manifest)) {
                for (JarEntry entry : source.stream().toList()) {
                    if (!entry.getName().equals(JarFile.MANIFEST_NAME)) {
                        target.putNextEntry(new JarEntry(entry.getName()));
                        target.write(source.getInputStream(entry).readAllBytes());
                    }
                }
            }
        }
        return copy;
    }

    /** A jar with one class, compiled for all JDKs that tests use. */
    static Path ofSource(Path folder, String className, String source) throws IOException {
        String path = className.replace('.', '/');
        Path file = folder.resolve(path + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, source);
        int exitCode = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "--release", "17", "-d", folder.toString(), file.toString());
        if (exitCode != 0) {
            throw new IllegalArgumentException("javac ended with " + exitCode + " for " + source);
        }
        Path jar = folder.resolve("classes.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream target = new JarOutputStream(out)) {
            target.putNextEntry(new JarEntry(path + ".class"));
            target.write(Files.readAllBytes(folder.resolve(path + ".class")));
        }
        return jar;
    }
}
