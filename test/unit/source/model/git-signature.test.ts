import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { isTagNamed, signedCommit, signedTag } from '#controllers/source/git/model/signature.js';

const HEAD = `tree ${'a'.repeat(40)}\nauthor A <a@b> 1 +0000`;
const SIGNATURE = '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----';
const HEADER = `gpgsig ${SIGNATURE.replaceAll('\n', '\n ')}`;

describe('a commit', () => {
  test.each([
    ['signed at the end of its head', `${HEAD}\n${HEADER}\n\nmessage\n`, `${HEAD}\n\nmessage\n`],
    ['signed before another header', `${HEAD}\n${HEADER}\nencoding x\n\nm\n`, `${HEAD}\nencoding x\n\nm\n`],
    ['without a message', `${HEAD}\n${HEADER}`, HEAD],
  ])('%s', (_title, raw, payload) => expect(signedCommit(raw)).toEqual({ payload, signature: SIGNATURE }));

  test.each([
    ['without a signature', `${HEAD}\n\nmessage\n`],
    ['with a signature in its message', `${HEAD}\n\nm\n${HEADER}\n`],
    ['with the signature of a tag that it merges', `${HEAD}\nmergetag object x\n ${HEADER}\n\nm\n`],
    ['with two signatures', `${HEAD}\n${HEADER}\n${HEADER}\n\nm\n`],
  ])('%s is not signed', (_title, raw) => expect(signedCommit(raw)).toBeUndefined());
});

describe('a tag', () => {
  test('is signed at its end: the last signature is', () => {
    const payload = `object x\n\nmessage\n${SIGNATURE}\nmore\n`;
    expect(signedTag(`${payload}${SIGNATURE}\n`)).toEqual({ payload, signature: `${SIGNATURE}\n` });
  });

  test('made by git is found', () => {
    const raw = readFileSync('test/fixtures/git-signatures/ed25519.tag', 'latin1');
    expect(signedTag(raw)?.signature).toMatch(/^-----BEGIN SSH SIGNATURE-----\n/);
  });

  test.each(['object x\n\nmessage\n', `object x\n\n ${SIGNATURE}\n`])('%j is not signed', (raw) =>
    expect(signedTag(raw)).toBeUndefined(),
  );

  const head = `object ${'a'.repeat(40)}\ntype commit\n`;
  test.each([
    ['its own', `${head}tag v1\ntagger A\n\nmessage\n`, 'v1', true],
    ['its own, in UTF-8', Buffer.from(`${head}tag gr\u00fcn\ntagger A\n\n`).toString('latin1'), 'gr\u00fcn', true],
    ['another one', `${head}tag v1\ntagger A\n\nmessage\n`, 'v9', false],
    ['a part of it', `${head}tag v1.0\ntagger A\n\n`, 'v1', false],
    ['one in its message', `${head}tag v1\ntagger A\n\ntag v9\n`, 'v9', false],
    ['one of two', `${head}tag v1\ntag v9\ntagger A\n\n`, 'v9', false],
    ['one that it does not write', `${head}tagger A\n\n`, 'v9', false],
  ])('has the name %s', (_title, payload, name, expected) =>
    expect(isTagNamed({ payload, signature: SIGNATURE }, name)).toBe(expected),
  );
});
