# Sourced: renders the overlay $overlay to the file $manifests and finds objects in it.
manifests=$(mktemp -d)/manifests.yaml
trap 'rm -rf "${manifests%/*}"' EXIT
kubectl kustomize "$overlay" >"$manifests"
namespace=$(awk '/^kind: Namespace$/ { found = 1 } found && /^  name: / { print $2; exit }' "$manifests")

k() { kubectl --namespace "$namespace" "$@"; }

# Server-side, so that two tools may own different fields. A field that was changed by hand gets the value of the release.
apply_file() { kubectl apply --server-side --force-conflicts --namespace "$namespace" --filename "$@"; }
apply() { apply_file "$manifests" --selector "deploy-stage=$1" "${@:2}"; }

# The names of the objects of a kind.
of_kind() { awk -v kind="kind: $1" '/^---$/ { found = 0 } $0 == kind { found = 1 } found && /^  name: / { print $2; found = 0 }' "$manifests"; }

# The file with the objects of some kinds.
only() {
  local file=${manifests%/*}/only.yaml
  awk -v kinds="$*" 'BEGIN { RS = "---\n"; ORS = "---\n"; n = split(kinds, wanted, " ") }
    { for (i = 1; i <= n; i++) if (("\n" $0) ~ "\nkind: " wanted[i] "\n") print }' "$manifests" >"$file"
  echo "$file"
}

# One line for each StatefulSet: name, replicas, name and size of its claim.
disks() {
  awk '/^---$/ { set = claim = 0; name = "" } /^kind: StatefulSet$/ { set = 1 }
    set && name == "" && /^  name: / { name = $2 }
    set && /^  replicas: / { replicas = $2 }
    set && /^  volumeClaimTemplates:/ { claim = 1; of = "" }
    claim && of == "" && /^      name: / { of = $2 }
    claim && /^ +storage: / { print name, replicas, of, $2; claim = 0 }' "$manifests"
}

# The size of a claim as the StatefulSet in the cluster has it. Empty if there is none.
disk_in_cluster() {
  k get statefulset "$1" --ignore-not-found --output 'jsonpath={.spec.volumeClaimTemplates[0].spec.resources.requests.storage}'
}
