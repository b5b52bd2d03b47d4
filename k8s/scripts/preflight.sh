# Sourced after overlay.sh: preflight prints everything that would stop a deployment, and changes nothing.
OLDEST_KUBECTL=27
OLDEST_SERVER=30
problems=0

problem() {
  echo "preflight: $*" >&2
  problems=$((problems + 1))
}

# Does the cluster say that there is no such object? Without the permission to look, the answer is no.
missing() {
  local text
  ! text=$(kubectl get "$@" --output name 2>&1) && [[ $text == *NotFound* ]]
}

check_versions() {
  local text client server
  text=$(kubectl version 2>&1) || {
    problem "the cluster does not answer. Check the context: kubectl config current-context. kubectl says: $text"
    return 1
  }
  client=$(sed -n 's/^Client Version: v1\.\([0-9]*\).*/\1/p' <<<"$text")
  server=$(sed -n 's/^Server Version: v1\.\([0-9]*\).*/\1/p' <<<"$text")
  [ "${client:-0}" -ge $OLDEST_KUBECTL ] || problem "kubectl is 1.${client:-?}. Install 1.$OLDEST_KUBECTL or newer."
  [ "${server:-0}" -ge $OLDEST_SERVER ] || problem "the cluster runs Kubernetes 1.${server:-?}. Upgrade it to 1.$OLDEST_SERVER or newer."
}

add_on() {
  case $1 in
    barmancloud.cnpg.io/*) echo "the Barman Cloud plugin of CloudNativePG" ;;
    cert-manager.io/*) echo "cert-manager 1.16 or newer" ;;
    gateway.networking.k8s.io/*) echo "Gateway API 1.2 or newer" ;;
    keda.sh/*) echo "KEDA 2.17 or newer" ;;
    monitoring.coreos.com/*) echo "the Prometheus operator" ;;
    postgresql.cnpg.io/*) echo "CloudNativePG 1.26 or newer" ;;
    *) echo "a newer Kubernetes" ;;
  esac
}

# Each apiVersion and kind once.
kinds() {
  awk '/^apiVersion: / { version = $2 } /^kind: / { print version, $2 }' "$manifests" | sort -u
}

# Asks for the version that the overlay uses, because a cluster may serve only another one.
check_kinds() {
  local version kind path
  while read -r version kind; do
    case $version in */*) path=/apis/$version ;; *) path=/api/$version ;; esac
    (kubectl get --raw "$path" 2>/dev/null || true) | grep -Eq "\"kind\": ?\"$kind\"" ||
      problem "the cluster does not serve $kind of $version. Install $(add_on "$version")."
  done < <(kinds)
}

may() {
  kubectl auth can-i "$@" --namespace "$namespace" --quiet 2>/dev/null ||
    problem "you may not $* in the namespace $namespace. Ask an administrator of the cluster for a role that may."
}

check_permissions() {
  local version kind type verb
  while read -r version kind; do
    type=$(tr '[:upper:]' '[:lower:]' <<<"$kind")
    case $version in */*) type=$type.${version%/*} ;; esac
    for verb in get create patch; do may "$verb" "$type"; done
  done < <(kinds)
  may delete job.batch
  may get pods --subresource=log
}

# Names of Secrets that environment variables and operators read. Volumes are left out: operators create those.
secrets() {
  awk '/(secretRef|secretKeyRef|superuserSecret|accessKeyId|secretAccessKey):$/ { found = 1; next }
    found && /^ +name: / { print $2; found = 0 }' "$manifests" | sort -u
}

check_objects() {
  local name
  if missing namespace "$namespace"; then
    problem "the namespace $namespace does not exist. Apply $overlay/namespace.yaml."
    return
  fi
  for name in $(secrets); do
    ! missing --namespace "$namespace" secret "$name" ||
      problem "the Secret $name does not exist in the namespace $namespace. Make it with deploy/kubernetes/make-secrets.ts, see docs/kubernetes.md."
  done
  for name in $(awk '/^    kind: ClusterImageCatalog$/ { found = 1 } found && /^    name: / { print $2; found = 0 }' "$manifests"); do
    ! missing clusterimagecatalogs.postgresql.cnpg.io "$name" ||
      problem "the ClusterImageCatalog $name does not exist. Apply one of the catalogs of CloudNativePG."
  done
}

check_storage() {
  local classes name named
  classes=$(kubectl get storageclass --output 'jsonpath={range .items[*]}{.metadata.name}={.metadata.annotations.storageclass\.kubernetes\.io/is-default-class}{"\n"}{end}' 2>/dev/null) || return 0
  named=$(awk '/^ +storageClass(Name)?: / { print $2 }' "$manifests" | sort -u)
  for name in $named; do
    grep -q "^$name=" <<<"$classes" || problem "there is no storage class $name. Create it, or name another one in $overlay."
  done
  [ -n "$named" ] || grep -q '=true$' <<<"$classes" ||
    problem "there is no default storage class. Mark one as the default, or name one in $overlay."
}

# The template of a claim cannot be changed.
check_disks() {
  local name replicas claim size has
  while read -r name replicas claim size; do
    has=$(disk_in_cluster "$name" 2>/dev/null) || continue
    [ -z "$has" ] || [ "$has" = "$size" ] ||
      problem "the disks of statefulset/$name have $has, the overlay says $size. Run k8s/enlarge-disks.sh $overlay first."
  done < <(disks)
}

# The server checks every object as if it were applied. The Jobs are left out, because a release replaces them.
check_server() {
  apply servers --dry-run=server >/dev/null || problem "the cluster refuses an object of the stage servers, see above."
  apply services --dry-run=server >/dev/null || problem "the cluster refuses an object of the stage services, see above."
}

preflight() {
  if check_versions; then
    check_kinds
    check_permissions
    check_objects
    check_storage
    check_disks
  fi
  [ "$problems" -gt 0 ] || check_server
  [ "$problems" -eq 0 ] || echo "preflight: $problems problems. Nothing was changed." >&2
  [ "$problems" -eq 0 ]
}
