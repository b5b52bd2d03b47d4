#!/bin/sh
# Starts Alertmanager with one receiver for all alerts, from the environment: ALERT_WEBHOOK_URL, or ALERT_EMAIL_TO with SMTP_HOST
# (host:port), SMTP_FROM, SMTP_USER and SMTP_PASSWORD. Alertmanager itself reads no variables.
set -eu
config=${ALERTMANAGER_CONFIG:-/tmp/alertmanager.yml}

# In YAML, between single quotes.
text() { printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"; }

if [ -z "${ALERT_WEBHOOK_URL:-}${ALERT_EMAIL_TO:-}" ]; then
  echo 'alerts reach nobody: set ALERT_WEBHOOK_URL or ALERT_EMAIL_TO in .env, see docs/monitoring.md' >&2
  exit 78
fi
if [ -n "${ALERT_EMAIL_TO:-}" ] && [ -z "${SMTP_HOST:-}" -o -z "${SMTP_FROM:-}" ]; then
  echo 'ALERT_EMAIL_TO also needs SMTP_HOST (host:port) and SMTP_FROM in .env' >&2
  exit 78
fi

umask 077 # it has the password
{
  cat <<END
route: { receiver: operator, group_by: [alertname], group_wait: 30s, group_interval: 5m, repeat_interval: 4h }
receivers:
  - name: operator
END
  if [ -n "${ALERT_WEBHOOK_URL:-}" ]; then
    echo "    webhook_configs: [{ url: $(text "$ALERT_WEBHOOK_URL"), send_resolved: true }]"
  fi
  if [ -n "${ALERT_EMAIL_TO:-}" ]; then
    echo '    email_configs:'
    echo "      - to: $(text "$ALERT_EMAIL_TO")"
    echo "        from: $(text "$SMTP_FROM")"
    echo "        smarthost: $(text "$SMTP_HOST")"
    echo '        send_resolved: true'
    if [ -n "${SMTP_USER:-}" ]; then
      echo "        auth_username: $(text "$SMTP_USER")"
      echo "        auth_password: $(text "${SMTP_PASSWORD:-}")"
    fi
  fi
} >"$config"
exec alertmanager "--config.file=$config" "$@"
