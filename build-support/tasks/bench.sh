# shellcheck shell=bash
# ./dev bench: the benchmarks. Sourced by ./dev.

# Which Spark it is, as options of the JVM that measures.
spark_of_bench() {
  printf '%s' "-Dheapspan.spark.home=$(readlink "$spark_dir/home") -Dheapspan.spark.version=$spark_version"
}

# Runs a program that starts whole applications on Spark. Does not return.
bench_spark() { # main class, arguments...
  build_for_spark
  local main=$1
  shift
  HEAPSPAN_JAVA_OPTS="$(spark_of_bench) ${HEAPSPAN_JAVA_OPTS:-}"
  run_java "$root/benchmarks/spark/target/heapspan-spark-benchmarks.jar:$root/benchmarks/spark/target/run/*" "$main" "$@"
}

# Runs a benchmark in one JVM with Spark's classes. Does not return.
bench_in_spark() { # main class, arguments...
  build_for_spark
  local opens="" package
  for package in java.lang java.lang.invoke java.nio java.util sun.nio.ch; do
    opens+=" --add-opens=java.base/$package=ALL-UNNAMED"
  done
  HEAPSPAN_JAVA_OPTS="$(spark_of_bench)$opens ${HEAPSPAN_JAVA_OPTS:-}"
  run_java "$root/benchmarks/spark/target/heapspan-spark-benchmarks.jar:$root/dist/heapspan-spark.jar:$spark_dir/home/jars/*:$root/benchmarks/spark/target/run/*" \
    "$@"
}

build_for_spark() {
  set_up
  say "Heapspan on Spark"
  set_up_spark
  step "compile and package" maven package -Dmaven.test.skip=true -pl benchmarks/spark,workloads,build-support/assembly-spark -am || die "build failed"
  step "assemble dist/" assemble || die "build failed"
}

build_for_flink() {
  set_up
  say "Heapspan on Flink"
  step "compile and package" maven package -Dmaven.test.skip=true -pl benchmarks/flink -am || die "build failed"
}

# Runs a benchmark with Flink's classes. Does not return.
bench_in_flink() { # main class, arguments...
  HEAPSPAN_JAVA_OPTS="--add-opens=java.base/java.util=ALL-UNNAMED ${HEAPSPAN_JAVA_OPTS:-}"
  run_java "$root/benchmarks/flink/target/heapspan-flink-benchmarks.jar:$(cat "$root/benchmarks/flink/target/run.classpath")" "$@"
}

# Runs queries of TPC-H on Flink. Does not return.
bench_flink_queries() { # arguments...
  local tpch
  build_for_flink
  tpch=$(find_tpch)
  [[ -n $tpch ]] || die "pip could not install tpchgen-cli and DuckDB (build/logs/tpch.log). Install python3-venv, and give pip access to PyPI (PIP_INDEX_URL, PIP_PROXY)."
  HEAPSPAN_JAVA_OPTS="-Dheapspan.tpch.home=$tpch ${HEAPSPAN_JAVA_OPTS:-}"
  bench_in_flink org.heapspan.benchmarks.flink.queries.QueryReport "$@"
}

# Runs algorithms on Giraph. Does not return.
bench_giraph() { # arguments...
  set_up
  say "Heapspan on Giraph"
  step "compile and package" maven package -Dmaven.test.skip=true -P giraph -pl benchmarks/giraph -am || die "build failed"
  run_java "$root/benchmarks/giraph/target/heapspan-giraph-benchmarks.jar:$(cat "$root/benchmarks/giraph/target/run.classpath")" \
    org.heapspan.benchmarks.giraph.GiraphReport "$@"
}

cmd_bench() {
  local what=${1:-codec} main
  [[ $# -eq 0 ]] || shift
  case $what in
    codec) main=org.heapspan.benchmarks.CodecReport ;;
    curves) main=org.heapspan.benchmarks.curve.CurveReport ;;
    curves-jvms) main=org.heapspan.benchmarks.curve.JvmReport ;;
    h2) main=org.heapspan.benchmarks.secondheap.SecondHeapReport ;;
    exchange) main=org.heapspan.benchmarks.exchange.ExchangeReport ;;
    flink)
      build_for_flink
      bench_in_flink org.heapspan.benchmarks.flink.SerializerReport "$@"
      return
      ;;
    flink-queries)
      bench_flink_queries "$@"
      return
      ;;
    giraph)
      bench_giraph "$@"
      return
      ;;
    startup) main=org.heapspan.benchmarks.StartUpReport ;;
    transfer) main=org.heapspan.benchmarks.transfer.TransferReport ;;
    spark)
      bench_spark org.heapspan.benchmarks.spark.SparkReport "$@"
      return
      ;;
    spark-groups)
      bench_spark org.heapspan.benchmarks.spark.SparkReport --groups "$@"
      return
      ;;
    spark-keys)
      bench_spark org.heapspan.benchmarks.spark.SparkReport --keys "$@"
      return
      ;;
    spark-cache)
      bench_spark org.heapspan.benchmarks.spark.CacheReport "$@"
      return
      ;;
    native)
      bench_spark org.heapspan.benchmarks.spark.NativeReport "$@"
      return
      ;;
    native-sizes)
      bench_spark org.heapspan.benchmarks.spark.NativeSizesReport "$@"
      return
      ;;
    native-compile)
      bench_spark org.heapspan.benchmarks.spark.NativeCompileReport "$@"
      return
      ;;
    spark-startup)
      bench_spark org.heapspan.benchmarks.spark.SparkStartUpReport "$@"
      return
      ;;
    block-sizes)
      bench_in_spark org.heapspan.benchmarks.spark.parts.BlockSizeReport "$@"
      return
      ;;
    spark-broadcast)
      bench_spark org.heapspan.benchmarks.spark.SparkBroadcastReport "$@"
      return
      ;;
    cache)
      bench_in_spark org.heapspan.benchmarks.spark.parts.CachedBlockReport "$@"
      return
      ;;
    sizes)
      bench_in_spark org.heapspan.benchmarks.spark.parts.SizeReport "$@"
      return
      ;;
    streams) main=org.heapspan.benchmarks.StreamReport ;;
    *) die "unknown benchmark '$what'; the benchmarks are: block-sizes, codec, curves, curves-jvms, exchange, flink, flink-queries, giraph, h2, native, native-compile, native-sizes, spark, spark-groups, spark-keys, spark-cache, spark-startup, spark-broadcast, cache, sizes, startup, streams, transfer" ;;
  esac
  set_up
  say "Heapspan bench $what"
  step "compile and package benchmarks" maven package -Dmaven.test.skip=true "${library_only[@]}" -Pbench-jar -pl benchmarks,build-support/assembly -am || die "build failed"
  put "$root/benchmarks/target/heapspan-benchmarks-all.jar" "$root/dist/heapspan-benchmarks.jar" 644
  step "assemble dist/" assemble || die "build failed"
  run_java "$root/dist/heapspan-benchmarks.jar" "$main" "$@"
}
