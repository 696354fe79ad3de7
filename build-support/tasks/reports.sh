# shellcheck shell=bash
# Reads the reports of tests. Sourced by ./dev.

# Adds up the JUnit reports whose path matches the pattern $1. Prints "passed failed skipped".
count_reports() {
  local -a files
  mapfile -t files < <(find "$root" -path "$1" -name 'TEST-*.xml')
  if [[ ${#files[@]} -eq 0 ]]; then
    echo "0 0 0"
    return
  fi
  awk '
    FNR == 1 { counted = 0 }
    !counted && /<testsuite[ >]/ { inside = 1; head = "" }
    inside {
      head = head " " $0
      if ($0 ~ />/ && head ~ /<testsuite[^>]*>/) {
        tests += value("tests"); failed += value("failures") + value("errors"); skipped += value("skipped")
        inside = 0; counted = 1
      }
    }
    function value(name,   text) {
      if (!match(head, "[ \t]" name "=\"[0-9]+\"")) return 0
      text = substr(head, RSTART, RLENGTH); gsub(/[^0-9]/, "", text); return text + 0
    }
    END { printf "%d %d %d\n", tests - failed - skipped, failed, skipped }
  ' "${files[@]}"
}

# Prints class and method of each failed test, and the beginning of its message.
list_failures() {
  # shellcheck disable=SC2016 # the dollar signs are awk's
  find "$root" \( -path '*/target/*-reports*' -o -path "$log_dir/*" \) -name 'TEST-*.xml' -print0 | xargs -0 -r awk '
    /<testcase / { name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name)
                   class = $0; sub(/.*classname="/, "", class); sub(/".*/, "", class) }
    /<(failure|error)[ >]/ {
      print "    " class "." name "  (" FILENAME ")"
      if (match($0, /message="[^"]*/)) {
        message = substr($0, RSTART + 9, RLENGTH - 9)
        gsub(/&#10;[ \t]*/, " ", message); gsub(/&quot;/, "\"", message); gsub(/&lt;/, "<", message)
        gsub(/&gt;/, ">", message); gsub(/&amp;/, "\\&", message)
        print "      " substr(message, 1, 300)
      }
    }
  ' | sed "s|($root/|(|" | head -n 100
}

# Prints class and method of each test that was skipped because its data, a program or a JVM is missing on this machine.
list_missing() {
  # shellcheck disable=SC2016 # the dollar signs are awk's
  find "$root" -path '*/target/*-reports*' -name 'TEST-*.xml' -print0 | xargs -0 -r awk '
    /<testcase / { name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name)
                   class = $0; sub(/.*classname="/, "", class); sub(/".*/, "", class) }
    /<skipped/ && !/does not apply: / { why = ""
                                        if (match($0, /message="[^"]*/)) why = ": " substr($0, RSTART + 9, RLENGTH - 9)
                                        print "    " class "." name why }
  '
}
