import { readFileSync } from 'node:fs';
import { keyringOf, type Keyring } from '#controllers/kustomization/model/sops/data-key.js';

/** A file of the real sops, age or gpg. */
export function fixture(name: string): string {
  return readFileSync(`test/fixtures/sops/${name}`, 'utf8');
}

export function keyring(...names: string[]): Promise<Keyring> {
  const texts = (end: string): string[] => names.filter((name) => name.endsWith(end)).map(fixture);
  return keyringOf({ shown: 'Secret/team/keys', age: texts('.agekey'), pgp: texts('.asc') });
}
