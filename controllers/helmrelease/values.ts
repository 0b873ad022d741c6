import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import type { ValuesReference } from '#api/flux/helm-release-fields.js';
import { configMapResource, secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { WaitingError } from '#lib/errors.js';
import { configDigest } from './model/digest.js';
import type { KnownTexts } from '#engine/flux/model/secret-texts.js';
import { composeValues, secretsIn, valuesKeyOf, type ResolvedReference, type ValuesProblem } from './model/values.js';
import type { Deps } from './pass.js';
import type { HelmRelease } from './model/types.js';

/** The values of a release and their digest. */
export interface DigestedValues {
  readonly values: Record<string, unknown>;
  readonly configDigest: string;
  /** The values and keys that came from Secrets. */
  readonly secrets: () => KnownTexts;
}

/** As a worker answers; without `known`, they are found when they are asked for. */
interface Composed extends Omit<DigestedValues, 'secrets'> {
  readonly known?: KnownTexts;
}

interface Question {
  readonly references: readonly ResolvedReference[];
  readonly inline: Readonly<Record<string, unknown>> | undefined;
}

/** Shorter texts are read faster than they are handed to another thread. */
const SMALL = 16 * 1024;
/** Limit for all texts of `valuesFrom` together; Helm stores the composed values in one Secret. */
const MOST_TEXT = 4 * 1024 * 1024;
/** Limit for the composed values, with all aliases expanded. */
const MOST_VALUES = 8 * 1024 * 1024;

function compose({ references, inline }: Question): Composed | ValuesProblem {
  const composed = composeValues(references, inline);
  return 'problem' in composed ? composed : { ...composed, configDigest: configDigest(composed.values) };
}

/** @public Called by its name. */
export const composeTask: Task = {
  module: import.meta.url,
  name: 'composeTask',
  deadlineMs: 10_000,
  run: (input) => {
    const question = parseJson(input) as Question; // as composeInWorker prints it
    const composed = compose(question);
    if (printJson(composed).length > MOST_VALUES) return printJson(tooMuch('the values have', MOST_VALUES));
    return printJson('problem' in composed ? composed : { ...composed, known: secretsIn(question.references) });
  },
};

function tooMuch(subject: string, limit: number): ValuesProblem {
  return { problem: `${subject} more than ${limit} characters` };
}

/** True for texts that take time in proportion to their length: short ones without aliases or list indexes. */
function isSmall(references: readonly ResolvedReference[], length: number): boolean {
  if (length > SMALL) return false;
  return references.every(({ reference: { targetPath }, data }) => {
    const text = Object.values(data ?? {}).join('');
    return targetPath === undefined
      ? !(text.includes('&') && text.includes('*'))
      : !`${targetPath}${text}`.includes('[');
  });
}

/** Composes values and their digest, in a worker thread if it may take long. `tenant`: the owner of the values. */
async function composeInWorker(
  offload: Pick<Offload, 'run'>,
  question: Question,
  tenant: string,
): Promise<Composed | ValuesProblem> {
  const texts = question.references.flatMap(({ data }) => Object.values(data ?? {}));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length > MOST_TEXT) return tooMuch('the texts of spec.valuesFrom have', MOST_TEXT);
  if (isSmall(question.references, length)) return compose(question);
  const output = offload.run(composeTask, printJson(question), tenant);
  const overrun = ({ message }: Error): ValuesProblem => ({ problem: `reading them ${message}` });
  return answerOf<Composed | ValuesProblem>(output, overrun, parseJson);
}

/** The services that read values. */
export interface ValuesDeps extends Pick<Deps, 'offload'> {
  readonly kube: Pick<Deps['kube'], 'get'>;
  readonly settings: Pick<Deps['settings'], 'dependencyRequeueMs'>;
}

/** The texts of ConfigMaps. */
function publicTexts(references: readonly ResolvedReference[]): string[] {
  return references.flatMap(({ reference, data }) => (reference.kind === 'Secret' ? [] : Object.values(data ?? {})));
}

interface DataObject extends KubeObject {
  data?: Record<string, string>;
}

/** The text that a reference names, if it exists. */
function only(data: Record<string, string>, key: string, isSecret: boolean): Record<string, string> {
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  if (text === undefined) return {};
  return { [key]: isSecret ? Buffer.from(text, 'base64').toString() : text };
}

async function resolve(
  deps: ValuesDeps,
  reference: ValuesReference,
  namespace: string,
  signal: AbortSignal,
): Promise<ResolvedReference> {
  const isSecret = reference.kind === 'Secret';
  const type = isSecret ? secretResource : configMapResource;
  const object = await deps.kube.get<DataObject>(type, { name: reference.name, namespace }, { signal });
  const data = object && only(object.data ?? {}, valuesKeyOf(reference), isSecret);
  return { reference, namespace, data };
}

/**
 * The values of a release with their digest, read from the API server. Throws WaitingError `ValuesError`, which names
 * the object and key but no content: what is missing may be created at any time.
 */
export async function readValues(deps: ValuesDeps, release: HelmRelease, signal: AbortSignal): Promise<DigestedValues> {
  const namespace = release.metadata.namespace ?? '';
  const references: ResolvedReference[] = [];
  for (const reference of release.spec.valuesFrom ?? [])
    references.push(await resolve(deps, reference, namespace, signal));
  const composed = await composeInWorker(deps.offload, { references, inline: release.spec.values }, namespace);
  if ('values' in composed) {
    const { known, ...found } = composed;
    return { ...found, secrets: () => ({ ...(known ?? secretsIn(references)), public: publicTexts(references) }) };
  }
  const message = `could not compose the values: ${composed.problem}`;
  throw new WaitingError('ValuesError', message, { retryAfterMs: deps.settings.dependencyRequeueMs });
}
