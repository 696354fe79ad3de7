# shellcheck shell=bash
# The Apache Spark that the build uses. Sourced by ./dev.

spark_version=4.3.0
# What the modules of Maven know of Spark, wherever it lies: `home`, a link to it, and `class-path.jar`, which names its jars.
spark_dir=$root/build/tools/spark

# Whether $1 is a Spark of the version that we compile against.
is_spark() { [[ -r $1/jars/spark-core_2.13-$spark_version.jar ]]; }

# Prints the home of Spark, or nothing if there is none yet.
find_spark() {
  local candidate
  for candidate in "${SPARK_HOME:-}" "$spark_dir"/venv/lib/python3*/site-packages/pyspark; do
    if [[ -n $candidate ]] && is_spark "$candidate"; then
      readlink -f "$candidate"
      return
    fi
  done
}

# PyPI's pyspark is the whole distribution, which Maven Central does not have.
fetch_spark() {
  local log=$log_dir/pyspark.log
  [[ -z ${SPARK_HOME:-} ]] || say "  SPARK_HOME=$SPARK_HOME is no Spark $spark_version; not used" >&2
  say "  fetching Spark $spark_version from PyPI (500 MB) ..." >&2
  make_venv "$spark_dir/venv" "pyspark==$spark_version" >"$log" 2>&1 9>&- \
    || die "pip could not install pyspark $spark_version (${log#"$root"/}). It needs python3-venv and a way to PyPI (PIP_INDEX_URL, PIP_PROXY). Or set SPARK_HOME to a Spark $spark_version."
}

# Puts up what the modules of Maven know of Spark. Does nothing where that is up already.
link_spark() { # home of Spark
  local jars=("$1"/jars/*.jar) manifest=$spark_dir/manifest.txt
  mkdir -p "$spark_dir"
  if [[ $(readlink "$spark_dir/home" || true) == "$1" && -r $spark_dir/class-path.jar ]]; then
    return
  fi
  # A line that begins with a space continues the one before; the second space parts the names.
  {
    printf 'Class-Path: \n'
    printf '  home/jars/%s\n' "${jars[@]##*/}"
  } >"$manifest"
  rm -f "$spark_dir/class-path.jar"
  ln -sfn "$1" "$spark_dir/home"
  "$jdk/bin/jar" --create --file "$spark_dir/class-path.jar" --manifest "$manifest"
}

# For what compiles or runs the adapter for Spark.
set_up_spark() {
  local home
  home=$(find_spark)
  if [[ -z $home ]]; then
    fetch_spark
    home=$(find_spark)
    [[ -n $home ]] || die "pip installed pyspark, but there is no jars/spark-core_2.13-$spark_version.jar in it; see $spark_dir/venv."
  fi
  link_spark "$home"
}

cmd_spark_home() {
  set_up >&2
  set_up_spark >&2
  readlink "$spark_dir/home"
}
