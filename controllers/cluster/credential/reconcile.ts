import type { KubeObject, ObjectRef } from '#api/meta.js';
import { crdResource } from '#api/core.js';
import type { Result } from '#runtime/controller.js';
import { CancelledError, ConflictError, TerminalError, TransientError } from '#lib/errors.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { oneLine } from '#lib/text/text.js';
import { describeObject } from '#lib/net/urls.js';
import { rightsText } from '../model/grant.js';
import { decideCredential, type CredentialStep, type ObservedCredential } from '../model/credential.js';
import type { Pass } from './deps.js';
import { issue, remove, revoke } from './issue.js';
import { TurnError } from './member-turns.js';
import { observe, referringTo } from './observe.js';

/** What could not be decided, because something may be missing in the caches, is decided again. */
const UNDECIDED_MS = 60_000;

/** Characters of a cause. */
const MAX_CAUSE = 500;

const FAILED = 'CredentialFailed';

/** Where users look: the grant, and the Secret, or what waits for it. */
function placesToReport(ref: ObjectRef, { live, permit }: ObservedCredential, pass: Pass): KubeObject[] {
  const grant = permit?.grant === undefined ? undefined : pass.grants.get({ name: permit.grant });
  const secret = live === undefined ? undefined : pass.secrets.get(ref);
  const [waiting] = referringTo(ref, pass);
  return [grant, secret ?? waiting].flatMap((object) => object ?? []);
}

function fail(message: string, ref: ObjectRef, observed: ObservedCredential, pass: Pass): void {
  const grant = observed.permit?.grant;
  pass.failures.set(keyOf(ref), grant === undefined ? undefined : { grant, message });
  for (const object of placesToReport(ref, observed, pass)) pass.events.record(object, 'Warning', FAILED, message);
}

/** True if the last attempt for the Secret failed: what it said is more than that the cluster does not answer. */
function isReported(ref: ObjectRef, { permit }: ObservedCredential, { failures }: Pass): boolean {
  const known = failures.get(keyOf(ref));
  return known !== undefined && known.grant === permit?.grant;
}

/** What a cluster answers may be anybody's words. */
function causeOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error)).slice(0, MAX_CAUSE);
}

/** The cluster, the namespace and the grant, and why there is no new kubeconfig. */
function failureText(why: string, ref: ObjectRef, { clusters, permit }: ObservedCredential): string {
  const [cluster] = clusters;
  const of = cluster === undefined ? '' : ` of ${describeObject(cluster.id.kind, cluster.id)}`;
  const by = permit?.grant === undefined ? '' : ` by ClusterGrant ${permit.grant} ${rightsText(permit.credential)}`;
  return `no kubeconfig${of} for namespace ${ref.namespace ?? ''}${by}: ${why}`;
}

/** The error with the cluster and the grant in its message; its class decides the retry, and stays. */
function explained(error: unknown, message: string): unknown {
  if (error instanceof TerminalError) return new TerminalError(error.reason, message, { cause: error });
  if (!(error instanceof TransientError)) return error;
  const { reason, retryAfterMs, status } = error;
  return new TransientError(message, { cause: error, reason, retryAfterMs, status });
}

async function attempt(
  step: Extract<CredentialStep, { op: 'issue' }>,
  ref: ObjectRef,
  observed: ObservedCredential,
  pass: Pass,
): Promise<Result> {
  try {
    const requeueAfterMs = await issue(step, ref, observed, pass);
    pass.failures.set(keyOf(ref), undefined);
    return requeueAfterMs === undefined ? {} : { requeueAfterMs };
  } catch (error: unknown) {
    if (error instanceof CancelledError || error instanceof ConflictError) throw error;
    if (error instanceof TurnError && (!error.isSilent || isReported(ref, observed, pass))) throw error;
    const message = failureText(causeOf(error), ref, observed);
    fail(message, ref, observed, pass);
    throw explained(error, message);
  }
}

async function takeBack(why: string, ref: ObjectRef, observed: ObservedCredential, pass: Pass): Promise<Result> {
  const { live } = observed;
  if (live === undefined) return {};
  try {
    await revoke(live, pass);
  } catch (error: unknown) {
    if (!(error instanceof CancelledError || error instanceof ConflictError)) {
      fail(
        `the kubeconfig for namespace ${ref.namespace ?? ''} cannot be removed: ${causeOf(error)}`,
        ref,
        observed,
        pass,
      );
    }
    throw error;
  }
  pass.failures.set(keyOf(ref), undefined);
  const secret = pass.secrets.get(ref);
  const message = `its kubeconfig was removed, because ${why}; what runs on the cluster is left unchanged`;
  if (secret !== undefined) pass.events.record(secret, 'Warning', 'AccessDenied', message);
  return {};
}

/** A type that is not served may have objects all the same, unless the API server does not know it at all. */
async function mayBeReferred({ referring, kube, signal }: Pass): Promise<boolean> {
  for (const { type, served } of referring) {
    const crd = { name: `${type.plural}.${type.group}` };
    if (!served && (await kube.get(crdResource, crd, { signal })) !== undefined) return true;
  }
  return false;
}

async function removeUnused({ live }: ObservedCredential, pass: Pass): Promise<Result> {
  if (await mayBeReferred(pass)) return { requeueAfterMs: UNDECIDED_MS };
  if (live !== undefined) await remove(live, pass);
  return {};
}

async function act(
  step: Exclude<CredentialStep, { op: 'issue' }>,
  ref: ObjectRef,
  observed: ObservedCredential,
  pass: Pass,
): Promise<Result> {
  if (step.op === 'refuse') {
    fail(failureText(step.why, ref, observed), ref, observed, pass);
    return {};
  }
  if (step.op === 'revoke') return takeBack(step.why, ref, observed, pass);
  pass.failures.set(keyOf(ref), undefined);
  if (step.op === 'delete') return removeUnused(observed, pass);
  if (step.op === 'keep' && step.renewInMs !== undefined) return { requeueAfterMs: step.renewInMs };
  return step.op === 'undecided' ? { requeueAfterMs: UNDECIDED_MS } : {};
}

/** One pass over one Secret that HelmReleases or Kustomizations refer to, or referred to. */
export function reconcileCredential(key: string, pass: Pass): Promise<Result> {
  const ref = parseKey(key);
  const observed = observe(ref, pass);
  const step = decideCredential(observed, pass.now());
  return step.op === 'issue' ? attempt(step, ref, observed, pass) : act(step, ref, observed, pass);
}
