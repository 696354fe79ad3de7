# shellcheck shell=bash
# Output, steps with logs, and the lock on the work tree. Sourced by ./dev.

log_of() {
  local name=${1//[^a-zA-Z0-9]/-}
  printf '%s/%s.log' "$log_dir" "${name//--/-}"
}

# Runs a step and prints one line with its time. If it fails, prints the end of its log.
step() { # name, command...
  local name=$1 start status=0
  shift
  printf '  %-44s' "$name"
  start=$SECONDS
  "$@" >"$(log_of "$name")" 2>&1 9>&- || status=$?
  end_step "$name" "$status" "$start"
}

# The file with the status of a step in the background, when it has ended.
status_of() {
  local log
  log=$(log_of "$1")
  printf '%s.status' "${log%.log}"
}

# Starts a step in the background. finish_step waits for it and prints its line.
declare -A step_processes=() step_starts=()
start_step() { # name, command...
  local name=$1 ended
  shift
  ended=$(status_of "$name")
  rm -f "$ended"
  step_starts[$name]=$SECONDS
  # With a process group of its own, which has all that it starts. It must not read from the terminal then. Ctrl-C does not reach it.
  set -m
  (
    trap 'echo $? >"$ended"' EXIT
    "$@" >"$(log_of "$name")" 2>&1
  ) 9>&- </dev/null &
  step_processes[$name]=$!
  set +m
}

# Ends the steps in the background that have not been waited for.
stop_steps() {
  local process
  for process in "${step_processes[@]}"; do
    kill -- "-$process" 2>/dev/null || true
  done
  wait
}

finish_step() { # name
  local status=1 ended
  ended=$(status_of "$1")
  printf '  %-44s' "$1"
  # Bash forgets the status of a process that has ended if the system gives its number to another one. Therefore the status is in a file.
  wait "${step_processes[$1]}" 2>/dev/null || true
  unset "step_processes[$1]"
  [[ ! -s $ended ]] || status=$(<"$ended")
  end_step "$1" "$status" "${step_starts[$1]}"
}

# Prints the result of a step. Returns its status.
end_step() { # name, status, start
  local log
  log=$(log_of "$1")
  if [[ $2 -eq 0 ]]; then
    printf 'ok      %4d s\n' $((SECONDS - $3))
  else
    printf 'FAILED  %4d s\n' $((SECONDS - $3))
    show_errors "$log"
    printf '  full log: %s\n' "${log#"$root"/}"
  fi
  return "$2"
}

show_errors() {
  if grep -q '^\[ERROR\]' "$1"; then
    grep -E '^\[ERROR\]' "$1" | grep -vE '^\[ERROR\] *$|^\[ERROR\] *	at |^\[ERROR\] \[Help 1|full stack trace|Re-run Maven|resume the build|mvn <args>|For more information' | sed 's/ -> \[Help 1\]$//' | awk '!seen[$0]++' | head -n 40 || true
  else
    tail -n 40 "$1"
  fi
}

# Allows one run in a work tree at a time: two runs would overwrite each other's class files.
lock() {
  local file=$root/build/.lock
  while true; do
    mkdir -p "$log_dir"
    exec 9>"$file"
    if ! flock -n 9; then
      say "another ./dev is running in this work tree; waiting for it"
      flock 9
    fi
    # A ./dev clean deletes the file, and then the next ./dev locks another one.
    [[ ! $file -ef /proc/self/fd/9 ]] || break
  done
  discard_unfinished
}

# Releases the lock, for commands that only run what was built. Also releases it for the parent shell.
unlock() {
  flock -u 9
  exec 9>&-
}

# Replaces a file by renaming, because a program may be using the old one. Fails if a part fails: `set -e` has no effect in a step.
put() { # source, destination, mode
  mkdir -p "$(dirname "$2")" && install -m "$3" "$1" "$2.new" && mv -f "$2.new" "$2"
}
