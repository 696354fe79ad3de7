#!/usr/bin/env bash
# Fails if a shared library would not load on glibc 2.28 (RHEL 8, Debian 10), needs a library that such a system may
# lack, or exports anything but JNI entry points.
#   check-symbols.sh build/libheapspan.so
set -euo pipefail

library=${1:?usage: check-symbols.sh LIBRARY}
newest_glibc=2.28
allowed_needed='^(libc\.so\.6|libdl\.so\.2|libm\.so\.6|libpthread\.so\.0|ld-linux-x86-64\.so\.2)$'
failed=0

dynamic=$(objdump -T "$library")

while read -r version; do
  if [[ $(printf '%s\n%s\n' "$version" "$newest_glibc" | sort -V | tail -n 1) != "$newest_glibc" ]]; then
    echo "check-symbols: $library needs glibc $version, newest allowed is $newest_glibc; bound to it are:" >&2
    grep -F "GLIBC_$version" <<<"$dynamic" >&2
    failed=1
  fi
done < <(grep -o 'GLIBC_[0-9.]*' <<<"$dynamic" | sed 's/GLIBC_//' | sort -u)

needed=$(objdump -p "$library" | awk '$1 == "NEEDED" { print $2 }')
if unexpected=$(grep -Ev "$allowed_needed" <<<"$needed"); then
  echo "check-symbols: $library needs other libraries: $unexpected; link them statically or not at all" >&2
  failed=1
fi

# Defined symbols have a section instead of *UND*.
if unexpected=$(grep -E ' (g|w|u) .*\.(text|data|rodata|bss)' <<<"$dynamic" | grep -Ev ' (Java_org_heapspan_[A-Za-z0-9_]+|JNI_On(Load|Unload))$'); then
  printf 'check-symbols: %s exports more than JNI entry points; hide:\n%s\n' "$library" "$unexpected" >&2
  failed=1
fi

exit $failed
