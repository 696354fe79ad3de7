package org.heapspan.flink;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.tools.ToolProvider;
import org.heapspan.testing.GeneratedClass;

/**
 * A version of a public class with public fields. Each version is in a folder of its own, so that one name can stand for different classes.
 *
 * @param folder has the class file
 * @param name name of the class
 */
record EvolvingClass(Path folder, String name) {
    /** Writes a version. */
    static EvolvingClass of(Path folder, String name, Map<String, String> fields) throws IOException {
        Files.createDirectories(folder);
        Files.write(folder.resolve(name + ".class"), new GeneratedClass(name, fields).bytes());
        return new EvolvingClass(folder, name);
    }

    /** Compiles a version, and further classes with it. */
    static EvolvingClass compiled(Path folder, String name, String source) throws IOException {
        Files.createDirectories(folder);
        Path file = Files.writeString(folder.resolve(name + ".java"), source);
        int errors = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-d", folder.toString(), file.toString());
        if (errors != 0) {
            throw new IllegalArgumentException(source);
        }
        return new EvolvingClass(folder, name);
    }

    /** A class path for it. */
    URL url() throws MalformedURLException {
        return folder.toUri().toURL();
    }

    /** A loader that has this version. */
    URLClassLoader newLoader() throws MalformedURLException {
        return new URLClassLoader(new URL[] {url()}, EvolvingClass.class.getClassLoader());
    }

    /** The class in a loader. */
    @SuppressWarnings("unchecked")
    Class<Object> in(ClassLoader loader) throws ClassNotFoundException {
        return (Class<Object>) loader.loadClass(name);
    }
}
