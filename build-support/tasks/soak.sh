# shellcheck shell=bash
# ./dev soak: long tests that are not part of ./dev test. Sourced by ./dev.

# Runs the applications on Spark that take too long for ./dev test.
soak_spark() {
  local python
  lock
  set_up_spark
  python=$(find_python_with_pandas)
  say "  Python: ${python:-none with pandas; pip could not install it (see build/logs/python-with-pandas.log)}"
  step "slow applications on Spark" maven verify -pl tests/spark -am -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dtest.groups=soak -Dtest.excludedGroups= -Dtest.forks=1 -Dtest.timeoutSeconds=10800 "-Dheapspan.python=$python"
}

# Runs jobs on YARN with two node managers in one JVM, which Maven downloads (60 MB).
soak_yarn() {
  lock
  set_up_spark
  step "jobs on YARN" maven verify -Pspark,yarn -pl tests/spark -am -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dtest.groups=yarn -Dtest.excludedGroups= -Dtest.forks=1
}

# Runs long jobs on Flink, in a JVM with its cluster and on a cluster of processes.
soak_flink() {
  lock
  step "long jobs on Flink" maven test -pl flink -am -Dtest=FlinkJobsTest,KilledTaskManagerTest -Dsurefire.failIfNoSpecifiedTests=false \
    -Dtest.groups=soak -Dtest.excludedGroups=none -DskipJdk17Tests=true
}

# Compares the answers of the tests about histories with those of Porcupine, a checker of linearizability.
check_histories() { # folder
  local home=$root/build-support/linearizability
  command -v go >/dev/null || install_packages golang-go || return 1
  (cd "$home" && GOFLAGS=-mod=readonly go test ./... && go run . "$1")
}

# Runs the global heap with many clients, many keys and a large group, in one JVM. It needs 7 GB in /dev/shm.
soak_exchange() {
  local histories=$root/build/histories broken=0
  lock
  rm -rf "$histories"
  step "servers that replicate their keys are killed, cut off, full, and lose their folders" maven test -pl replication -am "-Dtest=RatisConsensusTest,ReplicatedHistoryTest,ReplicatedHostsTest,FullLogTest" \
    -Dsurefire.failIfNoSpecifiedTests=false -Dtest.groups=soak -Dtest.excludedGroups=none -DskipJdk17Tests=true "-DargLine=-Dheapspan.histories=$histories" || broken=1
  step "a server that keeps its keys is killed" maven test -pl exchange -am -Dtest=HistoryTest \
    -Dsurefire.failIfNoSpecifiedTests=false -DskipJdk17Tests=true "-DargLine=-Dheapspan.histories=$histories" || broken=1
  step "histories, with Porcupine" check_histories "$histories" || broken=1
  say "$(tail -n 1 "$(log_of "histories, with Porcupine")")"
  step "many clients, many keys, a large group" maven test -pl exchange -am -Dtest=ExchangeSoakTest \
    -Dsurefire.failIfNoSpecifiedTests=false -Dtest.groups=soak -Dtest.excludedGroups=none -DskipJdk17Tests=true \
    "-DargLine=${gigabytes:+-Dheapspan.exchange.soak.gigabytes=$gigabytes}" || broken=1
  return "$broken"
}

# Runs long jobs on Giraph, in a JVM with its ZooKeeper.
soak_giraph() {
  lock
  step "long jobs on Giraph" maven test -P giraph -pl giraph -am -Dtest=GraphalyticsTest,GiraphJobsTest,KilledWorkerTest,ChangingGraphTest,FullStorageTest \
    -Dsurefire.failIfNoSpecifiedTests=false -Dtest.groups=soak -Dtest.excludedGroups=none -DskipJdk17Tests=true
}

# Runs jobs that the commands of Flink and Giraph start, with the jars of dist/.
soak_commands() {
  lock
  rm -rf "$root/build/repository"
  step "jobs that commands start" deploy "$root/build/repository" "${artifacts_and_tests[@]}" \
    -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false -Dit.test=HostCommandsIT -Dfailsafe.failIfNoSpecifiedTests=false -Dspotless.check.skip=true \
    -Dtest.groups=soak -Dtest.excludedGroups=none -DskipJdk17Tests=true
}

# Compares Heapspan with other serializers, class by class, between two JVMs.
soak_peers() {
  lock
  set_up_spark
  step "classes, with Java serialization, Kryo and Fory" maven verify -Pspark -pl tests -am -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=ClassComparisonIT,FidelityComparisonIT -Dtest.groups=soak -Dtest.excludedGroups=none -DskipJdk17Tests=true
}

# Compiles with all checks of Error Prone, of which ./dev test has some. Then runs the unit tests of all modules in JVMs that compile as they do where users
# run them, and all of them on JDK 17, which ./dev test does not.
soak_units() {
  local checks=-Xep:OperatorPrecedence:OFF broken=0
  lock
  set_up_spark
  step "all checks of Error Prone" maven clean test-compile -Pspark,giraph "-Derrorprone.main=$checks" "-Derrorprone.test=$checks" || broken=1
  step "unit tests with both compilers" maven test -Pspark,giraph -Dcompilers.build= -Dcompilers.jdk17= -Djdk17.excludedGroups=none "-DskipJdk17Tests=$([[ -n $java17 ]] && echo false || echo true)" || broken=1
  return "$broken"
}

cmd_soak() {
  local each parts=() by_maven=() options=() gigabytes="" status=0
  for each in "$@"; do
    case $each in
      units | peers | spark | yarn | flink | giraph | commands | exchange) by_maven+=("$each") ;;
      *=*)
        options+=("$each")
        [[ $each != gigabytes=* ]] || gigabytes=${each#*=}
        ;;
      *) parts+=("$each") ;;
    esac
  done
  set_up
  if [[ ${#parts[@]} -eq 0 && ${#by_maven[@]} -eq 0 ]]; then
    by_maven=(units peers spark yarn flink giraph commands exchange)
    (soak_in_jvms "${options[@]}") || status=1
  elif [[ ${#parts[@]} -gt 0 ]]; then
    (soak_in_jvms "${parts[@]}" "${options[@]}") || status=1
  fi
  for each in "${by_maven[@]}"; do
    "soak_$each" || status=1
  done
  return "$status"
}

# Runs the other parts in a Java program. Does not return.
soak_in_jvms() { # parts and options
  say "Heapspan soak"
  say_jdks
  step "compile and package" maven package -DskipTests "${library_only[@]}" -Ppublication -pl tests,tests/publication -am || die "build failed"
  step "assemble dist/" assemble || die "build failed"
  step "native fuzz target" build_native_fuzzer || die "build failed"
  # Runs on a third Java version are skipped if there is none.
  jdk21=$(find_java 21)
  run_java "$root/tests/target/test-classes:$root/tests/target/classes:$(cat "$root/tests/target/test.classpath")" \
    org.heapspan.tests.Soak "$@"
}
