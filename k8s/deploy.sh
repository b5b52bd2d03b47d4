#!/usr/bin/env bash
set -euo pipefail

usage() {
  cat <<'HELP'
Applies an overlay in order: servers, then the steps of the release, then the services. Safe to run again.

  k8s/deploy.sh k8s/overlays/production
  k8s/deploy.sh --check k8s/overlays/production           looks for what would stop it, and changes nothing
  k8s/deploy.sh --services-only k8s/overlays/production   to roll back: in the checkout of the previous release

kubectl's context selects the cluster. It first checks versions, kinds, permissions, Secrets and disks, and lets the cluster
check every object; if that fails, nothing is changed. If a step fails, it prints the step's log and stops: the services of the
previous release keep running, on a schema that fits them. STEP_TIMEOUT is the longest wait for a step (seconds, default
21600).

Exit codes: 0 deployed, 1 stopped (the last line says why), 2 wrong arguments.
HELP
}

refuse() {
  echo "$1; k8s/deploy.sh --help" >&2
  exit 2
}

mode=deploy overlay=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --check) mode=check ;;
    --services-only) mode=services ;;
    -*) refuse "unknown option $1" ;;
    *) [ -z "$overlay" ] || refuse "only one overlay" && overlay=$1 ;;
  esac
  shift
done
[ -n "$overlay" ] || refuse "which overlay? k8s/deploy.sh k8s/overlays/production"

here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=scripts/overlay.sh
. "$here/scripts/overlay.sh"
# shellcheck source=scripts/preflight.sh
. "$here/scripts/preflight.sh"

# Waits until the Job is complete or failed: "kubectl wait" takes only one condition.
finish() {
  local waited=0 state
  while :; do
    state=$(k get job "$1" --output 'jsonpath={.status.conditions[?(@.status=="True")].type}')
    case $state in
      *Complete*) return 0 ;;
      *Failed*) break ;;
    esac
    [ "$waited" -lt "${STEP_TIMEOUT:-21600}" ] || break
    sleep 2
    waited=$((waited + 2))
  done
  # By label: with the Job's name, kubectl would wait for a pod that may never come.
  k logs --selector "batch.kubernetes.io/job-name=$1" --tail 50 >&2 || true
  echo "$1 did not complete (${state:-still running}): the services were not changed" >&2
  return 1
}

roll_out() {
  for name in $(of_kind Deployment); do
    k rollout status "deployment/$name" --timeout 15m && continue
    echo "deployment/$name did not become ready. To roll back, run this in the checkout of the previous release:" >&2
    echo "  k8s/deploy.sh --services-only $overlay" >&2
    return 1
  done
}

echo "== preflight"
preflight
[ "$mode" != check ] || exit 0

if [ "$mode" = services ]; then
  # Schema, streams and brokers stay: the previous release runs on those of the next one.
  echo "== services"
  apply_file "$(only ConfigMap)" --selector deploy-stage=servers
  apply services
  roll_out
  exit 0
fi

echo "== servers"
apply servers
for name in $(of_kind Cluster); do k wait --for condition=Ready "clusters.postgresql.cnpg.io/$name" --timeout 30m; done
for name in $(of_kind StatefulSet); do k rollout status "statefulset/$name" --timeout 30m; done

echo "== steps"
# A Job cannot be changed, so the one of the previous release is deleted.
for name in $(of_kind Job); do k delete job "$name" --ignore-not-found --wait; done
apply steps
for name in $(of_kind Job); do finish "$name"; done

echo "== services"
apply services
roll_out
