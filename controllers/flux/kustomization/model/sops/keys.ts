import type { SopsKeys } from './data-key.js';

/** Credentials of key services, which are never asked. */
const SERVICES = ['sops.vault-token', 'sops.aws-kms', 'sops.azure-kv', 'sops.gcp-kms'];

/** The keys in the data of a Secret, as Flux names them. */
export function keysOf(shown: string, data: Readonly<Record<string, string>>): SopsKeys | { readonly problem: string } {
  const service = SERVICES.find((name) => Object.hasOwn(data, name));
  if (service !== undefined) {
    const wayOut = 'encrypt the files for age or PGP, and remove it';
    return { problem: `${shown} has the key ${service}, and the embedded engine asks no key service: ${wayOut}` };
  }
  const texts = (end: string): string[] =>
    Object.entries(data)
      .filter(([name]) => name.endsWith(end))
      .map(([, text]) => Buffer.from(text, 'base64').toString('utf8'));
  return { shown, age: texts('.agekey'), pgp: texts('.asc') };
}
