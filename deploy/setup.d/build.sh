# shellcheck shell=bash
# Configure, build, install: what CMake does, with the options that follow from deploy/setup's.

if [ "$with_tests" = ON ]; then preset=tests; else preset=release; fi

# The last two are said each time, since a build folder remembers them from the run before.
configure() {
  local options=("-DFLOWTRAIN_TORCH=$torch" "-DFLOWTRAIN_TESTS=$with_tests" "-DFLOWTRAIN_PARITY_PYTHON=")
  ! has_parity || options[2]+=$parity_env/bin/python
  [ "$goal" != install ] || options+=("-DCMAKE_INSTALL_PREFIX=$prefix")
  cmake --preset "$preset" "${options[@]}"
}

# A translation unit with LibTorch takes up to 1.5 GB.
default_jobs() {
  local cores memory limit
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
  if [[ "$limit" =~ ^[0-9]+$ ]] && [ $((limit / 1048576)) -lt "$memory" ]; then
    memory=$((limit / 1048576))
  fi
  local most=$((memory / 1500))
  [ "$most" -ge 1 ] || most=1
  if [ "$cores" -lt "$most" ]; then echo "$cores"; else echo "$most"; fi
}

compile() { cmake --build --preset "$preset" --parallel "${jobs:-$(default_jobs)}"; }

progress_build() { tr '\r' '\n' <"$log" | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1 | tr -d '[]'; }

# The list of installed files and deploy/uninstall are kept under the prefix, for when the clone is
# gone. A file that an earlier version put and this one doesn't have is removed.
install_files() {
  local kept=$prefix/lib/flowtrain listed=$build/install_manifest.txt stale
  cmake --install "$build" --prefix "$prefix"
  mkdir -p "$kept"
  printf '\n' >>"$listed"
  if [ -f "$kept/install_manifest.txt" ]; then
    while read -r stale; do
      if [ -n "$stale" ] && [[ "$stale" == "$prefix"/* ]]; then rm -f -- "$stale"; fi
    done < <(comm -23 <(sort "$kept/install_manifest.txt") <(sort "$listed"))
  fi
  cp "$listed" "$kept/install_manifest.txt"
  install -m 755 "$here/uninstall" "$kept/uninstall"
  check_installed
}

# The installed program and every library beside it find all that they link to.
check_installed() {
  local file lost
  while read -r file; do
    [[ "$file" == *.so* || "$file" == */bin/* ]] || continue
    lost=$(ldd "$file" 2>/dev/null | grep 'not found' || true)
    [ -z "$lost" ] || stop_step "$file does not find: $lost"
  done <"$prefix/lib/flowtrain/install_manifest.txt"
  "$prefix/bin/flowtrain" version
}

end_install() {
  local first
  if [[ ":$PATH:" != *":$prefix/bin:"* ]]; then
    echo "flowtrain is installed, but $prefix/bin is not on PATH. Run this, then go on:" >&2
    echo "  export PATH=\"$prefix/bin:\$PATH\"" >&2
    exit 1
  fi
  hash -r
  first=$(command -v flowtrain)
  if [ "$first" != "$prefix/bin/flowtrain" ]; then
    echo "flowtrain is installed, but PATH finds $first before $prefix/bin/flowtrain. Run this, then go on:" >&2
    echo "  export PATH=\"$prefix/bin:\$PATH\"" >&2
    exit 1
  fi
  echo "flowtrain is installed: $prefix/bin/flowtrain"
}
