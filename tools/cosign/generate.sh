#!/bin/sh
# Signs the artifact of test/fixtures/cosign again, with the real cosign, in both of its layouts.
# Usage: COSIGN=FILE REGISTRY=FILE tools/cosign/generate.sh, with the programs of ~/.cache/fairlead/tools.
set -eu
out=$(cd "$(dirname "$0")/../../test/fixtures/cosign" && pwd)
work=$(mktemp -d)
cd "$work"
host=127.0.0.1:45998
printf 'version: 0.1\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: "%s"}\n' "$work/data" "$host" > config.yml
"$REGISTRY" serve config.yml > /dev/null 2>&1 &
trap 'kill $!; rm -rf "$work"' EXIT
export HOME="$work" COSIGN_PASSWORD=
api="http://$host/v2/app"
until curl -fs "http://$host/v2/" > /dev/null; do sleep 0.2; done

blob() {
  url=$(curl -fsi -X POST "$api/blobs/uploads/" | tr -d '\r' | sed -n 's/^[Ll]ocation: //p')
  curl -fs -X PUT -H 'content-type: application/octet-stream' --data-binary "$1" "$url&digest=$2"
}
digest_of() { printf %s "$1" | sha256sum | sed 's/^\([0-9a-f]*\).*/sha256:\1/'; }
image=application/vnd.oci.image.manifest.v1+json
empty=$(digest_of '{}')
blob '{}' "$empty"
manifest="{\"schemaVersion\":2,\"mediaType\":\"$image\",\"config\":{\"mediaType\":\"application/vnd.oci.empty.v1+json\",\"digest\":\"$empty\",\"size\":2},\"layers\":[]}"
curl -fs -X PUT -H "content-type: $image" --data-binary "$manifest" "$api/manifests/v1"
digest=$(digest_of "$manifest")

sign() {
  "$COSIGN" sign --key "$1.key" --tlog-upload=false --use-signing-config=false --new-bundle-format="$2" --yes \
    --allow-http-registry "$host/app@$digest" > /dev/null 2>&1
}
# Its order is that of the digests.
referrers() { curl -fs -H 'accept: application/vnd.oci.image.index.v1+json' "$api/manifests/$(echo "$digest" | tr : -)"; }

for name in ecdsa256 ecdsa384 ecdsa521 rsa ed25519 stranger; do
  case $name in
    ecdsa*) openssl genpkey -algorithm EC -pkeyopt "ec_paramgen_curve:P-${name#ecdsa}" -out "$name.pem" ;;
    rsa) openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$name.pem" ;;
    *) openssl genpkey -algorithm ED25519 -out "$name.pem" ;;
  esac
  "$COSIGN" import-key-pair --key "$name.pem" --output-key-prefix "$name" > /dev/null 2>&1
  cp "$name.pub" "$out/$name.pub"
  [ "$name" = stranger ] && continue
  sign "$name" false
  referrers 2> /dev/null | grep -o 'sha256:[0-9a-f]*' > known || true
  sign "$name" true
  referrer=$(referrers | grep -o 'sha256:[0-9a-f]*' | grep -vxFf known)
  layer=$(curl -fs -H "accept: $image" "$api/manifests/$referrer" | grep -o '"layers":.*' | grep -o 'sha256:[0-9a-f]*' | head -1)
  curl -fs "$api/blobs/$layer" > "$out/$name.bundle.json"
done
printf %s "$digest" > "$out/digest"
referrers > "$out/referrers.json"
curl -fs -H "accept: $image" "$api/manifests/$(echo "$digest" | tr : -).sig" > "$out/signatures.json"
payload=$(grep -o '"layers":.*' "$out/signatures.json" | grep -o 'sha256:[0-9a-f]*' | head -1)
curl -fs "$api/blobs/$payload" > "$out/payload.json"
