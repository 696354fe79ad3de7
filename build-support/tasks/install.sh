# shellcheck shell=bash
# ./dev install: the artifacts for Maven and Gradle. Sourced by ./dev.

# Installs the artifacts. $1: local (the local repository of Maven), or a folder for a new repository. $2: library, or nothing.
publish() {
  local where=$1 goal=(install) modules=build-support/artifacts/heapspan,build-support/artifacts/heapspan-h2,build-support/artifacts/heapspan-exchange,build-support/artifacts/heapspan-bom
  local options=(-Partifacts -Dmaven.test.skip=true -Dspotless.check.skip=true)
  if [[ $where != local ]]; then
    goal=(deploy -Dmaven.install.skip=true "-DaltDeploymentRepository=heapspan::file://$where")
    # With -o Maven deploys nothing, not even to a folder.
    local HEAPSPAN_MVN_ARGS=" ${HEAPSPAN_MVN_ARGS:-} "
    HEAPSPAN_MVN_ARGS=${HEAPSPAN_MVN_ARGS// -o / }
  fi
  if [[ ${2:-} == library ]]; then
    options+=("${library_only[@]}")
  else
    modules+=,build-support/artifacts/heapspan-spark,build-support/artifacts/heapspan-flink
  fi
  step "artifacts" maven "${goal[@]}" "${options[@]}" -pl "$modules" -am
}

# Tests the artifacts: installs them in a repository below build/, and builds the projects of examples/ that use them.
test_artifacts() { # library, or nothing
  local repository=$root/build/repository
  rm -rf "$repository"
  publish "$repository" "$@" || return
  step "projects that use the artifacts" maven verify -Partifact-tests -pl tests/artifacts -Dspotless.check.skip=true -Dmaven.test.failure.ignore=true
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
  say "installed heapspan, heapspan-h2, heapspan-exchange and heapspan-bom in $where"
  [[ -n $only ]] || say "installed heapspan-spark_2.13 there, for Apache Spark $spark_version, and heapspan-flink"
}
