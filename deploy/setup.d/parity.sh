# shellcheck shell=bash
# The Python references of the parity tests.
# `flowtrain-complete` in the environment says what it was made from.

parity_env=$build/parity-env
parity_requirements=$root/tests/parity/requirements.txt

parity_made_from() { echo "torch $torch"; cat "$parity_requirements"; }

has_parity() {
  [ -n "$torch" ] && [ "$(cat "$parity_env/flowtrain-complete" 2>/dev/null)" = "$(parity_made_from)" ]
}

parity_release() { sed -n "s/^$1==\([0-9.]*\).*/\1/p" "$parity_requirements"; }

install_parity() {
  if has_parity; then note "all there"; return; fi
  make_env_with_torch "$parity_env"
  pip_install "$parity_env" --no-deps --only-binary :all: -r "$parity_requirements"
  "$parity_env/bin/python" -c 'import timm, torchvision, py_sod_metrics'
  parity_made_from >"$parity_env/flowtrain-complete"
  note "timm $(parity_release timm), torchvision $(parity_release torchvision)," \
    "pysodmetrics $(parity_release pysodmetrics)"
}
