import type { Unstructured } from '#api/meta.js';
import { dataOf, type KnownTexts } from '#engine/flux/model/secret-texts.js';
import { jsonTask } from '#engine/flux/json-task.js';
import { keyOf } from '#lib/kube/keys.js';
import { TerminalError, TransientError } from '#lib/errors.js';
import { InterruptedError } from '#engine/member/member-failure.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { inTurns } from '#runtime/turns.js';
import { documentsOf, objectsOf } from './model/manifest.js';
import { marksOf, MAX_NODES, mayHaveAliases, NodeBudget, NodesError } from './model/manifest-cost.js';
import { storageSecretName, type ReleaseRecord } from './model/release.js';
import { secretDocuments } from './model/secret-values.js';

/** Larger manifests are parsed in a child process. Most have less, and most documents have far less. */
const MOST_MARKS_HERE = 200_000;
const MOST_MARKS_OF_A_DOCUMENT_HERE = 16_000;
const LONGEST_DOCUMENT_HERE = 512 * 1024;
/** Aliases make texts longer; without them, a release is not unpacked to more. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The objects of all revisions that one action needs have this together at most. */
const MAX_NODES_HELD = 3 * MAX_NODES;

/** Where large manifests are parsed, and whose they are. */
export interface Reading {
  readonly offload: Pick<Offload, 'run'>;
  readonly tenant: string;
}

/** `problem`: the end of a sentence that names the Secret. `invalid`: why the text is no YAML. */
type Answer = { readonly objects: readonly string[] } | { readonly problem: string } | { readonly invalid: string };

function printedObjects(manifest: string): Answer {
  const objects: string[] = [];
  const budget = new NodeBudget();
  let left = MAX_BYTES;
  try {
    for (const object of documentsOf(manifest).flatMap(objectsOf)) {
      budget.take(object);
      const printed = printJson(object);
      left -= printed.length;
      if (left < 0) return { problem: `has objects of more than ${MAX_BYTES} bytes` };
      objects.push(printed);
    }
  } catch (error: unknown) {
    if (error instanceof NodesError) return { problem: error.message };
    if (error instanceof SyntaxError) return { invalid: error.message };
    throw error;
  }
  return { objects };
}

/** @public Called by its name. */
export const storedObjectsTask = jsonTask<string, Answer>(
  { module: import.meta.url, name: 'storedObjectsTask', deadlineMs: 30_000 },
  printedObjects,
  ({ message }) => ({ problem: `has a manifest that ${message} to read` }),
);

function isQuick(document: string): boolean {
  if (document.length > LONGEST_DOCUMENT_HERE) return false;
  return marksOf(document, MOST_MARKS_OF_A_DOCUMENT_HERE) <= MOST_MARKS_OF_A_DOCUMENT_HERE;
}

/** The documents of a manifest that takes little time to parse, a few milliseconds each; undefined for another one. */
function quickDocuments(manifest: string): string[] | undefined {
  if (marksOf(manifest, MOST_MARKS_HERE) > MOST_MARKS_HERE || mayHaveAliases(manifest)) return undefined;
  const documents = documentsOf(manifest);
  return documents.every(isQuick) ? documents : undefined;
}

/** A process that ended, or could not be started, is no failure of the revision: the action is taken up again. */
function asInterruption(error: unknown): never {
  if (!(error instanceof TransientError)) throw error;
  throw new InterruptedError(`the manifest of a release could not be read: ${error.message}`, { cause: error });
}

function refuse(where: string, problem: string): never {
  const wayOut = 'which is too much for a Helm release: restore it, or delete it to have the release recreated';
  throw new TerminalError('StateError', `${where} ${problem}, ${wayOut}`);
}

/** In turns. The objects are counted here, too: a text may have aliases that nobody expects. */
async function readHere(documents: readonly string[], where: string): Promise<Unstructured[]> {
  const budget = new NodeBudget();
  const objects = await inTurns(documents, (document) => {
    const found = objectsOf(document);
    try {
      budget.take(found);
    } catch (error: unknown) {
      if (error instanceof NodesError) refuse(where, error.message);
      throw error;
    }
    return found;
  });
  return objects.flat();
}

/**
 * Like `objectsOf`, for a manifest or hook of a stored release, without blocking the event loop. Throws a SyntaxError on
 * bad YAML, and TerminalError `StateError` when there is too much; `where` names the Secret.
 */
async function readObjects({ offload, tenant }: Reading, manifest: string, where: string): Promise<Unstructured[]> {
  const documents = quickDocuments(manifest);
  if (documents !== undefined) return readHere(documents, where);
  const answer = await storedObjectsTask.ask(offload, manifest, tenant).catch(asInterruption);
  if ('invalid' in answer) throw new SyntaxError(answer.invalid);
  if ('problem' in answer) refuse(where, answer.problem);
  return inTurns(answer.objects, (text) => parseJson(text) as Unstructured); // as printedObjects printed it
}

/** The release that is read. */
interface ReleaseReading extends Reading {
  readonly releaseName: string;
  readonly storage: { readonly namespace: string };
}

/**
 * The objects of the manifest of a release, or of one of its hooks, in order; without blocking the event loop. Throws
 * TerminalError `StateError` when there are too many.
 */
export function objectsOfRelease(context: ReleaseReading, manifest: string, version?: number): Promise<Unstructured[]> {
  const { releaseName, storage } = context;
  const where =
    version === undefined
      ? `the Secret of release ${releaseName}`
      : `Secret ${keyOf({ namespace: storage.namespace, name: storageSecretName(releaseName, version) })}`;
  return readObjects(context, manifest, where);
}

/** The objects of all records, with duplicates. Throws TerminalError `StateError` when they are too many to hold. */
export async function recordedObjects(
  context: ReleaseReading,
  records: readonly ReleaseRecord[],
): Promise<Unstructured[]> {
  const objects: Unstructured[] = [];
  const budget = new NodeBudget(MAX_NODES_HELD);
  for (const { manifest, version } of records) {
    const found = await objectsOfRelease(context, manifest, version);
    try {
      for (const object of found) budget.take(object);
    } catch (error: unknown) {
      if (!(error instanceof NodesError)) throw error;
      const message =
        `the objects of the revisions of release ${context.releaseName} in Helm's storage since its last deployed one have ` +
        `more than ${MAX_NODES_HELD} fields and items: delete Secrets of failed revisions that are not needed any more`;
      throw new TerminalError('StateError', message, { cause: error });
    }
    for (const object of found) objects.push(object);
  }
  return objects;
}

/**
 * Throws TerminalError `StateError` when the objects of these records are too many, before an action begins that needs
 * them. A single small one is not parsed for that.
 */
export async function requireReadable(context: ReleaseReading, records: readonly ReleaseRecord[]): Promise<void> {
  const isQuickToRead = records.length <= 1 && records.every(({ manifest }) => quickDocuments(manifest) !== undefined);
  if (!isQuickToRead) await recordedObjects(context, records);
}

/**
 * The data of the Secrets of a release, wherever their values came from. If one cannot be read, all may be secret.
 * Throws TerminalError `StateError` when there is too much.
 */
export async function renderedSecrets(
  reading: Reading,
  record: Pick<ReleaseRecord, 'manifest' | 'hooks'>,
  where: string,
): Promise<KnownTexts> {
  const documents = secretDocuments(record);
  if (documents.length === 0) return { doubtful: [] };
  try {
    const objects = await readObjects(reading, documents.join('\n---\n'), where);
    return { doubtful: objects.flatMap(dataOf) };
  } catch (error: unknown) {
    if (error instanceof SyntaxError) return { areMore: true };
    throw error;
  }
}
