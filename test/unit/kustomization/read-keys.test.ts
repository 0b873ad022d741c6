import { expect, test } from '@jest/globals';
import { keysOf } from '#controllers/kustomization/read-references.js';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

test('keys are told by the ends of their names', () => {
  const data = { 'a.agekey': encoded('a'), 'b.agekey': encoded('b'), 'c.asc': encoded('c'), other: encoded('d') };
  expect(keysOf('Secret/team/keys', data)).toEqual({ shown: 'Secret/team/keys', age: ['a', 'b'], pgp: ['c'] });
});

test.each(['sops.vault-token', 'sops.aws-kms', 'sops.azure-kv', 'sops.gcp-kms'])('%s is refused by name', (name) => {
  const problem = `Secret/team/keys has the key ${name}, and the embedded engine asks no key service`;
  expect(keysOf('Secret/team/keys', { [name]: encoded('t0ken') })).toEqual({
    problem: expect.stringContaining(problem),
  });
});
