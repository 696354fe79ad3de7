package org.heapspan.cli;

import java.io.PrintWriter;

/** Says what the commands are. */
final class Help implements Command {
    @Override
    public void run(PrintWriter out) {
        out.print(text());
    }

    String text() {
        return """
                usage: heapspan COMMAND [options]

                  doctor                 what Heapspan finds in this JVM; for all that is not at its best, why and what to do
                    --json                 the same for programs
                  inspect FILE           classes, counts, bytes and objects of an image; no class of it is loaded
                    --depth N              levels of the tree, 0 to 500 (default 4)
                    --width N              elements shown of each array or collection (default 10)
                    --fields               fields of each class too
                    --json                 the same for programs
                  bench                  Heapspan against Java serialization on this machine
                    --file FILE            measures the object that ObjectOutputStream wrote there, besides the samples
                    --class-path PATH      where its classes are
                    --peer-path PATH       jars of Kryo and Fory and of what they need, to compare with them too
                    --samples NAMES        which samples, separated by commas (default all): media, events, orders, points,
                                           pairs, readings, list, hashmap, treemap, doubles
                    --rounds N             measured rounds of each (default 7)
                    --seconds N            seconds of measurement for each sample and library, about (default 2)
                    --svg FILE             where the plot goes (default heapspan-bench.svg)
                  spark-submit ...       Spark's spark-submit, with the settings that turn Heapspan on; also spark-shell and pyspark.
                                         All words go to Spark, except:
                    --spark-home DIR       which Spark (default SPARK_HOME, else the one on the PATH, else pyspark in Python)
                    --share-classes[=DIR]  JVMs share an archive of class data, which the first run makes; it lies below DIR
                                           (default ~/.cache/heapspan, or heapspan in XDG_CACHE_HOME)
                  version                version of Heapspan
                  help                   this text

                exit codes: 0 done, 1 failed (one line on the error stream says why), 2 wrong command line

                HEAPSPAN_JAVA_OPTS holds options of the JVM, JAVA_HOME chooses it.
                """;
    }
}
