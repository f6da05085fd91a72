# shellcheck shell=bash
# LibTorch: the C++ part of PyPI's wheel `torch`. An existing one is taken where it is; else a private
# environment is made, under build/, or under the prefix when installing, so that it outlives the
# clone. `flowtrain-complete` in the environment marks one whose installation came to its end.

torch_release=2.11.0
installed_env=$prefix/lib/flowtrain/torch-env
build_env=$build/torch-env
if [ "$goal" = install ]; then private_env=$installed_env; else private_env=$build_env; fi
# Downloaded wheels stay here until the environment is complete, for a run that goes on.
downloads=$(dirname "$private_env")/torch-download

torch_version() { sed -n "s/^__version__ *= *'\([0-9.]*\).*/\1/p" "$1/version.py" 2>/dev/null || true; }

has_torch() {   # has_torch DIR: the folder `torch` of a site-packages, release 2.11
  [[ -f "$1/lib/libtorch_cpu.so" && -d "$1/include" && "$(torch_version "$1")" == 2.11.* ]]
}

torch_of_env() {   # torch_of_env ENV: its folder `torch`, when the environment is complete
  local dir
  [ -f "$1/flowtrain-complete" ] || return 1
  for dir in "$1"/lib/python3*/site-packages/torch; do
    if has_torch "$dir"; then printf '%s\n' "$dir"; return 0; fi
  done
  return 1
}

outlives_clone() { [ "$goal" != install ] || [[ "$(realpath -m "$1")/" != "$(realpath "$root")"/* ]]; }

# Sets `torch` to the folder to use, or to nothing when it is still to be made.
find_torch() {
  torch=
  if [ -n "${FLOWTRAIN_TORCH:-}" ]; then
    if ! has_torch "$FLOWTRAIN_TORCH"; then
      local found
      found=$(torch_version "$FLOWTRAIN_TORCH")
      echo "deploy/setup: FLOWTRAIN_TORCH=$FLOWTRAIN_TORCH has ${found:-no} torch; it must be the" \
        "folder 'torch' of a site-packages with torch 2.11, or be unset" >&2
      exit 1
    fi
    if ! outlives_clone "$FLOWTRAIN_TORCH"; then
      echo "deploy/setup: FLOWTRAIN_TORCH=$FLOWTRAIN_TORCH is inside the clone, and what --install" \
        "puts must work without it; unset FLOWTRAIN_TORCH" >&2
      exit 1
    fi
    torch=$FLOWTRAIN_TORCH
    return
  fi
  local active
  active=$(python3 -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")' 2>/dev/null) || active=
  if [ -n "$active" ] && has_torch "$active" && outlives_clone "$active"; then
    torch=$active
    return
  fi
  torch=$(torch_of_env "$installed_env") && return
  if [ "$goal" != install ]; then torch=$(torch_of_env "$build_env") && return; fi
  torch=
}

torch_python() { if [ -x /usr/bin/python3 ]; then echo /usr/bin/python3; else echo python3; fi; }

install_torch() {
  if [ -n "$torch" ]; then note "found $torch"; return; fi
  mkdir -p "$(dirname "$private_env")" ||
    stop_step "cannot write to $(dirname "$private_env"); choose another --prefix, or be root"
  if [ "$goal" = install ] && torch_of_env "$build_env" >/dev/null; then
    move_build_env
    note "moved from build/"
    return
  fi
  # A half-made environment is made anew; the wheels that had been fetched come from `downloads`.
  rm -rf "$private_env"
  "$(torch_python)" -m venv "$private_env"
  mkdir -p "$downloads/tmp"
  local pip=(env PIP_USER=0 "TMPDIR=$downloads/tmp" "$private_env/bin/python" -m pip
    --no-input --cache-dir "$downloads" install --progress-bar off)
  # A current pip keeps large wheels in its cache without holding them in memory, and takes up a
  # download whose connection broke; Debian 12's 23.0 does neither.
  "${pip[@]}" --upgrade pip
  "${pip[@]}" --no-compile "torch==$torch_release"
  touch "$private_env/flowtrain-complete"
  rm -rf "$downloads"
  torch_of_env "$private_env" >/dev/null || stop_step "$private_env has no usable torch $torch_release"
  note "torch $torch_release in $private_env"
}

# The folder is needed, not the environment's scripts (whose paths a move breaks). The mark goes
# first and comes back last, so that a move that is cut off leaves no half that counts as whole.
move_build_env() {
  rm -f "$build_env/flowtrain-complete"
  rm -rf "$private_env" "$private_env.part"
  mv "$build_env" "$private_env.part"
  mv "$private_env.part" "$private_env"
  touch "$private_env/flowtrain-complete"
}

progress_torch() {
  local doing
  doing=$(grep -oE '^ *(Downloading|Using cached) [^ ]+|^Installing collected' "$log" | tail -n 1 |
    sed 's/^ *//; s/-[0-9].*//; s/^Installing collected/unpacking/; s/^Downloading/downloading/; s/^Using cached/taking/')
  du -sBM --total "$private_env" "$downloads" 2>/dev/null |
    awk -v doing="$doing" 'END { printf "%s%.1f GB on disk", doing == "" ? "" : doing ", ", $1 / 1000 }'
}
