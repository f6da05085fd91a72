# shellcheck shell=bash
# The Python references of the parity tests, in an environment under build/ that shares the torch
# which LibTorch comes from: both sides then compute with one library, and little is downloaded.
# `flowtrain-complete` in it says what it was made from.

parity_env=$build/parity-env
parity_requirements=$root/tests/parity/requirements.txt

parity_made_from() { echo "torch $torch"; cat "$parity_requirements"; }

has_parity() {
  [ -n "$torch" ] && [ "$(cat "$parity_env/flowtrain-complete" 2>/dev/null)" = "$(parity_made_from)" ]
}

parity_release() { sed -n "s/^$1==\([0-9.]*\).*/\1/p" "$parity_requirements"; }

# torch's extension module has in its name the one version of Python that it fits.
parity_python() {
  local python suffix
  for python in "$(dirname "$torch")/../../../bin/python3" python3 /usr/bin/python3; do
    suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))' 2>/dev/null) || continue
    if [ -e "$torch/_C$suffix" ]; then echo "$python"; return; fi
  done
  return 1
}

install_parity() {
  if has_parity; then note "all there"; return; fi
  local python site
  python=$(parity_python) || stop_step "no python3 here has the version that $torch was made for"
  rm -rf "$parity_env"
  "$python" -m venv "$parity_env"
  pip_install "$parity_env" --no-deps --only-binary :all: -r "$parity_requirements"
  site=$(echo "$parity_env"/lib/python3*/site-packages)
  dirname "$torch" >"$site/torch.pth"
  "$parity_env/bin/python" -c 'import timm, torchvision, py_sod_metrics'
  parity_made_from >"$parity_env/flowtrain-complete"
  note "timm $(parity_release timm), torchvision $(parity_release torchvision)," \
    "pysodmetrics $(parity_release pysodmetrics)"
}

progress_parity() { grep -E '^(Collecting|Installing) ' "$log" | tail -n 1 | cut -c 1-60; }
