# shellcheck shell=bash
# ./dev spark-versions: runs the plug-in on older versions of Apache Spark. Sourced by ./dev.

other_spark_versions=(4.0 4.1 4.2)

# Prints the home of the newest Spark $1 on PyPI, or nothing.
find_other_spark() {
  local venv=$root/build/tools/spark-$1
  if ! compgen -G "$venv/lib/python3*/site-packages/pyspark/jars/spark-core_2.13-*.jar" >/dev/null; then
    say "  downloading Spark $1 from PyPI (500 MB) ..." >&2
    make_venv "$venv" "pyspark==$1.*" >"$log_dir/pyspark-$1.log" 2>&1 9>&- || return 0
  fi
  compgen -G "$venv/lib/python3*/site-packages/pyspark"
}

cmd_spark_versions() { # versions; 4.1 is the newest 4.1
  local versions=("$@") version home found table='' status=0
  [[ $# -gt 0 ]] || versions=("${other_spark_versions[@]}")
  set_up
  say "Heapspan on other versions of Spark"
  say_jdks
  set_up_spark
  for version in "${versions[@]}"; do
    home=$(find_other_spark "$version")
    [[ -n $home ]] || die "pip could not install pyspark $version (build/logs/pyspark-$version.log)"
    found=$log_dir/spark-$version.found
    rm -f "$found"
    step "Spark $version" maven verify -pl tests/spark -am -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false -Dspotless.check.skip=true \
      "-Dspark.home=$home" -Dtest.groups=versions -Dtest.excludedGroups= -Dtest.forks=1 "-Dheapspan.found=$found" || status=1
    [[ -r $found ]] || printf 'jobs and cache: not tried\n' >"$found"
    table+=$(sed "s/^/  $(basename "$home"/jars/spark-core_2.13-*.jar .jar | sed 's/.*-//') /" "$found")$'\n'
  done
  say "$table"
  return "$status"
}
