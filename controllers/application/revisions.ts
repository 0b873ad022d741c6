import { controllerRevisionResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Application, ApplicationRevision, RevisionContent } from '#api/v1alpha1/application.js';
import { revisionId } from '#api/v1alpha1/approve-command.js';
import { APPLICATION_REVISION, FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import { apiStatusOf, ControllerError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { soonest } from '#lib/duration.js';
import { printJson } from '#lib/json/lossless-json.js';
import { keptBytes } from '#lib/json/nesting.js';
import { clusterView } from './clusters.js';
import type { Pass } from './deps.js';
import { BY_OWNER } from './mappings.js';
import { historyWithVersions, whyUnresolved } from './model/spec/resolved-versions.js';
import { contentOf, readContent, type Valid, validAt } from './model/destinations/validate.js';
import { type HistoryPlan, type KeptRevision, keptId, keptRevisions, planHistory } from './model/spec/history.js';
import { checkedPins, readPins } from './model/spec/pins.js';
import { neededRevisions } from './model/revisions/targets.js';
import type { Earlier, Revisions } from './model/children/world.js';
import { personalize, withGates } from './values.js';

async function readRevision({ metadata }: KubeObject, deps: Pass): Promise<RevisionContent | undefined> {
  const { contents } = deps.history;
  const uid = metadata.uid ?? '';
  const known = contents.get(uid);
  if (known !== undefined) return known.content;
  const found = await deps.kube.get<ApplicationRevision>(controllerRevisionResource, metadata, { signal: deps.signal });
  const content = readContent(found?.data);
  contents.set(uid, { content, size: keptBytes(printJson(content ?? null)) });
  return content;
}

/** Undefined for what no Application can have said: somebody else wrote the object. */
function expandedContent(application: Application, content: RevisionContent, { inventory }: Pass) {
  try {
    return validAt(application, content, clusterView(inventory));
  } catch {
    return undefined;
  }
}

interface Found {
  readonly earlier: Earlier;
  /** When to try again what could not be made, or to read again what it was made from. */
  readonly retryAfterMs?: number | undefined;
}

/** What an earlier revision wants now. */
async function earlierOf(
  number: number,
  kept: readonly KeptRevision[],
  application: Application,
  deps: Pass,
): Promise<Found> {
  const found = kept.find(({ revision }) => revision === number);
  const problem = `revision ${number} is not kept: kubectl get controllerrevisions -l ${APPLICATION_REVISION} shows those that are`;
  const missing = { earlier: { problem } };
  if (found === undefined) return missing;
  const content = await readRevision(found.object, deps);
  if (content === undefined) return missing;
  const valid = expandedContent(application, content, deps);
  if (valid === undefined) return missing;
  if ('violation' in valid) return { earlier: { problem: `revision ${number}: ${valid.violation.message}` } };
  const pass = { tenant: application.metadata.namespace ?? '', signal: deps.signal };
  const personal = await personalize(valid, deps, pass);
  return { earlier: await withGates(personal.valid, deps, pass), retryAfterMs: personal.retryAfterMs };
}

/** Reads what must be known of the history of an Application before its children are observed. */
export async function observeRevisions(
  application: Application,
  { resolved, choices }: Valid,
  deps: Pass,
): Promise<Revisions | undefined> {
  const content = contentOf(resolved);
  const stated = readPins(application);
  const key = keyOf(application.metadata);
  const kept = keptRevisions(application, deps.history.kept.byIndex(BY_OWNER, key));
  const owned = deps.children.flatMap((cache) => cache.byIndex(BY_OWNER, key));
  const needed = neededRevisions(application, stated, owned);
  if (content === undefined || !(needed.isAsked || kept.length > 0)) return undefined;
  const history = historyWithVersions(planHistory(application, content, kept, needed), application, choices);
  const pins = checkedPins(stated, [revisionId(history.current, history.digest), ...kept.map(keptId)]);
  const waits = whyUnresolved(choices);
  const earlier = new Map<number, Earlier>();
  const retries: (number | undefined)[] = [];
  for (const number of needed.contents(waits === undefined ? history.current : undefined)) {
    const found = await earlierOf(number, kept, application, deps);
    earlier.set(number, found.earlier);
    retries.push(found.retryAfterMs);
  }
  return { history, pins, earlier, retryAfterMs: soonest(retries), waits };
}

/** Keeps the revision that the spec is, or returns why not. Its name says what it is: one of that name is it. */
export async function keepRevision({ create }: HistoryPlan, pass: Pass): Promise<Error | undefined> {
  const { kube, history, signal } = pass;
  if (create === undefined) return undefined;
  try {
    const options = { fieldManager: FIELD_MANAGER, signal };
    const { apiVersion, kind, metadata } = await kube.create(controllerRevisionResource, create, options);
    history.kept.recordWrite({ apiVersion, kind, metadata });
    return undefined;
  } catch (error: unknown) {
    if (!(error instanceof ControllerError)) throw error;
    return apiStatusOf(error)?.reason === 'AlreadyExists' ? undefined : error;
  }
}

/** Removes a revision that is too old. */
export async function removeRevision({ metadata }: KubeObject, { kube, signal }: Pass): Promise<void> {
  if (metadata.uid === undefined) return;
  await kube.delete(controllerRevisionResource, metadata, { uid: metadata.uid, signal });
}
