package org.heapspan.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a reader must know of the machine to judge figures; no names of hosts. */
public final class MachineNote {
    private static final Path CPU_INFORMATION = Path.of("/proc/cpuinfo");
    private static final Path MEMORY_INFORMATION = Path.of("/proc/meminfo");

    /** How {@link #describe} says how busy the machine was. */
    private static final Pattern LOAD = Pattern.compile(", load average ([0-9.]+) at the start");

    private MachineNote() {}

    /** The note, line by line, with how busy the machine is. */
    public static List<String> describe(List<Jdk> jdks) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("Date: " + LocalDate.now(ZoneOffset.UTC));
        String[] machine = machine().split("; ", 2);
        lines.add(String.format(
                Locale.ROOT,
                "Machine: %s, load average %.1f at the start",
                machine[0],
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        lines.add("System: " + machine[1]);
        lines.addAll(software(jdks));
        return lines;
    }

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

    /** The versions of JDKs and peers, a line each. */
    static List<String> software(List<Jdk> jdks) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Jdk jdk : jdks) {
            lines.add("JDK " + jdk.name() + ": " + version(jdk));
        }
        lines.add("Peers: Fory " + version("org.apache.fory", "fory-core") + ", Kryo "
                + version("com.esotericsoftware", "kryo"));
        return lines;
    }

    /** A line of a note without how busy the machine was. */
    public static String withoutLoad(String line) {
        return LOAD.matcher(line).replaceFirst("");
    }

    /** How busy the machine was, if this line of a note says it: the load average of a minute. */
    public static OptionalDouble load(String line) {
        Matcher load = LOAD.matcher(line);
        return load.find() ? OptionalDouble.of(Double.parseDouble(load.group(1))) : OptionalDouble.empty();
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
    private static String version(String groupId, String artifactId) throws IOException {
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
