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
  local candidate chromium='' wait=false
  [[ ! -t 0 ]] || wait=true
  for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    [[ -n $chromium || -z $candidate ]] || chromium=$(command -v "$candidate" || true)
  done
  HEAPSPAN_JAVA_OPTS="-Dheapspan.chromium=$chromium -Dheapspan.demo.wait=$wait ${HEAPSPAN_JAVA_OPTS:-}"
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
