# shellcheck shell=bash
# The loaders that tests/bench/peers/run_peers.py holds flowtrain against. One that pip can't install
# here (no release for this Python, say) is left out and named; the next --peers tries it again.
# `flowtrain-complete` in the environment says what it was made from, once all of them are there.

peers_env=$build/peers-env
peers_packages=$root/tests/bench/peers/packages.txt

peers_made_from() { echo "torch $torch"; cat "$peers_packages"; }

has_peers() {
  [ -n "$torch" ] && [ "$(cat "$peers_env/flowtrain-complete" 2>/dev/null)" = "$(peers_made_from)" ]
}

peers_release() { grep -oE " $1==[0-9.]+" "$peers_packages" | head -n 1 | cut -d = -f 3; }

install_peers() {
  if has_peers; then note "all there"; return; fi
  local peer words installed=() lost=()
  make_env_with_torch "$peers_env"
  while read -r peer words; do
    [[ -n "$peer" && "$peer" != \#* ]] || continue
    # shellcheck disable=SC2086  # the words are pip's arguments
    if pip_install "$peers_env" --only-binary :all: $words; then installed+=("$peer"); else lost+=("$peer"); fi
  done <"$peers_packages"
  [ ${#installed[@]} -gt 0 ] || stop_step "pip installs none of the peers"
  if [ ${#lost[@]} -gt 0 ]; then
    note "${installed[*]}; left out, since pip does not install it here: ${lost[*]} (why: $log)"
  else
    peers_made_from >"$peers_env/flowtrain-complete"
    note "${installed[*]}"
  fi
}
