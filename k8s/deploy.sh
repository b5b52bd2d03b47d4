#!/usr/bin/env bash
# Applies an overlay in order: servers, then the steps of the release, then the services. Safe to run again.
#
#   k8s/deploy.sh k8s/overlays/production
#
# kubectl's context selects the cluster. If a step fails, the script prints its log and stops: the services of the previous
# release keep running, on a schema that fits them. STEP_TIMEOUT is the longest wait for a step (seconds, default 21600).
set -euo pipefail

overlay=${1:?which overlay? k8s/deploy.sh k8s/overlays/production}
manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
kubectl kustomize "$overlay" >"$manifests"
namespace=$(awk '/^kind: Namespace$/ { found = 1 } found && /^  name: / { print $2; exit }' "$manifests")

apply() { kubectl apply --namespace "$namespace" --filename "$manifests" --selector "deploy-stage=$1"; }
of_kind() { awk -v kind="kind: $1" '/^---$/ { found = 0 } $0 == kind { found = 1 } found && /^  name: / { print $2; found = 0 }' "$manifests"; }
k() { kubectl --namespace "$namespace" "$@"; }

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
  k logs "job/$1" --tail 50 >&2 || true
  echo "$1 did not complete (${state:-still running}): the services were not changed" >&2
  return 1
}

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
for name in $(of_kind Deployment); do k rollout status "deployment/$name" --timeout 15m; done
