# shellcheck shell=bash
# ./dev demo: the demos. Sourced by ./dev.

cmd_demo() {
  case ${1:-spark} in
    spark) bench_spark org.heapspan.benchmarks.spark.SparkDemo ;;
    native) bench_spark org.heapspan.benchmarks.spark.NativeReport --demo ;;
    flink) bench_flink_queries --demo ;;
    giraph) bench_giraph --demo ;;
    objects)
      [[ $# -eq 0 ]] || shift
      demo_objects "$@"
      ;;
    exchange)
      shift
      demo_exchange "$@"
      ;;
    *) die "unknown demo '$1'; the demos are: spark, native, flink, giraph, objects, exchange" ;;
  esac
}

demo_exchange() {
  set_up
  say "Heapspan build"
  say_jdks
  build_library
  run_java "$root/dist/heapspan.jar:$root/examples/target/heapspan-examples.jar" org.heapspan.examples.ExchangeDemo "$@"
}

demo_objects() {
  set_up
  say "Heapspan build"
  say_jdks
  build_library
  local classpath="$root/dist/heapspan.jar:$root/examples/target/heapspan-examples.jar:$root/examples/target/lib/*"
  # Without this option the JVM warns about Kryo and Fory. Heapspan needs no option.
  HEAPSPAN_JAVA_OPTS="$(unsafe_option) ${HEAPSPAN_JAVA_OPTS:-}"
  run_java "$classpath" org.heapspan.examples.Demo "$@"
}
