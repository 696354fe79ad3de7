package org.heapspan.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/** What a reader must know of the machine to judge figures; no names of hosts. */
public final class MachineNote {
    private static final Path CPU_INFORMATION = Path.of("/proc/cpuinfo");
    private static final Path MEMORY_INFORMATION = Path.of("/proc/meminfo");

    private MachineNote() {}

    /** Processors, memory and system: what a machine of the same kind has, too. */
    static String machine() throws IOException {
        String[] kernel = System.getProperty("os.version").split("[.-]", 3);
        return String.format(
                Locale.ROOT,
                "%s, %d processors, %s memory; %s %s.%s",
                value(CPU_INFORMATION, "model name", System.getProperty("os.arch")),
                Runtime.getRuntime().availableProcessors(),
                memory(),
                System.getProperty("os.name"),
                kernel[0],
                kernel.length > 1 ? kernel[1] : "");
    }

    /** The versions of JDKs, a line each. */
    public static List<String> jdks(List<Jdk> jdks) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Jdk jdk : jdks) {
            lines.add("JDK " + jdk.name() + ": " + version(jdk));
        }
        return lines;
    }

    /** The versions of peers, a line. */
    static String peers() throws IOException {
        return "Peers: Fory " + fory() + ", Kryo " + version("com.esotericsoftware", "kryo");
    }

    /** The version of Apache Fory. */
    public static String fory() throws IOException {
        return version("org.apache.fory", "fory-core");
    }

    private static String value(Path file, String key, String otherwise) throws IOException {
        if (!Files.exists(file)) {
            return otherwise;
        }
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(key)) {
                return line.substring(line.indexOf(':') + 1).trim();
            }
        }
        return otherwise;
    }

    private static String memory() throws IOException {
        String kilobytes = value(MEMORY_INFORMATION, "MemTotal", "").replaceAll("[^0-9]", "");
        return kilobytes.isEmpty() ? "unknown" : Math.round(Long.parseLong(kilobytes) / 1e6) + " GB";
    }

    private static String version(Jdk jdk) throws IOException {
        Path release = jdk.home().resolve("release");
        if (!Files.exists(release)) {
            return "unknown build";
        }
        Properties properties = new Properties();
        try (var reader = Files.newBufferedReader(release)) {
            properties.load(reader);
        }
        String implementor = properties.getProperty("IMPLEMENTOR", "");
        String version =
                properties.getProperty("JAVA_RUNTIME_VERSION", properties.getProperty("JAVA_VERSION", "unknown build"));
        return (implementor + " " + version).replace("\"", "").trim();
    }

    /** The version of a library, from the properties that Maven leaves in its jar. */
    public static String version(String groupId, String artifactId) throws IOException {
        String path = "/META-INF/maven/" + groupId + "/" + artifactId + "/pom.properties";
        try (InputStream in = MachineNote.class.getResourceAsStream(path)) {
            if (in == null) {
                return "of unknown version";
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "of unknown version");
        }
    }
}
