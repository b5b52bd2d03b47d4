#!/usr/bin/env bash
set -euo pipefail

usage() {
  cat <<'HELP'
Enlarges the disks of the StatefulSets to what the overlay says, without stopping a pod. Safe to run again, also after it stopped.

  k8s/enlarge-disks.sh k8s/overlays/production

These are the brokers, and in k8s/overlays/try the database. CloudNativePG enlarges its own disks: change "storage" of the Cluster
and run k8s/deploy.sh. The storage class must allow expansion. A disk never shrinks.

Kubernetes does not change the claims of a StatefulSet. So this enlarges each claim, then deletes the StatefulSet without its pods
and applies it again. RESIZE_TIMEOUT is the longest wait for a disk (seconds, default 3600).

Exit codes: 0 all disks have the size, 1 stopped (the last line says why), 2 wrong arguments.
HELP
}

case ${1:-} in
  -h | --help) usage && exit 0 ;;
  '' | -*) echo "which overlay? k8s/enlarge-disks.sh k8s/overlays/production" >&2 && exit 2 ;;
esac
overlay=$1
# shellcheck source=scripts/overlay.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/overlay.sh"

stop() {
  echo "$*" >&2
  exit 1
}

# 50Gi, 1Ti, 100G and plain bytes.
bytes() {
  local amount=${1%%[!0-9]*} unit=${1##*[0-9]}
  case $unit in
    '') echo "$amount" ;;
    Mi) echo $((amount << 20)) ;;
    Gi) echo $((amount << 30)) ;;
    Ti) echo $((amount << 40)) ;;
    M) echo $((amount * 10 ** 6)) ;;
    G) echo $((amount * 10 ** 9)) ;;
    T) echo $((amount * 10 ** 12)) ;;
    *) stop "cannot read the size $1. Write it as 600Gi." ;;
  esac
}

claim_says() { k get pvc "$1" --ignore-not-found --output "jsonpath={$2}"; }

# The claims of a StatefulSet that exist; it creates the others itself, with the new size.
claims() {
  local i
  for ((i = 0; i < $2; i++)); do
    [ -z "$(claim_says "$3-$1-$i" .metadata.name)" ] || echo "$3-$1-$i"
  done
}

check() {
  local has wanted class
  has=$(bytes "$(claim_says "$1" .spec.resources.requests.storage)")
  wanted=$(bytes "$2")
  [ "$has" -le "$wanted" ] || stop "pvc/$1 is larger than $2, and disks never shrink. Write its size into $overlay. Nothing was changed."
  [ "$has" -lt "$wanted" ] || return 0
  class=$(claim_says "$1" .spec.storageClassName)
  [ "$(kubectl get storageclass "$class" --output 'jsonpath={.allowVolumeExpansion}')" = true ] ||
    stop "the storage class $class of pvc/$1 does not allow expansion. Set allowVolumeExpansion: true if its driver can. Nothing was changed."
}

# Waits until the disk has the size. Prints "restart" if its file system grows only when the pod starts again.
grown() {
  local waited=0 wanted
  wanted=$(bytes "$2")
  while [ "$(bytes "$(claim_says "$1" .status.capacity.storage)")" -lt "$wanted" ]; do
    case $(claim_says "$1" '.status.conditions[?(@.status=="True")].type') in
      *FileSystemResizePending*) echo restart && return 0 ;;
    esac
    [ "$waited" -lt "${RESIZE_TIMEOUT:-3600}" ] || stop "pvc/$1 does not grow. See kubectl -n $namespace describe pvc $1, and run this again."
    sleep 2
    waited=$((waited + 2))
  done
}

restarts=
while read -r name replicas claim size <&3; do
  for pvc in $(claims "$name" "$replicas" "$claim"); do check "$pvc" "$size"; done
done 3< <(disks)

while read -r name replicas claim size <&3; do
  existing=$(claims "$name" "$replicas" "$claim")
  for pvc in $existing; do
    k patch pvc "$pvc" --type merge --patch "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"$size\"}}}}"
  done
  for pvc in $existing; do
    state=$(grown "$pvc" "$size")
    [ -z "$state" ] || restarts="$restarts $name"
  done
  has=$(disk_in_cluster "$name")
  [ -z "$has" ] || [ "$has" = "$size" ] || k delete statefulset "$name" --cascade=orphan --wait
done 3< <(disks)

apply_file "$(only ConfigMap StatefulSet)" --selector deploy-stage=servers
for name in $(printf '%s\n' $restarts | sort -u); do k rollout restart "statefulset/$name"; done
for name in $(of_kind StatefulSet); do k rollout status "statefulset/$name" --timeout 30m; done
