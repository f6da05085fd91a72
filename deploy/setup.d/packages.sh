# shellcheck shell=bash
# The Debian packages that building and testing need. The names are those of Debian 12 and are the
# same in Ubuntu 24.04 (libjpeg-dev is libjpeg-turbo's in both).

packages=(g++ cmake ninja-build pkg-config python3-venv ccache
  libtbb-dev libopencv-core-dev libopencv-imgproc-dev libjpeg-dev libspng-dev libdeflate-dev libxxhash-dev
  nlohmann-json3-dev prometheus-cpp-dev libcivetweb-dev libcli11-dev libspdlog-dev libdlpack-dev)
test_packages=(doctest-dev prometheus curl python3 python3-jsonschema jq git graphviz clang-14 libclang-rt-14-dev)
peer_packages=(ffmpeg)   # SPDL opens its libraries

missing=()
as_root=()

# Fills `missing`, and `as_root` with what must stand before a command that needs root.
find_packages() {
  local wanted=("${packages[@]}") name
  [ "$use_apt" = yes ] || return 0
  [ "$with_tests" = OFF ] || wanted+=("${test_packages[@]}")
  [ "$peers" = no ] || wanted+=("${peer_packages[@]}")
  missing=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "deploy/setup: this system has no apt; install the packages' like, then use --no-apt:" >&2
    echo "  ${wanted[*]}" >&2
    exit 1
  fi
  for name in "${wanted[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" -ne 0 ] || return 0
  if ! command -v sudo >/dev/null || ! sudo_works; then
    echo "deploy/setup: packages are missing, and this is neither root nor a user of sudo. As root:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
}

# Asks for the password here, before a step's output goes to its log.
sudo_works() { if [ -t 0 ]; then sudo -v; else sudo -n true 2>/dev/null; fi; }

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 LC_ALL=C \
    apt-get -o DPkg::Lock::Timeout=300 "$@"
}

# apt-get update succeeds with old lists when a mirror is away, and fails for an unrelated source
# that is broken: what counts is that one source answered and that every package has a candidate.
check_apt() {
  local answer
  answer=$(apt update 2>&1) || true
  printf '%s\n' "$answer"
  grep -qE '^(Hit|Get):' <<<"$answer" || stop_step "apt reaches none of its sources (its words are above)"
  apt install --simulate --no-install-recommends "${missing[@]}" ||
    stop_step "apt has no candidate for one of: ${missing[*]}"
}

install_packages() {
  if [ "$use_apt" = no ]; then note "left alone (--no-apt)"; return; fi
  if [ ${#missing[@]} -eq 0 ]; then note "all there"; return; fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive dpkg --configure -a   # a run that was cut off
  apt install --yes --no-install-recommends "${missing[@]}"
  note "${#missing[@]} installed"
}

progress_packages() {
  grep -E '^(Get:|Unpacking |Setting up )' "$log" | tail -n 1 | awk '{
    if ($1 ~ /^Get:/) print "downloading " $5; else print tolower($1) " " ($1 == "Setting" ? $3 : $2) }'
}
