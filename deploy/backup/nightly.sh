#!/bin/sh
# Dumps the database every night after BACKUP_HOUR (UTC) to BACKUP_DIR, and once at the first start. A dump that fails is repeated
# at each check. Deletes dumps that are older than BACKUP_DAYS, but never the newest. Writes the time of the newest dump to
# METRICS_DIR for node_exporter, so that the alert BackupTooOld sees it.
set -u
ended=no
trap 'ended=yes' TERM INT

newest() { find "$BACKUP_DIR" -name 'whereabouts-*.dump' | sort | tail -n 1; }

tell() {
  last=$(newest)
  {
    echo '# TYPE backup_completed_timestamp_seconds gauge'
    echo "backup_completed_timestamp_seconds $([ -z "$last" ] && echo 0 || stat -c %Y "$last")"
  } >"$METRICS_DIR/backup.prom.part" && mv "$METRICS_DIR/backup.prom.part" "$METRICS_DIR/backup.prom"
}

is_due() {
  [ -n "$(newest)" ] || return 0
  [ ! -e "$BACKUP_DIR/whereabouts-$(date -u +%F).dump" ] && [ "$(date -u +%H)" -ge "$BACKUP_HOUR" ]
}

back_up() {
  file=$BACKUP_DIR/whereabouts-$(date -u +%F).dump
  if ! pg_dump --format=custom --file="$file.part" || ! mv "$file.part" "$file"; then
    rm -f "$file.part"
    echo 'the dump failed, see above. It is repeated at the next check' >&2
    return
  fi
  echo "wrote $file, $(du -h "$file" | cut -f 1)"
  find "$BACKUP_DIR" -name 'whereabouts-*.dump' ! -path "$file" -mtime "+$((BACKUP_DAYS - 1))" -exec rm -f {} +
}

umask 077 # a dump has all data
rm -f "$BACKUP_DIR"/*.part
while [ "$ended" = no ]; do
  if is_due; then back_up; fi
  umask 022
  tell
  umask 077
  sleep "${BACKUP_CHECK_SECONDS:-300}" &
  wait $!
done
