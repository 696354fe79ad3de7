# shellcheck shell=bash
# ./dev soak: long runs that are no part of the tests. Sourced by ./dev.

# The applications on Spark that take too long for every run of the tests.
soak_spark() {
  local python
  lock
  set_up_spark
  python=$(find_python_with_pandas)
  say "  Python: ${python:-none with pandas: pip could not install it (see build/logs/python-with-pandas.log)}"
  step "slow applications on Spark" maven verify -pl tests/spark -am -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dtest.groups=soak -Dtest.excludedGroups= -Dtest.timeoutSeconds=10800 "-Dheapspan.python=$python"
}

# Jobs on a YARN of two node managers in one JVM, which Maven fetches (60 MB).
soak_yarn() {
  lock
  set_up_spark
  step "jobs on YARN" maven verify -Pspark,yarn -pl tests/spark -am -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dtest.groups=yarn -Dtest.excludedGroups=
}

cmd_soak() {
  local each parts=() on_spark=() options=() status=0
  for each in "$@"; do
    case $each in
      spark | yarn) on_spark+=("$each") ;;
      *=*) options+=("$each") ;;
      *) parts+=("$each") ;;
    esac
  done
  set_up
  if [[ ${#parts[@]} -eq 0 && ${#on_spark[@]} -eq 0 ]]; then
    on_spark=(spark yarn)
    (soak_in_jvms "${options[@]}") || status=1
  elif [[ ${#parts[@]} -gt 0 ]]; then
    (soak_in_jvms "${parts[@]}" "${options[@]}") || status=1
  fi
  for each in "${on_spark[@]}"; do
    "soak_$each" || status=1
  done
  return "$status"
}

# The other parts, in a program of ours in which this shell ends.
soak_in_jvms() { # parts and options
  say "Heapspan soak"
  say_jdks
  step "compile and package" maven package -DskipTests "${without_spark[@]}" -Ppublication -pl tests,tests/publication -am || die "build failed"
  step "assemble dist/" assemble || die "build failed"
  step "native fuzz target" build_native_fuzzer || die "build failed"
  # For runs on a third version; without it they are skipped.
  jdk21=$(find_java 21)
  run_java "$root/tests/target/test-classes:$root/tests/target/classes:$(cat "$root/tests/target/test.classpath")" \
    org.heapspan.tests.Soak "$@"
}
