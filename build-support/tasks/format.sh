# shellcheck shell=bash
# ./dev format: formats Java and C++. Sourced by ./dev.

cmd_format() {
  set_up
  say "Heapspan format"
  step "format Java" maven -Ppublication,spark,giraph spotless:apply || die "format failed"
  clang_format=$(find_clang_format)
  if [[ -n $clang_format ]]; then
    step "format C++" clang_format_all -i || die "format failed"
  else
    say "  C++ is not formatted: pip could not install clang-format $clang_format_version (see build/logs)"
  fi
  say "formatted"
}
