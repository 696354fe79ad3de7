# shellcheck shell=bash
# ./dev docs: the documentation site. Sourced by ./dev.

docs_requirements=$root/build-support/docs/requirements.txt
docs_venv=$root/build/tools/docs

# Whether the generator of the site is in build/tools.
has_docs_tools() { [[ -x $docs_venv/bin/mkdocs ]] && cmp -s "$docs_requirements" "$docs_venv/requirements.txt"; }

# Installs the generator of the site in build/tools. Fails if pip is missing or cannot reach PyPI.
fetch_docs_tools() {
  local log=$log_dir/docs-tools.log
  mkdir -p "$log_dir"
  if has_docs_tools; then
    return
  fi
  { make_venv "$docs_venv" --no-deps --requirement "$docs_requirements" \
    && cp "$docs_requirements" "$docs_venv/requirements.txt"; } >"$log" 2>&1 9>&-
}

# A broken link or anchor is an error, and so is a page that is not in the navigation.
build_site() {
  NO_MKDOCS_2_WARNING=1 "$docs_venv/bin/python" -m mkdocs build --strict --clean --config-file "$root/build-support/docs/mkdocs.yml"
}

# For ./dev test: without the generator there is no site, which is a failure only if CI is set.
fetch_and_build_site() {
  if fetch_docs_tools; then
    build_site
  else
    [[ -z ${CI:-} ]]
  fi
}

cmd_docs() {
  [[ $# -eq 0 ]] || die "wrong arguments: '$*', expected none"
  lock
  say "Heapspan docs"
  fetch_docs_tools || die "pip could not install the generator of the site (build/logs/docs-tools.log). Install python3-venv, and give pip access to PyPI (PIP_INDEX_URL, PIP_PROXY)."
  step "documentation site" build_site || die "the site has broken links, or pages outside of the navigation; see above"
  say "built build/site/index.html"
}
