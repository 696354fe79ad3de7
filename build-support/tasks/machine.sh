# shellcheck shell=bash
# ./dev set-up and ./dev fresh-machine: set up a new machine. Sourced by ./dev.

cmd_set_up() {
  [[ $# -eq 0 ]] || die "wrong arguments: '$*', expected none"
  set_up
  say "Heapspan set-up"
  say_jdks
  say "everything that a build needs is installed"
}

# Whether this machine can make another one: the rights to create devices and mounts, and the tool.
can_make_machine() {
  [[ $EUID -eq 0 ]] && unshare --mount true 2>/dev/null && { command -v debootstrap >/dev/null 2>&1 || install_packages debootstrap 2>/dev/null; }
}

# Runs ./dev on the last commit, in a new root file system with Debian's base packages, git, curl and Python. Returns 75 if there is no such file system,
# because of the network, for example.
cmd_fresh_machine() { # release, command of ./dev...
  local release=${1:-trixie} home=${HOME:-/root} proxies=() machine file name
  [[ $# -eq 0 ]] || shift
  mkdir -p "$log_dir"
  can_make_machine || die "fresh-machine creates a root file system: run it as root, where debootstrap can be installed and mounts are allowed"
  machine=$(mktemp -d "${TMPDIR:-/tmp}/heapspan-$release-XXXXXX")
  fresh_machine=$machine
  trap 'rm -rf --one-file-system "$fresh_machine"' EXIT
  # Bash does not run it in a subshell that is killed.
  trap "exit 143" TERM
  say "Heapspan on a fresh machine ($machine)"
  step "debootstrap $release" debootstrap --variant=minbase --include=ca-certificates,curl,git,python3 "$release" "$machine" \
    || return 75
  # Settings of this machine for access to package registries, if it has any.
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/java/cacerts "$home/.m2/settings.xml"; do
    [[ ! -r $file ]] || install -D -m 644 "$(readlink -f "$file")" "$machine/${file/#"$home"//root}"
  done
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [[ -z ${!name:-} ]] || proxies+=("$name=${!name}")
  done
  # The work tree may belong to the user who called sudo.
  printf '[safe]\n\tdirectory = *\n' >"$machine/root/.gitconfig"
  GIT_CONFIG_GLOBAL=$machine/root/.gitconfig git clone -q "$root" "$machine/heapspan" || return
  # Only this command sees the mounts. They end with it.
  # shellcheck disable=SC2016 # the inner shell expands
  unshare --mount bash -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" env -i \
    HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin HEAPSPAN_MVN_ARGS= "${@:3}" bash -c "cd /heapspan && time ./dev $2"' \
    bash "$machine" "${*:-build library}" "${proxies[@]}"
}
