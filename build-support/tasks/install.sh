# shellcheck shell=bash
# ./dev install: the artifacts for Maven and Gradle. Sourced by ./dev.

# Puts the artifacts where $1 says: local, the local repository of Maven, or a folder, which becomes a repository. $2: what to leave out, or nothing.
publish() {
  local where=$1 goal=(install) modules=build-support/artifacts/heapspan,build-support/artifacts/heapspan-h2,build-support/artifacts/heapspan-bom
  local options=(-Partifacts -Dmaven.test.skip=true -Dspotless.check.skip=true)
  if [[ $where != local ]]; then
    goal=(deploy -Dmaven.install.skip=true "-DaltDeploymentRepository=heapspan::file://$where")
    # Offline Maven deploys nothing, not even into a folder.
    local HEAPSPAN_MVN_ARGS=" ${HEAPSPAN_MVN_ARGS:-} "
    HEAPSPAN_MVN_ARGS=${HEAPSPAN_MVN_ARGS// -o / }
  fi
  if [[ ${2:-} == without-spark ]]; then
    options+=("${without_spark[@]}")
  else
    modules+=,build-support/artifacts/heapspan-spark
  fi
  step "artifacts" maven "${goal[@]}" "${options[@]}" -pl "$modules" -am
}

# What is published, and the projects of examples/ that use it, in a repository of the build.
test_artifacts() { # what to leave out, or nothing
  local repository=$root/build/repository
  rm -rf "$repository"
  publish "$repository" "$@" || return
  step "projects that use the artifacts" maven verify -Partifact-tests -pl tests/artifacts -Dspotless.check.skip=true -Dmaven.test.failure.ignore=true
}

cmd_install() {
  local each where=local left_out=
  for each in "$@"; do
    case $each in
      library) left_out=without-spark ;;
      repository=?*) where=$(realpath -m "${each#repository=}") ;;
      *) die "install takes library and repository=FOLDER, found: $each" ;;
    esac
  done
  set_up
  say "Heapspan install"
  say_jdks
  if [[ -z $left_out ]]; then
    set_up_spark
    say "  Spark:  $(readlink "$spark_dir/home")"
  fi
  publish "$where" "$left_out" || die "build failed"
  [[ $where != local ]] || where="the local repository of Maven"
  say "installed heapspan, heapspan-h2 and heapspan-bom in $where"
  [[ -n $left_out ]] || say "installed heapspan-spark_2.13 there, for Apache Spark $spark_version"
}
