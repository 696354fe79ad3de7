# shellcheck shell=bash
# ./dev install: the artifacts for Maven and Gradle. Sourced by ./dev.

# For Maven: all artifacts, the adapters too, and the tests that look at them.
artifacts_and_tests=(-P "spark,giraph,artifacts,artifact-tests,adapter-artifact-tests")

# Runs Maven such that it deploys what it is told to in a repository in folder $1.
deploy() { # folder, options...
  local where=$1
  shift
  # With -o Maven deploys nothing, not even to a folder.
  local HEAPSPAN_MVN_ARGS=" ${HEAPSPAN_MVN_ARGS:-} "
  HEAPSPAN_MVN_ARGS=${HEAPSPAN_MVN_ARGS// -o / }
  maven deploy -Dmaven.install.skip=true "-DaltDeploymentRepository=heapspan::file://$where" "$@"
}

# Installs the artifacts. $1: local (the local repository of Maven), or a folder for a new repository. $2: library, or nothing.
publish() {
  local where=$1 goal=(maven install) modules=build-support/artifacts/heapspan,build-support/artifacts/heapspan-h2,build-support/artifacts/heapspan-exchange,build-support/artifacts/heapspan-replication,build-support/artifacts/heapspan-bom
  local options=(-Partifacts -Dmaven.test.skip=true -Dspotless.check.skip=true)
  if [[ $where != local ]]; then
    goal=(deploy "$where")
  fi
  if [[ ${2:-} == library ]]; then
    options+=("${library_only[@]}")
  else
    modules+=,build-support/artifacts/heapspan-spark,build-support/artifacts/heapspan-flink
  fi
  step "artifacts" "${goal[@]}" -T 2 "${options[@]}" -pl "$modules" -am
}

cmd_install() {
  local each where=local only=
  for each in "$@"; do
    case $each in
      library) only=library ;;
      repository=?*) where=$(realpath -m "${each#repository=}") ;;
      *) die "wrong argument: '$each', expected library or repository=FOLDER" ;;
    esac
  done
  set_up
  say "Heapspan install"
  say_jdks
  if [[ -z $only ]]; then
    set_up_spark
    say "  Spark:  $(readlink "$spark_dir/home")"
  fi
  publish "$where" "$only" || die "build failed"
  [[ $where != local ]] || where="the local repository of Maven"
  say "installed heapspan, heapspan-h2, heapspan-exchange, heapspan-replication and heapspan-bom in $where"
  [[ -n $only ]] || say "installed heapspan-spark_2.13 there, for Apache Spark $spark_version, and heapspan-flink"
}
