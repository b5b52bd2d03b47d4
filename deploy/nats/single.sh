#!/bin/sh
# Starts a single nats-server with the given arguments and ends it when it stores nothing, so that the container is restarted.
# After a failed write nats-server refuses every message of that stream until it is restarted, and only its full /healthz says
# so. While the disk is full a restart does not help and disconnects everybody, so it waits for room.
# nats-server replaces this shell, so it has its process id and gets its signals.
set -eu
broker=$$
monitor="http://$NATS_MONITOR${NATS_MONITOR_PATH%/}"
full_below_kib=16384

held_kib() { du -sk "$NATS_STORE_DIR" | cut -f 1; }
# A stream with a limit counts by that; others are not compressed and count by their files.
reserved_bytes() {
  total=0
  for about in "$NATS_STORE_DIR"/jetstream/*/streams/*/meta.inf; do
    [ -f "$about" ] || continue
    limit=$(sed -n 's/.*"max_bytes":\([0-9]*\),.*/\1/p' "$about")
    total=$((total + ${limit:-$(($(du -sk "${about%/*}" | cut -f 1) * 1024))}))
  done
  echo "$total"
}
free_kib() { df -Pk "$NATS_STORE_DIR" | awk 'NR == 2 { print $4 }'; }
ask() { wget -q -T 5 -O - "$monitor/$1" 2>/dev/null; }
number() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" | head -n 1; }

# A broker that was started on a full disk may use less than it already holds, and refuses messages in good health.
is_used_up() {
  statistics=$(ask jsz) || return 1
  most=$(echo "$statistics" | number max_storage)
  held=$(echo "$statistics" | number storage)
  [ "$((${held:-0} + 1048576))" -gt "${most:-0}" ]
}

# While the broker reads its streams after a start, it has not failed.
fails() { ask 'healthz?js-server-only=true' >/dev/null && { ! ask healthz >/dev/null || is_used_up; }; }

watch() {
  failures=0
  told=no
  while sleep "${STORAGE_CHECK_SECONDS:-20}" && kill -0 "$broker" 2>/dev/null; do
    if ! fails; then
      failures=0
      told=no
      continue
    fi
    failures=$((failures + 1))
    [ "$failures" -ge 3 ] || continue
    free=$(free_kib)
    if [ "$free" -lt "$full_below_kib" ]; then
      [ "$told" = yes ] || echo "the disk of the broker is full: $free KiB are free in $NATS_STORE_DIR, and no reads are stored. Free space there, then the broker restarts by itself" >&2
      told=yes
      continue
    fi
    echo 'the broker stores nothing, see its last error. It ends, to be started again' >&2
    kill -TERM "$broker"
    return
  done
}

mkdir -p "$NATS_STORE_DIR"
# What the streams may grow to, and three quarters of the room beyond. nats-server counts bytes before compression, so what its
# files hold says too little: limited to that, it would refuse everything after a restart. Its own default leaves out even that.
if [ "$NATS_MAX_FILE_STORE" = -1 ]; then
  reserved=$(reserved_bytes)
  beyond=$((($(held_kib) + $(free_kib)) * 1024 - reserved))
  NATS_MAX_FILE_STORE=$((reserved + (beyond > 0 ? beyond / 4 * 3 : 0)))
  export NATS_MAX_FILE_STORE
fi
watch &
exec nats-server "$@"
