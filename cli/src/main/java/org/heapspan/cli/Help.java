package org.heapspan.cli;

import java.io.PrintWriter;

/** Prints the usage. */
final class Help implements Command {
    @Override
    public void run(PrintWriter out) {
        out.print(text());
    }

    String text() {
        return """
                usage: heapspan COMMAND [options]

                  doctor                 shows what works on this JVM; if a point is not at its best, why and what to do
                    --json                 the same as JSON
                  inspect FILE           shows classes, counts, bytes and objects of an image, without loading its classes
                    --depth N              levels of the tree, 0 to 500 (default 4)
                    --width N              elements shown of each array or collection (default 10)
                    --fields               shows the fields of each class too
                    --json                 the same as JSON
                  bench                  compares Heapspan with Java serialization on this machine
                    --file FILE            also measures an object that ObjectOutputStream wrote to this file
                    --class-path PATH      class path of that object's classes
                    --peer-path PATH       class path of Kryo and Fory with their dependencies, to compare with them too
                    --samples NAMES        the samples, separated by commas (default all): media, events, orders, points,
                                           pairs, readings, list, hashmap, treemap, doubles
                    --rounds N             measured rounds for each sample and library (default 7)
                    --seconds N            approximate seconds for each sample and library (default 2; 0: one call)
                    --svg FILE             the file for the plot (default heapspan-bench.svg)
                  serve                  runs a server of the global heap, whose objects JVMs share by key, until it is ended
                    --port N               the port (default 7077; 0 for a free one)
                    --host HOST            the address to listen at (default 127.0.0.1: this host only)
                    --memory SIZE          the memory for all objects, such as 4g (default half of what the folder has left)
                    --client-memory SIZE   the part of it that one client may take without a key (default all)
                    --dir DIR              the folder for the files of objects (default /dev/shm, which is memory)
                    --overflow-dir DIR     a folder on a disk for objects for which the memory has no room
                    --overflow SIZE        the space for objects there (default half of what that folder has left)
                    --join URL             has no objects of its own: serves those of another server to the JVMs of this host, from
                                           copies in shared memory
                    --peers A,B,C          replicates its keys with these servers (HOST:PORT, 3 or 5), of which it is one; needs --dir
                    --tls-trust FILE       with --join or --peers: use TLS for it; the certificates that are trusted (PEM)
                    --keep                 keys and their objects stay in the folder; the next server with --keep goes on with them
                    --force-after SECONDS  with --keep: changes are on the device after so many seconds, 0 to 60 (default 1);
                                           0: before they are answered (with --peers too)
                    --secret-file FILE     clients must know the secret in this file
                    --tls-certificate FILE encrypts connections: the certificate of the server, and those that lead to one that
                                           clients trust (PEM)
                    --tls-key FILE         the private key of the certificate (PEM, PKCS #8, without a password)
                    --page N               shows a status page at this port of this host (0 for a free one); only who has the
                                           address that it prints sees it
                    --allow-anyone         other hosts and users may connect although there is no secret
                  clean                  deletes the files of servers of this user that were killed; servers that run keep theirs
                    --dir DIR              the folder of these servers (default /dev/shm)
                  ls [PREFIX]            lists the keys of a server
                  stat [KEY]             shows what a server knows of a key, or of itself
                    --json                 ls and stat: the same as JSON
                  get KEY FILE           writes the image of a key to a new file
                  put KEY FILE           stores the image in a file under a new key
                  rm KEY                 removes a key
                    --server URL           ls, stat, get, put, rm: the server (default heapspan://127.0.0.1:7077)
                    --secret-file FILE     ls, stat, get, put, rm: the file with the secret of the server
                    --tls-trust FILE       ls, stat, get, put, rm: use TLS; the certificates that are trusted (PEM)
                  spark-submit ...       runs Spark's spark-submit with the settings of Heapspan; also spark-shell and pyspark.
                                         All arguments go to Spark, except:
                    --spark-home DIR       the folder of Spark (default SPARK_HOME, else the PATH, else pyspark in Python)
                    --share-classes[=DIR]  JVMs share an archive of class data in DIR, which the first run creates
                                           (default ~/.cache/heapspan, or heapspan in XDG_CACHE_HOME)
                  native build FILE...   compiles a native RDD program from C++ sources with g++ (or CXX)
                    -o FILE                the shared object (default: the first source with .so, in this folder)
                    --debug                for a debugger: without optimization
                    -- OPTIONS             options for the compiler
                  native run FILE ...    runs a native RDD program on Spark: FILE is the shared object. Options of spark-submit,
                                         and --spark-home, may stand anywhere. Other words belong to the program
                    -- WORDS               words for the program only
                  version                prints the version of Heapspan
                  help                   prints this text

                exit codes: 0 success, 1 failure (one line on the error stream gives the reason), 2 wrong command line

                Environment: JAVA_HOME is the JVM to use, HEAPSPAN_JAVA_OPTS has options for it.
                """;
    }
}
