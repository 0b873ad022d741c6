import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { type Kube, listAll, type ListQuery } from '#runtime/client/kube.js';
import { isNotFound } from '#lib/errors.js';
import { describeObject } from '#lib/net/urls.js';
import { printDuration } from '#lib/duration.js';
import { listFluxObjects } from '#queries/host/flux-objects.js';
import { isCurrent, viewOf } from '#queries/views/application-view.js';
import { linkSignals } from '#runtime/process/signals.js';
import { withKube } from '../command/connection.js';
import { type ListingOptions, namespaceQuery, noSuchObject, notInstalled, placeOf } from '../output/listing.js';
import { EXIT_INTERRUPTED, EXIT_TIMEOUT, ExitError } from '../command/exit.js';
import { follow } from '../command/follow.js';

/** The Applications that a command is about. */
export interface Selection {
  /** Undefined: all that the query finds. */
  readonly name: string | undefined;
  readonly query: ListQuery;
}

/** Says which object of Flux has the name that no Application has: people who come from Flux look for that. */
async function namesake(kube: Kube, query: ListQuery): Promise<string> {
  const [found] = (await listFluxObjects(kube, query)).objects;
  if (found === undefined) return '';
  const { namespace = '', name } = found.metadata;
  const command = `fairlead status ${found.kind.toLowerCase()}/${name} -n ${namespace}`;
  return `; there is a ${describeObject(found.kind, found.metadata)}: \`${command}\``;
}

/** The selected Applications. Throws when there is none of the wanted name: a misspelt one is not waited for. */
export async function listSelected(kube: Kube, { name, query }: Selection): Promise<readonly Application[]> {
  const { items } = await listAll<Application>(kube, applicationResource, query);
  if (name === undefined || items.length > 0) return items;
  const { message } = noSuchObject(applicationResource.kind, name, query);
  throw new Error(message + (await namesake(kube, query)));
}

/** Runs a command about the Application of that name, or all, in the namespaces that its flags say. */
export async function withSelection(
  name: string | undefined,
  options: ListingOptions,
  use: (kube: Kube, selection: Selection) => Promise<void>,
): Promise<void> {
  await withKube(options, async (kube) => {
    try {
      const selected = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
      await use(kube, { name, query: { ...selected, ...(await namespaceQuery(options)) } });
    } catch (error: unknown) {
      if (!isNotFound(error)) throw error;
      throw notInstalled(kube, error);
    }
  });
}

/** True when every destination runs the newest spec. */
export function isSettled(application: Application): boolean {
  return viewOf(application).state === 'Ready';
}

/** How a wait for `Ready` stands: met by all, out of reach for one, or open. What failed and is retried is open. */
export type Verdict = 'met' | 'stalled' | 'open';

export function verdictOf(applications: readonly Application[]): Verdict {
  if (applications.some((each) => isCurrent(each) && viewOf(each).state === 'Stalled')) return 'stalled';
  return applications.every(isSettled) ? 'met' : 'open';
}

export interface WaitLimits {
  /** Of the whole wait, as the user knows it. */
  readonly timeoutMs: number;
  /** Epoch milliseconds; other steps of the wait may have taken some of its time. */
  readonly until: number;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
}

/** What came of a wait: the Applications as they were at its end, and what went wrong. */
export interface WaitResult {
  readonly applications: readonly Application[];
  readonly problem?: Error;
}

function problemOf(applications: readonly Application[], { timeoutMs, interrupted }: WaitLimits): Error | undefined {
  if (applications.length === 0) return new Error('deleted while waiting for it to be ready');
  const verdict = verdictOf(applications);
  if (verdict === 'met') return undefined;
  if (verdict === 'stalled') return new Error('stalled: nothing is retried until something changes');
  if (interrupted.aborted) return new ExitError('interrupted before everything was ready', EXIT_INTERRUPTED);
  return new ExitError(`not everything was ready after ${printDuration(timeoutMs)}`, EXIT_TIMEOUT);
}

/** Waits until all selected Applications are ready, one of them is stalled, or the time is over; `show` sees changes. */
export async function waitUntilReady(
  kube: Kube,
  selection: Selection,
  limits: WaitLimits,
  show: (applications: readonly Application[]) => void,
): Promise<WaitResult> {
  let applications = await listSelected(kube, selection);
  if (applications.length === 0) throw new Error(`there are no Applications in ${placeOf(selection.query)}`);
  const over = new AbortController();
  // What is over by now still gets one look.
  const msLeft = Math.max(1, limits.until - Date.now());
  const { signal, unlink } = linkSignals([over.signal, limits.interrupted], msLeft);
  try {
    const see = (latest: readonly Application[]): void => {
      applications = latest;
      show(latest);
      if (latest.length === 0 || verdictOf(latest) !== 'open') over.abort();
    };
    await follow<Application>(kube, { type: applicationResource, query: selection.query, signal, show: see });
  } finally {
    unlink();
  }
  const problem = problemOf(applications, limits);
  return problem === undefined ? { applications } : { applications, problem };
}
