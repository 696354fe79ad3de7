# shellcheck shell=bash
# ./dev build: the jars and dist/. Sourced by ./dev.

assemble() {
  local spark_jar=$root/build-support/assembly-spark/target/heapspan-spark.jar
  put "$root/build-support/assembly/target/heapspan.jar" "$root/dist/heapspan.jar" 644
  # Not there if only benchmarks were built.
  [[ ! -f $spark_jar ]] || put "$spark_jar" "$root/dist/heapspan-spark.jar" 644
  put "$root/build-support/assembly/src/main/bin/heapspan" "$root/dist/bin/heapspan" 755
  put "$root/LICENSE" "$root/dist/LICENSE" 644
  put "$root/NOTICE" "$root/dist/NOTICE" 644
  mkdir -p "$root/dist/include/heapspan"
  if [[ -d $root/native/include/heapspan ]]; then
    cp -R "$root/native/include/heapspan/." "$root/dist/include/heapspan/"
  fi
}

build() { # further options of Maven
  say "Heapspan build"
  say "  JDK 25: $jdk25"
  say "  JDK 17: $jdk17"
  set_up_spark
  say "  Spark:  $(readlink "$spark_dir/home")"
  step "compile and package" maven package -DskipTests "$@" || die "build failed"
  step "assemble dist/" assemble || die "build failed"
}

cmd_build() {
  [[ $# -eq 0 ]] || die "build takes no arguments, found: $*"
  set_up
  build
  say "built dist/heapspan.jar ($(($(stat -c %s "$root/dist/heapspan.jar") / 1024)) KB); try dist/bin/heapspan doctor"
  say "built dist/heapspan-spark.jar for Apache Spark $spark_version; docs/spark.md says how to use it"
}
