# shellcheck shell=bash
# Finds the Apache Spark that the build uses. Sourced by ./dev.

spark_version=4.3.0
# Maven modules use this folder: `home` is a link to Spark, and `class-path.jar` lists its jars.
spark_dir=$root/build/tools/spark

# Whether $1 is the home of a Spark of the right version.
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

# pyspark on PyPI is the whole distribution of Spark. Maven Central does not have it.
fetch_spark() {
  local log=$log_dir/pyspark.log
  [[ -z ${SPARK_HOME:-} ]] || say "  SPARK_HOME=$SPARK_HOME is not a Spark $spark_version, and is not used" >&2
  say "  downloading Spark $spark_version from PyPI (500 MB) ..." >&2
  make_venv "$spark_dir/venv" "pyspark==$spark_version" >"$log" 2>&1 9>&- \
    || die "pip could not install pyspark $spark_version (${log#"$root"/}). Install python3-venv, and give pip access to PyPI (PIP_INDEX_URL, PIP_PROXY). Or set SPARK_HOME to a Spark $spark_version."
}

# Creates the link and the jar that Maven modules use. Does nothing if they exist.
link_spark() { # home of Spark
  local jars=("$1"/jars/*.jar) manifest=$spark_dir/manifest.txt
  mkdir -p "$spark_dir"
  if [[ $(readlink "$spark_dir/home" || true) == "$1" && -r $spark_dir/class-path.jar ]]; then
    return
  fi
  # A line that begins with a space continues the line before. The second space separates the names.
  {
    printf 'Class-Path: \n'
    printf '  home/jars/%s\n' "${jars[@]##*/}"
  } >"$manifest"
  rm -f "$spark_dir/class-path.jar"
  ln -sfn "$1" "$spark_dir/home"
  "$jdk/bin/jar" --create --file "$spark_dir/class-path.jar" --manifest "$manifest"
}

# Must run before the plug-in for Spark is compiled or run.
set_up_spark() {
  local home
  home=$(find_spark)
  if [[ -z $home ]]; then
    fetch_spark
    home=$(find_spark)
    [[ -n $home ]] || die "pip installed pyspark, but it has no jars/spark-core_2.13-$spark_version.jar; see $spark_dir/venv."
  fi
  link_spark "$home"
}

cmd_spark_home() {
  set_up >&2
  set_up_spark >&2
  readlink "$spark_dir/home"
}
