package org.heapspan.tests.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The functions of {@code build-support/tasks}, in a work tree that is empty otherwise. Nothing is downloaded, and nothing is built. */
@Tag("once")
final class TasksTest {
    private static final Path ROOT =
            Path.of(System.getProperty("heapspan.root", "..")).toAbsolutePath().normalize();

    /** What {@code ./dev} has before it reads the files of tasks. */
    private static final String BEGIN = """
            set -euo pipefail
            root=$1
            log_dir=$root/build/logs
            say() { printf '%s\\n' "$*"; }
            die() { printf 'dev: %s\\n' "$*" >&2; exit 1; }
            for tasks in "$2"/build-support/tasks/*.sh; do . "$tasks"; done
            """;

    /** Programs of Python, without Python. */
    private static final String PRETENDED_PYTHON = """
            python3() { [[ $1 == -c ]] || mkdir -p "${@: -1}/bin"; }
            """;

    @TempDir
    Path root;

    /** What a script prints, in a folder whose name has a space. It must end with 0. */
    private String bash(String script) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(root.resolve("work tree"));
        Process process = new ProcessBuilder(
                        "bash", "-c", BEGIN + script, "bash", folder.toString(), ROOT.toString(), BEGIN)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output.strip();
    }

    /** As on a full disk: a file cannot become as long as it must. */
    @Test
    void aJarThatCannotBeWrittenLeavesTheOldOneAndFailsTheStep() throws Exception {
        String output = bash("""
                target=$root/build-support/assembly/target
                mkdir -p "$target" "$root/dist" "$log_dir" "$root/native/include/heapspan" "$root/build-support/assembly/src/main/bin"
                touch "$root/LICENSE" "$root/NOTICE" "$root/build-support/assembly/src/main/bin/heapspan"
                head -c 1000000 /dev/zero >"$target/heapspan.jar"
                echo old >"$root/dist/heapspan.jar"
                exec 9>/dev/null
                trap '' XFSZ
                ulimit -f 100
                step "assemble dist/" assemble || echo "the step fails"
                cat "$root/dist/heapspan.jar"
                """);
        assertThat(output).contains("FAILED").endsWith("the step fails\nold");
    }

    @Test
    void whatWasBuiltIsDeletedWithoutMaven() throws Exception {
        String output = bash("""
                set_up() { die "this needs no JDK"; }
                maven() { die "no network"; }
                mkdir -p image/target/classes build-support/assembly/target/a image/src dist/bin native/build/CMakeFiles native/src build/tools
                touch image/pom.xml build-support/assembly/pom.xml
                mkdir -p .git/refs/heads/target image/src/target
                cmd_clean
                find . -type d | sort | xargs
                """);
        assertThat(output)
                .isEqualTo(". ./.git ./.git/refs ./.git/refs/heads ./.git/refs/heads/target ./build-support"
                        + " ./build-support/assembly ./image ./image/src ./image/src/target ./native ./native/src");
    }

    @Test
    void jdksAreFoundWithoutHome() throws Exception {
        assertThat(bash("unset HOME; find_jdk 1 NO_SUCH_HOME; echo none")).isEqualTo("none");
    }

    /** A JVM in the locale C finds no file in a folder whose name has other characters. */
    @Test
    void theLocaleHasAllCharacters() throws Exception {
        assertThat(bash("""
                unset LC_ALL LC_CTYPE LANG
                (. "$2/dev" help >/dev/null; echo "$LC_ALL")
                export LANG=fr_FR.utf8
                (. "$2/dev" help >/dev/null; echo "${LC_ALL:-$LANG}")
                """)).isEqualTo("C.UTF-8\nfr_FR.utf8");
    }

    @Test
    void dataAreInAFolderBelowThatOfTheUser() throws Exception {
        assertThat(bash("""
                jdk=/jdk java17= java25=
                mvn() { printf '%s\\n' "$@"; }
                mkdir -p sub; cd sub
                HEAPSPAN_DATA=../data maven verify
                """)).contains("\n-Dheapspan.data=" + root.resolve("work tree/data") + "\n");
    }

    /** Ubuntu 22.04 has these. */
    @Test
    void programsThatAreTooOldAreNamed() throws Exception {
        String output = bash("""
                cmake() { echo "cmake version $version"; }
                g++() { echo "$version"; }
                for version in 3.22.1 3.25.1 4.1; do (need_version 3.25 cmake --version) 2>&1 || true; done
                for version in 11.4.0 12 13.2.0; do (need_version 12 g++ -dumpfullversion) 2>&1 || true; done
                """);
        assertThat(output.lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("dev: cmake is 3.22.1; the build needs 3.25 or newer"),
                        line -> assertThat(line).startsWith("dev: g++ is 11.4.0; the build needs 12 or newer"));
    }

    /** CMake refuses a folder that it made elsewhere. */
    @Test
    void whatCMakeMadeInAnotherPlaceIsDeleted() throws Exception {
        String output = bash("""
                build=$root/native/build
                mkdir -p "$build"
                echo "CMAKE_HOME_DIRECTORY:INTERNAL=$root/native" >"$build/CMakeCache.txt"
                discard_moved_native
                ls "$build"
                echo "CMAKE_HOME_DIRECTORY:INTERNAL=/host/heapspan/native" >"$build/CMakeCache.txt"
                discard_moved_native
                [[ -e $build ]] || echo deleted
                """);
        assertThat(output).isEqualTo("CMakeCache.txt\ndeleted");
    }

    /** A download that was killed must not be taken for a complete Spark. */
    @Test
    void environmentsThatWereNotCompletedAreMadeAgain() throws Exception {
        String output = bash(PRETENDED_PYTHON + """
                unset SPARK_HOME
                home=$spark_dir/venv
                jars=$home/lib/python3.11/site-packages/pyspark/jars
                timeout() { mkdir -p "$jars"; touch "$jars/spark-core_2.13-$spark_version.jar"; [[ -n $complete ]]; }
                complete=
                make_venv "$home" pyspark || echo "failed"
                lock
                echo "after a failure: $(find_spark)"
                complete=true
                make_venv "$home" pyspark
                lock
                echo "complete: $(find_spark)"
                """);
        assertThat(output)
                .isEqualTo("failed\nafter a failure: \ncomplete: "
                        + root.resolve("work tree/build/tools/spark/venv/lib/python3.11/site-packages/pyspark")
                                .toRealPath());
    }

    /** {@code ./dev clean} deletes the file of the lock. */
    @Test
    void whoWaitsForTheLockHoldsTheOneThatOthersSee() throws Exception {
        String output = bash("""
                mkdir -p "$root/build"
                exec 7>"$root/build/.lock"
                flock 7
                (
                  lock
                  [[ ! $root/build/.lock -ef /proc/self/fd/9 ]] || echo "holds the lock"
                ) 7>&- >"$root/output" 2>&1 &
                until grep -q 'waiting for it' "$root/output" 2>/dev/null; do sleep 0.05; done
                rm -rf "$root/build"
                exec 7>&-
                wait $!
                tail -n 1 "$root/output"
                """);
        assertThat(output).isEqualTo("holds the lock");
    }

    /** Sanitizers and the fresh machine take a quarter of an hour. */
    @Test
    void ctrlCEndsTheStepsInTheBackground() throws Exception {
        String output = bash("""
                cat >"$root/script" <<'END'
                mkdir -p "$log_dir"
                trap stop_steps EXIT
                start_step "slow" bash -c 'sleep 600 & echo $! >"$0"; wait' "$root/process"
                start_step "quick" true
                finish_step "quick"
                touch "$root/ready"
                while true; do sleep 0.05; done
                END
                bash -c "$3$(<"$root/script")" bash "$1" "$2" &
                until [[ -s $root/process && -e $root/ready ]]; do sleep 0.05; done
                kill "$!"
                wait "$!" || echo "status $?"
                # The process may take a moment.
                while [[ $(cut -d ' ' -f 3 "/proc/$(<"$root/process")/stat" 2>/dev/null) == [RSD] ]]; do sleep 0.05; done
                echo ended
                """);
        assertThat(output).contains("quick").endsWith("status 143\nended");
    }

    /** The first lines of the scripts in an environment of Python name the folder in which it was made. */
    @Test
    void theSiteIsBuiltAfterTheWorkTreeWasMoved() throws Exception {
        String output = bash("""
                mkdir -p "$docs_venv/bin"
                printf '#!/nowhere\\n' >"$docs_venv/bin/mkdocs"
                printf '#!/bin/sh\\necho "$@"\\n' >"$docs_venv/bin/python"
                chmod +x "$docs_venv/bin/"*
                build_site
                """);
        assertThat(output).startsWith("-m mkdocs build");
    }
}
