import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { WaitingError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Pass } from './pass.js';
import type { SopsKeys } from './model/sops/data-key.js';

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

/** What objects that a Kustomization names are read with. */
export interface ReferencePass extends Pick<Pass, 'kustomization' | 'signal'> {
  readonly kube: Pick<Pass['kube'], 'get'>;
  readonly settings: Pick<Pass['settings'], 'dependencyRequeueMs'>;
}

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

function failure({ settings }: ReferencePass, problem: string): WaitingError {
  return new WaitingError('BuildFailed', `spec.decryption: ${problem}`, { retryAfterMs: settings.dependencyRequeueMs });
}

/**
 * The keys that files are decrypted with, read from the API server; undefined if nothing is to be decrypted. Throws
 * WaitingError `BuildFailed`: what is missing may be created at any time.
 */
export async function readKeys(pass: ReferencePass): Promise<SopsKeys | undefined> {
  const { kube, kustomization, signal } = pass;
  const { decryption } = kustomization.spec;
  if (decryption === undefined) return undefined;
  const name = decryption.secretRef?.name;
  if (name === undefined) return { shown: 'spec.decryption, which names no Secret', age: [], pgp: [] };
  const { namespace } = kustomization.metadata;
  const shown = `Secret/${keyOf({ name, namespace })}`;
  const secret = await kube.get<Secret>(secretResource, { name, namespace }, { signal });
  if (secret === undefined) throw failure(pass, `${shown} not found: create it, or correct secretRef`);
  const keys = keysOf(shown, secret.data ?? {});
  if ('problem' in keys) throw failure(pass, keys.problem);
  return keys;
}
