package org.heapspan.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A block of Java in the documentation. It is a program, if it has a method {@code main}, or what may stand in a method. In the second case the
 * context holds what readers have around it.
 */
final class JavaSnippet {
    private static final Pattern PROGRAM =
            Pattern.compile("(?sm).*?^(?:public )?class (\\w+) .*public static void main\\(.*");
    private static final String IMPORTS = """
            import java.io.*;
            import java.net.*;
            import java.nio.file.*;
            import java.util.*;
            import org.heapspan.*;
            import org.heapspan.exchange.*;
            import org.heapspan.h2.*;
            """;

    private final String name;
    private final String source;
    private final boolean program;

    JavaSnippet(MarkdownPage.Block block) {
        Matcher main = PROGRAM.matcher(block.text());
        program = main.matches();
        if (program) {
            name = main.group(1);
            source = block.text();
            return;
        }
        name = "Snippet";
        StringBuilder text = new StringBuilder(IMPORTS);
        block.lines().stream()
                .filter(line -> line.startsWith("import "))
                .forEach(line -> text.append(line).append('\n'));
        text.append("class Snippet {\n").append(block.context());
        text.append("\nvoid snippet() throws Exception {\n");
        block.lines().stream()
                .filter(line -> !line.startsWith("import "))
                .forEach(line -> text.append(line).append('\n'));
        source = text.append("}\n}\n").toString();
    }

    boolean isProgram() {
        return program;
    }

    /** Compiles it for the oldest Java that can run it; fails with what the compiler says. */
    void compile(Path folder) {
        StringWriter output = new StringWriter();
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        List<String> options = List.of(
                "-proc:none",
                "-implicit:none",
                "--release",
                "17",
                "-classpath",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(compiler != null, "needs a JDK: a run-time image has no compiler");
        boolean good = compiler.getTask(output, null, null, options, null, List.of(file))
                .call();
        assertThat(good).as("%s%n%s", output, source).isTrue();
    }

    /** Runs it as it was compiled; returns what it printed. */
    String run(Path folder) throws ReflectiveOperationException, IOException {
        PrintStream before = System.out;
        Thread thread = Thread.currentThread();
        ClassLoader loaderBefore = thread.getContextClassLoader();
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, loaderBefore)) {
            thread.setContextClassLoader(loader);
            System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
            var main = loader.loadClass(name).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(before);
            thread.setContextClassLoader(loaderBefore);
        }
        return output.toString(StandardCharsets.UTF_8);
    }
}
