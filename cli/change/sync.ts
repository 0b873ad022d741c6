import type { Command } from 'commander';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { ResourceType } from '#api/meta.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { viewOf } from '#queries/views/application-view.js';
import { type Handling, isHandled, syncRequest, resumeRequest, suspendRequest } from '#queries/views/requests.js';
import type { Kube, ListQuery } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import { linkSignals } from '#runtime/process/signals.js';
import { EXIT_INTERRUPTED, EXIT_TIMEOUT, ExitError } from '../command/exit.js';
import { follow } from '../command/follow.js';
import { withApplication } from '../command/application.js';
import { DRY_RUN_FLAG, request, type RequestOptions, withRequest } from './request.js';

const DELETED = 'deleted while waiting for it';

interface Request {
  readonly ref: { readonly name: string; readonly namespace: string };
  /** The value of the request. */
  readonly at: string;
  /** Epoch milliseconds after which nobody waits any more. */
  readonly until: number;
  readonly interrupted: AbortSignal;
}

/** The kinds of its children. */
function kindsOf({ spec }: Application): ResourceType[] {
  const { helmRelease, kustomization = [] } = spec.fluxApp?.spec.config ?? {};
  return [
    ...(helmRelease === undefined ? [] : [helmReleaseResource]),
    ...(kustomization.length === 0 ? [] : [kustomizationResource]),
  ];
}

function ofChildren({ metadata }: Application): ListQuery {
  return { namespace: metadata.namespace, labelSelector: `${APPLICATION_UID_LABEL}=${metadata.uid ?? ''}` };
}

/** Throws if the user may not see what is waited for: better before the request than after it. */
export async function checkReadable(kube: Kube, application: Application): Promise<void> {
  for (const type of kindsOf(application)) {
    try {
      await kube.list(type, { ...ofChildren(application), limit: 1 });
    } catch (error: unknown) {
      if (apiStatusOf(error)?.code !== 403) throw error;
      const place = `${type.kind}s in namespace ${application.metadata.namespace ?? ''}`;
      throw new Error(`--wait waits for ${place}, which you may not list: leave it out`, { cause: error });
    }
  }
}

function keyOf({ kind, metadata }: Handling): string {
  return `${kind}/${metadata.name}`;
}

/** What its status speaks of; others of its label may be on their way out, and handle nothing. */
function spokenOf(application: Application, children: ReadonlyMap<string, readonly Handling[]>): Handling[] {
  const { destinations } = viewOf(application);
  const known = new Set(destinations.map(({ childRef: { kind, name } = { kind: '', name: '' } }) => `${kind}/${name}`));
  return [...children.values()].flat().filter((child) => known.has(keyOf(child)));
}

/** What was seen last of an Application and of its children, by their kinds. */
interface Seen {
  application: Application | undefined;
  readonly children: Map<string, readonly Handling[]>;
  isHandled: boolean;
}

/** Follows them until `signal`, and calls `look` after each change. */
async function followAll(kube: Kube, asked: Application, seen: Seen, { signal, look }: Looking): Promise<void> {
  const children = kindsOf(asked).map((type) => {
    const show = (objects: readonly Handling[]): void => {
      seen.children.set(type.kind, objects);
      look();
    };
    return follow<Handling>(kube, { type, query: ofChildren(asked), signal, show });
  });
  const { namespace, name, uid } = asked.metadata;
  const show = (objects: readonly Application[]): void => {
    seen.application = objects.find(({ metadata }) => metadata.uid === uid);
    look();
  };
  const query = { namespace, fieldSelector: `metadata.name=${name}` };
  await Promise.all([follow<Application>(kube, { type: applicationResource, query, signal, show }), ...children]);
}

interface Looking {
  readonly signal: AbortSignal;
  readonly look: () => void;
}

/** Waits until a request has reached an Application and its children: before, all of them may still say Ready. */
export async function untilHandled(kube: Kube, { ref, at, until, interrupted }: Request): Promise<void> {
  const asked = await kube.get<Application>(applicationResource, ref);
  if (asked === undefined) throw new Error(DELETED);
  const kinds = kindsOf(asked);
  const seen: Seen = { application: asked, children: new Map(), isHandled: false };
  const over = new AbortController();
  const { signal, unlink } = linkSignals([over.signal, interrupted], Math.max(1, until - Date.now()));
  const look = (): void => {
    const { application, children } = seen;
    if (application === undefined) over.abort();
    else if (children.size === kinds.length && isHandled(application, spokenOf(application, children), at)) {
      seen.isHandled = true;
      over.abort();
    }
  };
  try {
    await followAll(kube, asked, seen, { signal, look });
  } finally {
    over.abort();
    unlink();
  }
  if (seen.isHandled) return;
  if (seen.application === undefined) throw new Error(DELETED);
  if (interrupted.aborted) throw new ExitError('interrupted; the request stays', EXIT_INTERRUPTED);
  throw new ExitError('the request was not carried out in time', EXIT_TIMEOUT);
}

interface SyncOptions extends RequestOptions {
  readonly force?: true;
  readonly reset?: true;
}

async function sync(name: string, options: SyncOptions): Promise<void> {
  const at = new Date().toISOString();
  const { force, reset } = options;
  await request(name, options, {
    ask: async (application, kube) => {
      if (options.wait === true) await checkReadable(kube, application);
      return syncRequest({ application, at, force, reset });
    },
    before: (kube, wait) => untilHandled(kube, { ...wait, at }),
  });
}

/** `fairlead sync`: asks for a reconciliation now, by the annotations of Flux. */
export function syncCommand(command: Command): void {
  withRequest(withApplication(command))
    .option('--force', 'install or upgrade each release once, even if nothing changed')
    .option('--reset', 'begin to count failures again')
    .action(sync);
}

type SuspendOptions = Pick<RequestOptions, 'namespace' | 'kubeconfig' | 'context' | 'dryRun'>;

/** `fairlead suspend`: sets `suspend` of an Application. */
export function suspendCommand(command: Command): void {
  withApplication(command)
    .option(...DRY_RUN_FLAG)
    .action((name: string, options: SuspendOptions) => request(name, options, { ask: suspendRequest }));
}

/** `fairlead resume`: removes it. */
export function resumeCommand(command: Command): void {
  withRequest(withApplication(command)).action((name: string, options: RequestOptions) =>
    request(name, options, { ask: resumeRequest }),
  );
}
