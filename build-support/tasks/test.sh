# shellcheck shell=bash
# ./dev test: everything that CI runs. Sourced by ./dev.

# Builds the library in a new root file system of a Debian that has no JDK 25. No verdict without the file system.
try_fresh_machine() {
  local status=0
  renice -n 10 "$BASHPID" >/dev/null
  (cmd_fresh_machine bookworm) || status=$?
  if [[ $status -eq 75 ]]; then
    say "not tried: debootstrap made no file system"
  else
    return "$status"
  fi
}

cmd_test() {
  local modules=("${artifacts_and_tests[@]}")
  case $* in
    '') ;;
    library) modules=(-P "${library_only[1]},artifacts,artifact-tests") ;;
    *) die "wrong arguments: '$*', expected none, or library; to run single tests, use ./dev mvn (CONTRIBUTING.md)" ;;
  esac
  set_up
  local gradle tpch wheels fresh= broken=0 passed=0 failed=0 skipped=0 run dead missing run_name pattern p f s
  say "Heapspan test"
  say_jdks
  find "$root" \( -path '*/target/*-reports*' -o -path "$log_dir/*" \) \( -name 'TEST-*.xml' -o -name '*.dumpstream' \) -delete

  # They need no package that may have to be downloaded now.
  start_step "native tests" native_tests
  start_step "format check Java" maven --fail-at-end -Ppublication,spark,giraph spotless:check
  trap stop_steps EXIT
  # A JVM ends by itself then, and Bash would go on after it.
  trap 'exit 130' INT
  jdk21=$(find_java 21)
  if [[ $* == library ]]; then
    say "  Spark, Flink: not used; tests that need them are skipped (./dev test runs them too)"
  else
    set_up_spark
    say "  Spark:  $(readlink "$spark_dir/home")"
  fi
  say "  Java 21: ${jdk21:-none found; the short run on it is skipped (set JAVA21_HOME)}"
  gradle=$(find_gradle)
  say "  Gradle: ${gradle:-none found; examples/gradle is not tested (apt-get install gradle)}"
  chromium=$(find_chromium)
  if [[ $* == library ]]; then
    tpch=
  else
    tpch=$(find_tpch)
    say "  TPC-H:  ${tpch:-none found; queries on Flink are not tested (see build/logs/tpch.log)}"
  fi
  wheels=$(find_python_wheels)
  [[ -n $wheels ]] || say "  setuptools: not found; the Python client is not installed with pip (see build/logs/python-wheels.log)"
  say "  Chromium: ${chromium:-none found; tests of pages in a browser are skipped (apt-get install chromium, or set CHROMIUM)}"
  # Mostly waits for pip, the first time.
  start_step "documentation site" fetch_and_build_site
  clang_format=$(find_clang_format)
  if [[ -n $clang_format ]]; then
    step "format check C++" clang_format_all --dry-run -Werror || broken=1
  else
    say "  format check C++ is skipped: pip could not install clang-format $clang_format_version"
    [[ -z ${CI:-} ]] || broken=1
  fi
  finish_step "native tests" || broken=1
  start_step "native tests, sanitizers" sanitized_native_tests
  if [[ $* == library ]]; then
    say "  fresh machine: not tried (./dev test tries one)"
  elif can_make_machine; then
    fresh=true
    start_step "library on a fresh machine, Debian 12" try_fresh_machine
  else
    say "  fresh machine: not tried, which takes root, debootstrap and the right to mount"
  fi
  # Failed tests do not end Maven's run, so every module is tested. The reports decide on the result. Three modules run at a time, because their tests
  # mostly wait for other processes. The artifacts are deployed in a repository below build/, for the tests of them.
  run="compile, test on JDK 25 and JDK 17"
  rm -rf "$root/build/repository"
  if step "$run" deploy "$root/build/repository" -T 3 "${modules[@]}" -Dspotless.check.skip=true \
    "-DskipJdk17Tests=$([[ -n $java17 ]] && echo false || echo true)" "-Djdk21.home=$jdk21" "-Dheapspan.chromium=$chromium" "-Dheapspan.tpch.home=$tpch" "-Dheapspan.python.wheels=$wheels" -Dmaven.test.failure.ignore=true; then
    step "assemble dist/" assemble || broken=1
    # With failures ignored Maven can also ignore a test JVM that died.
    dead='^\[ERROR\].*(The forked VM terminated|There was a timeout|SurefireBooterForkException)'
    if grep -qE "$dead" "$(log_of "$run")"; then
      say "  a test JVM died or hung:"
      grep -E "$dead" "$(log_of "$run")" | cut -c 1-200 | sort -u | head -n 20
      broken=1
    fi
  else
    broken=1
  fi
  finish_step "format check Java" || broken=1
  finish_step "native tests, sanitizers" || broken=1
  if [[ -n $fresh ]]; then
    finish_step "library on a fresh machine, Debian 12" || broken=1
    grep '^not tried' "$(log_of "library on a fresh machine, Debian 12")" || true
  fi
  finish_step "documentation site" || broken=1
  has_docs_tools || say "  documentation site was skipped: pip could not install its generator"

  for run_name in "JDK 25" "JDK 17" "between JVMs" "native"; do
    case $run_name in
      "JDK 25") pattern='*/target/surefire-reports/*' ;;
      "JDK 17") pattern='*/target/surefire-reports-jdk17/*' ;;
      "between JVMs") pattern='*/target/failsafe-reports/*' ;;
      *) pattern="$log_dir/*" ;;
    esac
    read -r p f s < <(count_reports "$pattern")
    printf '  %-16s %6d passed %6d failed %6d skipped\n' "$run_name" "$p" "$f" "$s"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  done
  if [[ $failed -gt 0 ]]; then
    say "  failed:"
    list_failures
  fi
  if [[ -n ${CI:-} ]]; then
    missing=$(list_missing)
    if [[ -n $missing ]]; then
      say "  skipped because something is missing on this machine, which is a failure if CI is set:"
      say "$missing"
      broken=1
    fi
  fi
  if [[ $broken -ne 0 && $failed -eq 0 ]]; then
    # A step above failed, and no test. This counts as one failure.
    failed=1
  fi
  if [[ $passed -eq 0 ]]; then
    broken=1
  fi
  if [[ $skipped -gt 0 ]]; then
    say "$passed passed, $failed failed, $skipped skipped"
  else
    say "$passed passed, $failed failed"
  fi
  [[ $failed -eq 0 && $broken -eq 0 ]]
}
