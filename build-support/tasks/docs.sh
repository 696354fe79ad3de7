# shellcheck shell=bash
# ./dev docs: the documentation site. Sourced by ./dev.

docs_requirements=$root/build-support/docs/requirements.txt
docs_venv=$root/build/tools/docs

# Puts the generator of the site into build/tools; fails where pip is missing or cannot reach PyPI.
fetch_docs_tools() {
  local log=$log_dir/docs-tools.log
  mkdir -p "$log_dir"
  if [[ -x $docs_venv/bin/mkdocs ]] && cmp -s "$docs_requirements" "$docs_venv/requirements.txt"; then
    return
  fi
  { make_venv "$docs_venv" --no-deps --requirement "$docs_requirements" \
    && cp "$docs_requirements" "$docs_venv/requirements.txt"; } >"$log" 2>&1 9>&-
}

# A link or an anchor that leads nowhere, and a page that is not in the navigation, are errors.
build_site() {
  NO_MKDOCS_2_WARNING=1 "$docs_venv/bin/mkdocs" build --strict --clean --config-file "$root/build-support/docs/mkdocs.yml"
}

cmd_docs() {
  [[ $# -eq 0 ]] || die "docs takes no arguments, found: $*"
  say "Heapspan docs"
  fetch_docs_tools || die "pip could not install the generator of the site (build/logs/docs-tools.log). It needs python3-venv and a way to PyPI (PIP_INDEX_URL, PIP_PROXY)."
  step "documentation site" build_site || die "the site has broken links or pages; see above"
  say "built build/site/index.html"
}
