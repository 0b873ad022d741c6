import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { signerTask } from '#controllers/source/git/verify.js';
import { signedCommit } from '#controllers/source/git/model/signature.js';

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

/** A key made, and a payload signed with it, long ago. */
async function signedLongAgo(lifeS: number, isSuperseded: boolean): Promise<object> {
  const openpgp = await import('openpgp');
  const [made, used] = [new Date('2020-01-01T00:00:00Z'), new Date('2020-01-02T00:00:00Z')];
  const config = { date: made, keyExpirationTime: lifeS, format: 'object' } as const;
  const { privateKey, publicKey } = await openpgp.generateKey({ userIDs: [{ name: 'Signer' }], ...config });
  const message = await openpgp.createMessage({ text: 'payload' });
  const signature: unknown = await openpgp.sign({ message, signingKeys: privateKey, detached: true, date: used });
  const superseded = { reasonForRevocation: { flag: 1 }, date: new Date('2021-01-01T00:00:00Z') };
  const revoked = await openpgp.revokeKey({ key: privateKey, ...superseded, format: 'object' });
  const known = isSuperseded ? revoked.publicKey : publicKey;
  return { signed: { payload: 'payload', signature }, pgp: [known.armor()], ssh: [] };
}

test.each([
  ['valid', 0, false, /^[0-9A-F]{16}$/],
  ['expired', 365 * 24 * 3600, false, /^$/],
  ['superseded', 0, true, /^$/],
])('what a key signed when it was valid counts while it is: %s', async (_title, lifeS, isSuperseded, signer) => {
  const question = await signedLongAgo(lifeS, isSuperseded);
  expect(await signerTask.run(JSON.stringify(question))).toMatch(signer);
});
