import { configMapResource, secretResource } from '#api/core.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { KubeObject } from '#api/meta.js';
import { WaitingError } from '../../runtime/pure/errors.js';
import { keyOf } from '../../runtime/pure/keys.js';
import type { Pass } from './deps.js';
import { bytesOf } from './model/substitution/bytes.js';
import type { Variables } from './model/substitution/substitute.js';
import { composeVariables, type VariableSource } from './model/variables.js';

type PostBuild = NonNullable<Kustomization['spec']['postBuild']>;
type Reference = NonNullable<PostBuild['substituteFrom']>[number];

interface DataObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

function failure({ settings }: Pass, problem: string): WaitingError {
  return new WaitingError('BuildFailed', problem, { retryAfterMs: settings.dependencyRequeueMs });
}

async function readSource(pass: Pass, reference: Reference, field: string): Promise<VariableSource | undefined> {
  const { kind, name, optional } = reference;
  const { kube, kustomization, signal } = pass;
  const { namespace } = kustomization.metadata;
  const shown = `${kind}/${keyOf({ name, namespace })}`;
  const isSecret = kind === 'Secret';
  const type = isSecret ? secretResource : configMapResource;
  const object = await kube.get<DataObject>(type, { name, namespace }, { signal });
  if (object === undefined) {
    if (optional === true) return undefined;
    throw failure(pass, `${field}: ${shown} not found: create it, or set optional: true`);
  }
  const decode = (text: string): string => (isSecret ? Buffer.from(text, 'base64').toString('latin1') : bytesOf(text));
  const entries = Object.entries(object.data ?? {}).map(([key, text]) => [key, decode(text)] as const);
  return { shown, isSecret, data: Object.fromEntries(entries) };
}

/**
 * The variables of a Kustomization, read from the API server; undefined if nothing is to be substituted. Throws
 * WaitingError `BuildFailed`, which names what is missing or wrong, but no value: it may be corrected at any time.
 */
export async function readVariables(pass: Pass): Promise<Variables | undefined> {
  const { postBuild } = pass.kustomization.spec;
  if (postBuild === undefined) return undefined;
  const sources: VariableSource[] = [];
  for (const [index, reference] of (postBuild.substituteFrom ?? []).entries()) {
    const source = await readSource(pass, reference, `spec.postBuild.substituteFrom[${index}]`);
    if (source !== undefined) sources.push(source);
  }
  const variables = composeVariables(sources, postBuild.substitute ?? {});
  if ('problem' in variables) throw failure(pass, variables.problem);
  return variables.size > 0 || postBuild.substituteStrategy === 'Always' ? variables : undefined;
}
