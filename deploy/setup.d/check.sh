# shellcheck shell=bash
# What must be so before anything is changed: room on every disk that is written to, and a network
# that apt and pip reach, asked through apt and pip themselves.

# Prints "PLACE BYTES_IN_GB" for all that this run will write.
space_needed() {
  echo "$build 2"
  [ ${#missing[@]} -eq 0 ] || echo "/usr 1"
  [ -n "$torch" ] || echo "$(dirname "$private_env") 9"
  [ "$parity" = no ] || has_parity || echo "$parity_env 1"
  [ "$peers" = no ] || has_peers || echo "$peers_env 2"
}

existing_parent() {
  local dir=$1
  while [ ! -e "$dir" ]; do dir=$(dirname "$dir"); done
  printf '%s\n' "$dir"
}

# Needs that fall on one file system are added up.
check_disk() {
  local place gb dir device
  local -A needed=() where=()
  while read -r place gb; do
    dir=$(existing_parent "$place")
    device=$(stat -c %d "$dir")
    needed[$device]=$((${needed[$device]:-0} + gb))
    where[$device]+="${where[$device]:+, }$place"
  done
  local free
  for device in "${!needed[@]}"; do
    dir=$(existing_parent "${where[$device]%%, *}")
    free=$(df --output=avail -BG "$dir" | tail -n 1 | tr -dc 0-9)
    echo "disk of ${where[$device]}: $free GB free, ${needed[$device]} GB needed"
    [ "$free" -ge "${needed[$device]}" ] ||
      stop_step "${needed[$device]} GB free are needed for ${where[$device]}; there are $free GB"
  done
}

check_machine() {
  space_needed | check_disk
  [ ${#missing[@]} -eq 0 ] || check_apt
  if [ -z "$torch" ]; then
    check_pip torch "$torch_release"
  elif [ "$parity" = yes ] && ! has_parity; then
    check_pip timm "$(parity_release timm)"
  elif [ "$peers" = yes ] && ! has_peers; then
    check_pip numpy "$(peers_release numpy)"
  fi
}

# Before the packages are there, there may be no pip to ask: then the first download, a small one,
# tells.
check_pip() {   # check_pip PACKAGE RELEASE
  local python versions
  python=$(torch_python)
  "$python" -m pip --version >/dev/null 2>&1 || return 0
  versions=$("$python" -m pip index versions "$1" 2>&1) ||
    stop_step "pip cannot list the versions of $1: $versions"
  grep -qF "$2" <<<"$versions" ||
    stop_step "pip's index offers no $1 $2 for $python: $versions"
}
