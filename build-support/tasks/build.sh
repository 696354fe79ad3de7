# shellcheck shell=bash
# ./dev build and ./dev clean: the jars and dist/. Sourced by ./dev.

# Options for Maven: no module that needs Spark or Flink, even if they are there.
library_only=(-P '!spark,!flink')

assemble() {
  local adapter jar
  put "$root/build-support/assembly/target/heapspan.jar" "$root/dist/heapspan.jar" 644 || return
  for adapter in replication spark flink giraph; do
    jar=$root/build-support/assembly-$adapter/target/heapspan-$adapter.jar
    # Missing if only the library was built.
    [[ ! -f $jar ]] || put "$jar" "$root/dist/heapspan-$adapter.jar" 644 || return
  done
  put "$root/build-support/assembly/src/main/bin/heapspan" "$root/dist/bin/heapspan" 755 \
    && put "$root/LICENSE" "$root/dist/LICENSE" 644 \
    && put "$root/NOTICE" "$root/dist/NOTICE" 644 \
    && mkdir -p "$root/dist/include/heapspan" \
    && cp -R "$root/native/include/heapspan/." "$root/dist/include/heapspan/"
}

# Builds everything that needs neither Spark nor Flink: dist/heapspan.jar, the command line and the examples.
build_library() {
  step "library: compile and package" maven package -Dmaven.test.skip=true "${library_only[@]}" -pl build-support/assembly,build-support/assembly-replication,examples -am \
    || die "build failed"
  step "assemble dist/" assemble || die "build failed"
  say "built dist/heapspan.jar ($(($(stat -c %s "$root/dist/heapspan.jar") / 1024)) KB); to check it, run dist/bin/heapspan doctor"
}

build_adapters() {
  set_up_spark
  say "  Spark:  $(readlink "$spark_dir/home")"
  step "Spark, Flink: compile and package" maven package -Dmaven.test.skip=true \
    -pl build-support/assembly-spark,build-support/assembly-flink,examples/flink,workloads -am || die "build failed"
  step "assemble dist/" assemble || die "build failed"
  say "built dist/heapspan-spark.jar for Apache Spark $spark_version; docs/spark.md describes how to use it"
  say "built dist/heapspan-flink.jar for Apache Flink; docs/flink.md describes how to use it"
}

# Builds dist/heapspan-giraph.jar and the programs of examples/giraph.
build_giraph() {
  step "Giraph: compile and package" maven package -Dmaven.test.skip=true -P giraph \
    -pl build-support/assembly-giraph,examples/giraph -am || die "build failed"
  step "assemble dist/" assemble || die "build failed"
  say "built dist/heapspan-giraph.jar for Apache Giraph; docs/giraph.md describes how to use it"
}

cmd_build() {
  case $* in
    '' | library | giraph) ;;
    *) die "wrong arguments: '$*', expected none, library or giraph" ;;
  esac
  set_up
  say "Heapspan build"
  say_jdks
  build_library
  if [[ $* == giraph ]]; then
    build_giraph
  elif [[ $* == library ]]; then
    say "not built: dist/heapspan-spark.jar and dist/heapspan-flink.jar, which need Apache Spark and Flink; ./dev build builds them too"
  else
    build_adapters
  fi
}

# Without Maven, which may have to download what it deletes with.
cmd_clean() {
  [[ $# -eq 0 ]] || die "wrong arguments: '$*', expected none"
  local pom poms
  lock
  # Only beside a pom.xml: other folders of this name, such as one of branches in .git, are not Maven's.
  mapfile -d '' poms < <(find "$root" -name .git -prune -o -name target -prune -o -name pom.xml -print0)
  for pom in "${poms[@]}"; do
    rm -rf "${pom%pom.xml}target"
  done
  rm -rf "$root/build" "$root/dist" "$root/native/build"
}
