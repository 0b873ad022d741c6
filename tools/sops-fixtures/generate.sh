#!/bin/sh
# Encrypts the files of test/fixtures/sops again, with new keys, by the real sops, age and gpg, or writes them to
# another folder. Run it from the root: generate.sh [FOLDER]
set -eu

go=$(mktemp -d)
trap 'rm -rf "$go"' EXIT
(cd tools/sops-fixtures && go build -trimpath -gcflags=all=-dwarf=false -ldflags="-s -w" -o "$go/" github.com/getsops/sops/v3/cmd/sops filippo.io/age/cmd/age-keygen)
PATH="$go:$PATH"
export GNUPGHOME="$go/gnupg"
mkdir -m 700 "$GNUPGHOME"

folder=${1:-test/fixtures/sops}
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

age-keygen -o own.agekey 2>/dev/null
age-keygen -o other.agekey 2>/dev/null
own=$(age-keygen -y own.agekey)
other=$(age-keygen -y other.agekey)
gpg --quiet --batch --passphrase '' --quick-generate-key fixtures@example.com future-default
gpg --quiet --batch --armor --export-secret-keys > own.asc
pgp=$(gpg --list-keys --with-colons | awk -F: '/^fpr/ { print $10; exit }')

# encrypt NAME TYPE [option ...]: from stdin.
encrypt() {
  name=$1 type=$2
  shift 2
  sops encrypt --input-type "$type" --output-type "$type" --filename-override "$name" "$@" > "$name"
}

secret() {
  printf 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\nstringData:\n  password: s3cret\n  port: "8080"\n' "$1"
}

secret by-age | encrypt secret.yaml yaml --age "$own" --encrypted-regex '^(data|stringData)$'
secret by-pgp | encrypt pgp.yaml yaml --pgp "$pgp" --encrypted-regex '^(data|stringData)$'
secret for-other | encrypt other.yaml yaml --age "$other" --encrypted-regex '^(data|stringData)$'
secret for-both | encrypt both.yaml yaml --age "$other,$own" --encrypted-suffix Data
{ secret first; echo ---; secret second; } | encrypt several.yaml yaml --age "$own" --encrypted-regex '^stringData$'
printf 'creation_rules:\n  - {age: %s, encrypted_regex: ^stringData$, mac_only_encrypted: true}\n' "$own" > "$go/rules.yaml"
secret mac-only | sops --config "$go/rules.yaml" encrypt --filename-override mac-only.yaml > mac-only.yaml
cat <<'YAML' | encrypt types.yaml yaml --age "$own" --unencrypted-suffix _plain
# A comment
text: "yes"
number: 3
huge: 9007199254740993
float: 1.5
tiny: 1e-9
"true": true
empty: ""
nothing: null
lines: "a\nb\u00e9\n"
list: [a, { b: c }, []]
some_plain: { number: 12, float: 0.25, big: 1e+21, yes: no, flag: false, nothing: null, quoted: "1", date: "2001-01-01" }
YAML
printf '{"a": {"b": [1, true, null, "x<y", 1.5, {}]}, "c": "\\u00e9\\n"}' | encrypt config.json json --age "$own"
printf '# A comment\nUSER=admin\nPASSWORD=two words\\nand more\n' | encrypt app.env dotenv --age "$own"
printf '\000\377binary\n' | encrypt blob.bin binary --age "$own"
printf '[db]\nuser = admin\n' | encrypt app.ini ini --age "$own"
