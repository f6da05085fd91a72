# shellcheck shell=bash
# Python environments under build/ that share the torch which LibTorch comes from: little is then
# downloaded, and what is compared computes with one library.

# torch's extension module has in its name the one version of Python that it fits.
python_of_torch() {
  local python suffix
  for python in "$(dirname "$torch")/../../../bin/python3" python3 /usr/bin/python3; do
    suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))' 2>/dev/null) || continue
    if [ -e "$torch/_C$suffix" ]; then echo "$python"; return; fi
  done
  return 1
}

make_env_with_torch() {   # make_env_with_torch ENV: anew
  local python site
  python=$(python_of_torch) || stop_step "no python3 here has the version that $torch was made for"
  rm -rf "$1"
  "$python" -m venv "$1"
  site=$(echo "$1"/lib/python3*/site-packages)
  dirname "$torch" >"$site/torch.pth"
}

progress_python() { grep -E '^(Collecting|Installing) ' "$log" | tail -n 1 | cut -c 1-60; }
