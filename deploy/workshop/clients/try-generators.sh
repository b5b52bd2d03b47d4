#!/usr/bin/env bash
# pnpm try:generators [name...]: with each generator, makes a client of the API, compiles it and calls a running stack.
# It is that of `npm start`, or that of BASE, CLIENT_ID and CLIENT_SECRET (a key that reads and writes assets, locations
# and scans). Downloads the generators.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
names=(spectral openapi-typescript openapi-python-client oapi-codegen java csharp)

needed() {
  case $1 in
    openapi-python-client) echo python3 ;;
    oapi-codegen) echo go ;;
    java) echo mvn ;;
    csharp) echo dotnet ;;
    *) echo npx ;;
  esac
}

openapi_generator() {
  mvn -q -B dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 -DoutputDirectory=. -Dmdep.stripVersion=true
  java -jar openapi-generator-cli.jar generate -i openapi.json -o client "$@" \
    --global-property apis,models,supportingFiles,apiTests=false,modelTests=false
}

# Runs in a folder with openapi.json and the programs of generators/.
try() {
  case $1 in
    spectral)
      npm install --no-audit --no-fund --loglevel=error @stoplight/spectral-cli@6.16.3
      npx spectral lint -r spectral.yaml --fail-severity=warn openapi.json
      ;;
    openapi-typescript)
      npm install --no-audit --no-fund --loglevel=error openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9 @types/node@24
      npx openapi-typescript openapi.json -o api.d.ts
      npx tsc --noEmit --strict --module nodenext --target es2023 calls.mts
      node calls.mts
      ;;
    openapi-python-client)
      python3 -m venv env
      env/bin/pip install -q openapi-python-client==0.29.1 mypy types-python-dateutil
      PATH="$PWD/env/bin:$PATH" openapi-python-client generate --path=openapi.json --meta=none --output-path=whereabouts
      env/bin/mypy --follow-imports=silent calls.py
      env/bin/python calls.py
      ;;
    oapi-codegen)
      mkdir api
      go mod init example.org/trial
      go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config=oapi-codegen.yaml openapi.json
      go mod tidy
      go vet ./...
      go run .
      ;;
    java)
      openapi_generator -g java --library=native -p useSingleRequestParameter=true,containerDefaultToNull=true
      cp Calls.java client/src/main/java/
      mvn -q -B -f client compile
      mvn -q -B -f client org.codehaus.mojo:exec-maven-plugin:3.5.0:java -Dexec.mainClass=Calls
      ;;
    csharp)
      openapi_generator -g csharp
      dotnet build client
      ;;
  esac
}

demo() { node -p "JSON.parse(fs.readFileSync('$root/.data/demo.json')).$1"; }
export BASE=${BASE:-$(demo base_url)} CLIENT_ID=${CLIENT_ID:-$(demo api_key.client_id)}
export CLIENT_SECRET=${CLIENT_SECRET:-$(demo api_key.client_secret)}
[ $# -gt 0 ] || set -- "${names[@]}"
exit_code=0
for name in "$@"; do
  [[ " ${names[*]} " == *" $name "* ]] || { echo "no generator $name: ${names[*]}" >&2; exit 2; }
  if ! command -v "$(needed "$name")" >/dev/null; then
    echo "$name: skipped, there is no $(needed "$name")"
    continue
  fi
  folder=$(mktemp -d)
  cp "$root/libs/contracts/openapi/openapi.json" generators/* "$folder"
  export KEY="TRIAL-$name-$(date +%s)"
  export -f try openapi_generator
  if (cd "$folder" && bash -euxc "try $name" >log 2>&1); then
    echo "$name: ok, $(grep -ciE '\bwarn(ing)?\b' "$folder/log" || true) lines with warnings"
  else
    cat "$folder/log"
    echo "$name: FAILED at the last command above"
    exit_code=1
  fi
  rm -rf "$folder"
done
exit "$exit_code"
