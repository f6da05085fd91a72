# shellcheck shell=bash
# The steps of deploy/setup: each runs with its output in a log, shows how far it is, and ends as one
# line with its time; a step that fails shows what its commands said.

logs=$build/setup-logs
step_number=0
watcher=

note() { printf '%s' "$*" >&3; }   # inside a step: what its line says beside the time

stop_step() {
  printf 'deploy/setup: %s\n' "$*"
  exit 1
}

progress_none() { :; }

# show_progress TITLE FUNCTION: FUNCTION prints how far the step is, from its log or the disk. On a
# terminal one line is rewritten each second, elsewhere a line comes every ten.
show_progress() {
  local title=$1 far elapsed=0
  while kill -0 $$ 2>/dev/null; do
    if [ -t 1 ]; then
      far=$("$2" 2>/dev/null || true)
      printf '\r\033[K%.*s' "$(($(tput cols 2>/dev/null || echo 80) - 1))" "$title ... ${far:+$far, }$elapsed s"
    elif [ $((elapsed % 10)) -eq 0 ] && [ "$elapsed" -gt 0 ]; then
      far=$("$2" 2>/dev/null || true)
      printf '%s ... %s%s s\n' "      ${title#* }" "${far:+$far, }" "$elapsed"
    fi
    sleep 1 >/dev/null 2>&1
    elapsed=$((elapsed + 1))
  done
}

# step TITLE PROGRESS COMMAND: COMMAND runs in a subshell of its own under `set -e`.
step() {
  step_number=$((step_number + 1))
  local title="[$step_number/$steps] $1" started=$SECONDS status=0 said
  mkdir -p "$logs"
  log=$logs/$step_number.log
  : >"$log"
  show_progress "$title" "$2" &
  watcher=$!
  set +e
  (
    set -e
    "$3"
  ) >>"$log" 2>&1 3>"$log.note" </dev/null
  status=$?
  set -e
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  watcher=
  if [ -t 1 ]; then printf '\r\033[K'; fi
  if [ "$status" -ne 0 ]; then
    printf '%s ... failed after %s s\n' "$title" $((SECONDS - started))
    tail -n 60 "$log" >&2
    printf 'deploy/setup: the whole output is in %s; run it again to go on from here\n' "$log" >&2
    exit 1
  fi
  said=$(cat "$log.note")
  printf '%s ... %s%s s\n' "$title" "${said:+$said, }" $((SECONDS - started))
}

# A terminal's Ctrl-C reaches the running command too; the next run goes on from what it left.
trap '[ -z "$watcher" ] || kill "$watcher" 2>/dev/null; printf "\ndeploy/setup: interrupted; run it again to go on from here\n" >&2; exit 130' INT TERM
