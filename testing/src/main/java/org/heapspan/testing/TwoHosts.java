package org.heapspan.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Two executors on one machine that Spark takes for executors on two hosts. Spark never starts the second copy of a slow task on the host of the first, and
 * all executors of a {@code local-cluster} have the same host name.
 */
public final class TwoHosts {
    private TwoHosts() {}

    /**
     * Makes a home of a JDK whose {@code java} is that of another, but in which an executor with an even number says that it is on the host 127.0.0.2.
     *
     * @param home of the JDK
     * @param wrapped folder to make, which executors get as {@code spark.executorEnv.JAVA_HOME}
     * @throws IOException if it cannot be made
     */
    public static void wrapJava(Path home, Path wrapped) throws IOException {
        Path java = Files.createDirectories(wrapped.resolve("bin")).resolve("java");
        Files.writeString(java, """
                #!/bin/bash
                words=("$@")
                for ((i = 0; i < $#; i++)); do
                  case ${words[i]} in
                    --executor-id) executor=${words[i + 1]} ;;
                    --hostname) host=$((i + 1)) ;;
                  esac
                done
                if ((executor %% 2 == 0)); then
                  words[host]=127.0.0.2
                fi
                exec '%s' "${words[@]}"
                """.formatted(home.resolve("bin/java")));
        if (!java.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + java + " a program");
        }
    }
}
