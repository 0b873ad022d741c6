import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { signerTask } from '#controllers/flux/source/git/verify.js';
import { signedCommit } from '#controllers/flux/source/model/git-signature.js';

function read(name: string): string {
  return readFileSync(`test/fixtures/git-signatures/${name}`, 'latin1');
}

const PGP = signedCommit(read('pgp.commit'));
const SSH = signedCommit(read('ed25519.commit'));

test.each([
  ['a PGP key', { signed: PGP, pgp: ['no key', read('pgp.asc')], ssh: [] }, /^[0-9A-F]{16}$/],
  ['an SSH key', { signed: SSH, pgp: [], ssh: [read('stranger.sshpub'), read('ed25519.sshpub')] }, /^SHA256:/],
  ['no key', { signed: PGP, pgp: [], ssh: [read('ed25519.sshpub')] }, /^$/],
  ['a key for another payload', { signed: { ...PGP, payload: 'x' }, pgp: [read('pgp.asc')], ssh: [] }, /^$/],
  ['what is no signature', { signed: { ...PGP, signature: 'x' }, pgp: [read('pgp.asc')], ssh: [] }, /^$/],
])('signed by %s', async (_title, question, signer) => {
  expect(await signerTask.run(JSON.stringify(question))).toMatch(signer);
});
