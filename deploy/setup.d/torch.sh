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
  if [ -n "$torch" ]; then
    note "found $torch"
  else
    mkdir -p "$(dirname "$private_env")" ||
      stop_step "cannot write to $(dirname "$private_env"); choose another --prefix, or be root"
    if [ "$goal" = install ] && torch_of_env "$build_env" >/dev/null; then
      move_build_env
      note "moved from build/"
    else
      make_env
      note "torch $torch_release in $private_env"
    fi
    torch=$(torch_of_env "$private_env") || stop_step "$private_env has no usable torch $torch_release"
  fi
  add_cuda_headers
}

pip_install() {   # pip_install ENV ARGUMENTS...
  PIP_USER=0 "$1/bin/python" -m pip install --no-input --no-cache-dir --progress-bar off --no-compile "${@:2}"
}

# A half-made environment is made anew, from the wheels that had been fetched.
make_env() {
  rm -rf "$private_env" "$downloads/tmp"
  mkdir -p "$downloads/tmp"
  local -x TMPDIR=$downloads/tmp   # gigabytes, and /tmp may be in memory
  "$(torch_python)" -m venv "$private_env"
  # Debian 12's pip starts a download anew whose connection broke; a current one takes it up.
  pip_install "$private_env" --upgrade pip
  "$private_env/bin/python" "$here/setup.d/fetch_wheels.py" "$downloads/wheels" "torch==$torch_release"
  echo unpacking
  pip_install "$private_env" --no-index --find-links "$downloads/wheels" "torch==$torch_release"
  touch "$private_env/flowtrain-complete"
  rm -rf "$downloads"
}

# Two header packages that torch's own CUDA headers need and its requirements leave out (see
# deploy/cmake/FindLibTorch.cmake), of the CUDA version that this torch has. Only building needs them.
add_cuda_headers() {
  local cuda version headers=$build/cuda-headers
  cuda=$(dirname "$torch")/nvidia/cu13/include
  version=$(awk '$2 == "CUDA_VERSION" { print int($3 / 1000) "." int($3 % 1000 / 10); exit }' "$cuda/cuda.h" 2>/dev/null) || true
  [ -n "$version" ] || return 0   # a torch without CUDA
  [[ -e "$cuda/crt/host_defines.h" && -e "$cuda/nv/target" ]] && return 0
  [ "$(cat "$headers/flowtrain-complete" 2>/dev/null)" != "$version" ] || return 0
  rm -rf "$headers"
  "$(torch_python)" -m venv "$headers"
  pip_install "$headers" --no-deps "nvidia-cuda-crt==$version.*" "nvidia-cuda-cccl==$version.*"
  echo "$version" >"$headers/flowtrain-complete"
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
  if grep -q '^unpacking' "$log"; then
    echo "unpacking, $(gigabytes "$private_env")"
  elif [ -d "$downloads" ]; then
    echo "downloading, $(gigabytes "$downloads") of 2.7 GB"
  fi
}
gigabytes() { du -sm "$1" 2>/dev/null | awk '{ printf "%.1f GB", $1 / 1000 }'; }
