# shellcheck shell=bash
# ./dev build: the jars and dist/. Sourced by ./dev.

# Options for Maven: no module that needs Spark, even if Spark is installed.
without_spark=(-P '!spark')

assemble() {
  local spark_jar=$root/build-support/assembly-spark/target/heapspan-spark.jar
  put "$root/build-support/assembly/target/heapspan.jar" "$root/dist/heapspan.jar" 644
  # Missing if only the library was built.
  [[ ! -f $spark_jar ]] || put "$spark_jar" "$root/dist/heapspan-spark.jar" 644
  put "$root/build-support/assembly/src/main/bin/heapspan" "$root/dist/bin/heapspan" 755
  put "$root/LICENSE" "$root/dist/LICENSE" 644
  put "$root/NOTICE" "$root/dist/NOTICE" 644
  mkdir -p "$root/dist/include/heapspan"
  if [[ -d $root/native/include/heapspan ]]; then
    cp -R "$root/native/include/heapspan/." "$root/dist/include/heapspan/"
  fi
}

# Builds everything that needs no Spark: dist/heapspan.jar, the command line and the examples.
build_library() {
  step "library: compile and package" maven package -Dmaven.test.skip=true "${without_spark[@]}" -pl build-support/assembly,examples -am \
    || die "build failed"
  step "assemble dist/" assemble || die "build failed"
  say "built dist/heapspan.jar ($(($(stat -c %s "$root/dist/heapspan.jar") / 1024)) KB); to check it, run dist/bin/heapspan doctor"
}

build_adapter() {
  set_up_spark
  say "  Spark:  $(readlink "$spark_dir/home")"
  step "Spark: compile and package" maven package -Dmaven.test.skip=true -pl build-support/assembly-spark,workloads -am || die "build failed"
  step "assemble dist/" assemble || die "build failed"
  say "built dist/heapspan-spark.jar for Apache Spark $spark_version; docs/spark.md describes how to use it"
}

cmd_build() {
  case $* in
    '' | library) ;;
    *) die "wrong arguments: '$*', expected none, or library" ;;
  esac
  set_up
  say "Heapspan build"
  say_jdks
  build_library
  if [[ $* == library ]]; then
    say "not built: dist/heapspan-spark.jar, which needs Apache Spark; ./dev build builds it too"
  else
    build_adapter
  fi
}
