package org.heapspan.nativerdd;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The program in plain C that tests the boundary, compiled. */
final class BoundaryProgram {
    private static final Path ROOT = Path.of(System.getProperty("heapspan.root", ".."));

    private BoundaryProgram() {}

    /** Compiles it; further options of the compiler change what it is. */
    static Path compile(Path folder, String name, String... options) throws IOException, InterruptedException {
        Path target = folder.resolve(name);
        List<String> command = new ArrayList<>(List.of(
                "gcc",
                "-std=c11",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-O1",
                "-shared",
                "-fPIC",
                "-fvisibility=hidden",
                "-Wl,--build-id=sha1",
                "-I" + ROOT.resolve("native/include"),
                ROOT.resolve("nativerdd/src/test/native/boundary_program.c").toString(),
                "-o",
                target.toString()));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String messages = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0 || !Files.isRegularFile(target)) {
            throw new AssertionError("gcc failed:\n" + messages);
        }
        return target;
    }

    /** Where its kernels are, by name. */
    static Map<String, Long> kernels(NativeProgram program) {
        ProgramHost none = (ProgramHost) Proxy.newProxyInstance(
                ProgramHost.class.getClassLoader(), new Class<?>[] {ProgramHost.class}, (host, method, arguments) -> {
                    throw new AssertionError("a call of " + method);
                });
        try {
            program.run(none, 4, List.of("kernels"));
        } catch (NativeProgramException e) {
            String[] words = e.getMessage()
                    .substring(e.getMessage().lastIndexOf(':') + 2)
                    .split(" ", -1);
            Map<String, Long> kernels = new HashMap<>();
            for (int i = 0; i < words.length; i += 2) {
                kernels.put(words[i], Long.valueOf(words[i + 1]));
            }
            return kernels;
        }
        throw new AssertionError("the program succeeded");
    }
}
