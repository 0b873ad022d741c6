import { secretResource, configMapResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { WaitingError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { Pass } from './pass.js';
import type { SopsKeys } from './model/sops/data-key.js';
import { bytesOf, type Bytes } from './model/substitution/bytes.js';
import type { Variables, Variable } from './model/substitution/substitute.js';

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

/** The services that read objects which a Kustomization names. */
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

/** The data of a ConfigMap or Secret. */
export interface VariableSource {
  /** `Kind/name`. */
  readonly shown: string;
  readonly isSecret: boolean;
  readonly data: Readonly<Record<string, Bytes>>;
}

const NAME = /^[_A-Za-z][_A-Za-z0-9]*$/;

/** Each value from a Secret is searched for in every message. */
const MOST_VARIABLES = 5_000;

/** As in Flux, line breaks are no part of a value: later sources win, and what the spec has wins over all. */
export function composeVariables(
  sources: readonly VariableSource[],
  inline: Readonly<Record<string, string>>,
): Variables | { readonly problem: string } {
  const texts = Object.entries(inline).map(([name, text]): [string, Bytes] => [name, bytesOf(text)]);
  const own = { shown: 'spec.postBuild.substitute', isSecret: false, data: Object.fromEntries(texts) };
  const variables = new Map<string, Variable>();
  for (const { shown, isSecret, data } of [...sources, own]) {
    for (const [name, value] of Object.entries(data)) {
      if (!NAME.test(name)) return { problem: invalidName(shown, name) };
      variables.set(name, { value: value.replaceAll('\n', ''), isSecret });
    }
  }
  if (variables.size <= MOST_VARIABLES) return variables;
  return { problem: `spec.postBuild has ${variables.size} variables, and at most ${MOST_VARIABLES} are supported` };
}

function invalidName(shown: string, name: string): string {
  const key = JSON.stringify(name.slice(0, 100));
  return `${shown} has the key ${key}, which is no name of a variable: rename it; letters, digits and _ make a name`;
}

type PostBuild = NonNullable<Kustomization['spec']['postBuild']>;

type Reference = NonNullable<PostBuild['substituteFrom']>[number];

const FIELD = 'spec.postBuild.substituteFrom';

const MOST_REFERENCES = 100;

/** Of all values that one pass reads. */
const MOST_BYTES = 4 * 1024 * 1024;

interface DataObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

function invalid({ settings }: ReferencePass, problem: string): WaitingError {
  return new WaitingError('BuildFailed', problem, { retryAfterMs: settings.dependencyRequeueMs });
}

async function readSource(
  pass: ReferencePass,
  { kind, name }: Reference,
  shown: string,
): Promise<VariableSource | undefined> {
  const { kube, kustomization, signal } = pass;
  const { namespace } = kustomization.metadata;
  const isSecret = kind === 'Secret';
  const type = isSecret ? secretResource : configMapResource;
  const object = await kube.get<DataObject>(type, { name, namespace }, { signal });
  if (object === undefined) return undefined;
  const decode = (text: string): string => (isSecret ? Buffer.from(text, 'base64').toString('latin1') : bytesOf(text));
  const entries = Object.entries(object.data ?? {}).map(([key, text]) => [key, decode(text)] as const);
  return { shown, isSecret, data: Object.fromEntries(entries) };
}

function sizeOf(source: VariableSource | undefined): number {
  return Object.values(source?.data ?? {}).reduce((sum, value) => sum + value.length, 0);
}

/** Each object is read once, however often it is referred to. */
async function readSources(pass: ReferencePass, references: readonly Reference[]): Promise<VariableSource[]> {
  const known = new Map<string, VariableSource | undefined>();
  const sources: VariableSource[] = [];
  let bytes = 0;
  for (const [index, reference] of references.entries()) {
    const { kind, name, optional } = reference;
    const shown = `${kind}/${keyOf({ name, namespace: pass.kustomization.metadata.namespace })}`;
    const field = `${FIELD}[${index}]: ${shown}`;
    if (!known.has(shown)) {
      const read = await readSource(pass, reference, shown);
      known.set(shown, read);
      bytes += sizeOf(read);
    }
    if (bytes > MOST_BYTES) throw invalid(pass, `${field} makes it more than ${MOST_BYTES} bytes: shorten the values`);
    const source = known.get(shown);
    if (source !== undefined) sources.push(source);
    else if (optional !== true) throw invalid(pass, `${field} not found: create it, or set optional: true`);
  }
  return sources;
}

/**
 * The variables of a Kustomization, read from the API server; undefined if nothing is to be substituted. Throws
 * WaitingError `BuildFailed`, which names what is missing or wrong, but no value: it may be corrected at any time.
 */
export async function readVariables(pass: ReferencePass): Promise<Variables | undefined> {
  const { postBuild } = pass.kustomization.spec;
  if (postBuild === undefined) return undefined;
  const references = postBuild.substituteFrom ?? [];
  if (references.length > MOST_REFERENCES) {
    const supported = `at most ${MOST_REFERENCES} are supported: put values together into fewer objects`;
    throw invalid(pass, `${FIELD} has ${references.length} references, and ${supported}`);
  }
  const sources = await readSources(pass, references);
  const variables = composeVariables(sources, postBuild.substitute ?? {});
  if ('problem' in variables) throw invalid(pass, variables.problem);
  return variables.size > 0 || postBuild.substituteStrategy === 'Always' ? variables : undefined;
}
