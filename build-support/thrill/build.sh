#!/bin/sh
# Fetches Thrill and builds the programs of this folder with it, for `./dev bench native --peers=native,thrill`:
#   sh build-support/thrill/build.sh
# The sources come to build/thrill/source, the programs to build/thrill/programs. It needs git, CMake and g++, and some
# minutes.
set -eu

upstream=https://github.com/thrill/thrill.git
commit=12c5b59bca66df93b66628b3829027bd0f110dd9

here=$(cd "$(dirname "$0")" && pwd)
folder=$here/../../build/thrill
source=$folder/source
mkdir -p "$folder"
if [ ! -d "$source" ]; then
  rm -rf "$source.part"
  git clone --no-checkout "$upstream" "$source.part"
  git -C "$source.part" checkout --quiet "$commit"
  git -C "$source.part" submodule update --init extlib/tlx extlib/foxxll extlib/cereal extlib/googletest
  mv "$source.part" "$source"
fi
cmake -S "$here" -B "$folder/programs" -DCMAKE_BUILD_TYPE=Release -DTHRILL_SOURCE="$source" \
  -DTHRILL_USE_MPI=OFF -DTHRILL_USE_JEMALLOC=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5
cmake --build "$folder/programs" --parallel --target word_count page_rank kmeans
