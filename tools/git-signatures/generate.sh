#!/bin/sh
# Signs the commits and tags of test/fixtures/git-signatures again, with the real git, gpg and ssh-keygen.
set -eu
out=$(cd "$(dirname "$0")/../../test/fixtures/git-signatures" && pwd)
work=$(mktemp -d)
trap 'gpgconf --homedir "$work/gpg" --kill all; rm -rf "$work"' EXIT
export HOME="$work" GNUPGHOME="$work/gpg" GIT_CONFIG_NOSYSTEM=1
mkdir -m 700 "$work/gpg"
# Long ago, so that no signature is of the future on a machine whose clock is late.
export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'
printf '#!/bin/sh\nexec gpg --faked-system-time 20240101T000000 "$@"\n' > "$work/old-gpg"
chmod +x "$work/old-gpg"
git config --global gpg.program "$work/old-gpg"
git config --global user.name Signer
git config --global user.email signer@example.com
git init -q "$work/repository"
cd "$work/repository"
printf 'a: 1\n' > app.yaml
git add app.yaml

# A commit and a tag with the key $2: $1.commit and $1.tag
objects() {
  id=$(git commit-tree -S"$2" -m "$3" "$(git write-tree)")
  git cat-file commit "$id" > "$out/$1.commit"
  git tag -f -u "$2" -m "$3" "$1" "$id" > /dev/null
  git cat-file tag "$1" > "$out/$1.tag"
}

git config --global gpg.format ssh
for key in 'ed25519 ed25519 256' 'rsa rsa 2048' 'ecdsa256 ecdsa 256' 'ecdsa384 ecdsa 384' 'ecdsa521 ecdsa 521' 'stranger ed25519 256'; do
  set -- $key
  ssh-keygen -q -t "$2" -b "$3" -N '' -C signer@example.com -f "$work/$1"
  cp "$work/$1.pub" "$out/$1.sshpub"
  objects "$1" "$work/$1" 'Signed'
done

git config --global gpg.format openpgp
"$work/old-gpg" --batch --quiet --passphrase '' --quick-generate-key 'Signer <signer@example.com>' ed25519 sign never
gpg --armor --export signer@example.com > "$out/pgp.asc"
# Not UTF-8: what is signed are bytes.
git config --global i18n.commitEncoding ISO-8859-1
objects pgp signer@example.com "$(printf 'Gr\374n')"
