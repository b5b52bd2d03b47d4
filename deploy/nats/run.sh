#!/bin/sh
# Starts nats-server with the given arguments and makes it read renewed certificates, because it reads them by itself only when
# it starts. A reload keeps all connections. nats-server replaces this shell, so it has its process id and gets its signals.
# If only one of the two files has changed so far, nats-server keeps the old pair until the other one changes too.
set -eu
broker=$$

files() { cat "$NATS_CERT_FILE" "$NATS_KEY_FILE" "$NATS_CA_FILE" | cksum; }

watch() {
  while sleep "${CERTIFICATE_CHECK_SECONDS:-60}" && kill -0 "$broker"; do
    now=$(files)
    [ "$now" != "$seen" ] || continue
    seen=$now
    echo 'the certificate files changed, nats-server reads them again' >&2
    kill -HUP "$broker"
  done
}

seen=$(files)
watch &
exec nats-server "$@"
