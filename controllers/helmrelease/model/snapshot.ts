import omit from 'lodash/omit.js';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Snapshot } from '#api/flux/snapshot.js';
import { defined } from '#lib/plain.js';
import { sha256 } from './digest.js';
import type { ReleaseRecord } from './release.js';

export type SnapshotAction = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'uninstall-remediation';

export type { Snapshot };

const EPOCH = '1970-01-01T00:00:00Z';

/** Kubernetes times have whole seconds. */
function seconds(time: string | undefined): string {
  return time === undefined ? EPOCH : time.replace(/\.\d+/, '');
}

/** What a revision was made from. */
export type Origin = Pick<Snapshot, 'configDigest'> & { readonly ociDigest?: string | undefined };

/**
 * The digest of the OCI artifact that a revision came from: its version tells whether that is the one that was attempted
 * last.
 */
export function ociDigestOf(
  { chart }: Pick<ReleaseRecord, 'chart'>,
  { lastAttemptedRevision, lastAttemptedRevisionDigest }: HelmReleaseStatus,
): string | undefined {
  return chart.metadata.version === lastAttemptedRevision ? lastAttemptedRevisionDigest : undefined;
}

/**
 * The entry of a revision in `status.history`. What we write carries no `apiVersion`: helm-controller then trusts it
 * without comparing a digest that only Go's JSON could reproduce, and takes the release over without a new revision.
 */
export function snapshotOf(record: ReleaseRecord, { configDigest, ociDigest }: Origin, action: string): Snapshot {
  const { metadata } = record.chart;
  const identity = [record.name, record.namespace, record.version, metadata.name, metadata.version, configDigest];
  return {
    digest: sha256(JSON.stringify([...identity, record.manifest])),
    name: record.name,
    namespace: record.namespace,
    version: record.version,
    status: record.info.status,
    chartName: metadata.name,
    chartVersion: metadata.version,
    ...defined({ appVersion: metadata.appVersion }),
    configDigest,
    firstDeployed: seconds(record.info.first_deployed),
    lastDeployed: seconds(record.info.last_deployed),
    ...(record.info.deleted === undefined ? {} : { deleted: seconds(record.info.deleted) }),
    action,
    ...defined({ ociDigest }),
  };
}

/** The results of the test hooks that ran, by the name of the hook. */
export function testHooksOf(record: ReleaseRecord): NonNullable<Snapshot['testHooks']> {
  const hooks = (record.hooks ?? []).filter(
    ({ events, last_run }) => events?.includes('test') === true && last_run.phase !== '',
  );
  return Object.fromEntries(
    hooks.map(({ name = '', last_run: { started_at, completed_at, phase } }) => [
      name,
      {
        ...(started_at === undefined ? {} : { lastStarted: seconds(started_at) }),
        ...(completed_at === undefined ? {} : { lastCompleted: seconds(completed_at) }),
        phase,
      },
    ]),
  );
}

/** `ns/name.vN with chart name@version`, as Flux's messages name a release. */
export function describeSnapshot(snapshot: Snapshot): string {
  const { namespace, name, version, chartName, chartVersion } = snapshot;
  return `${namespace}/${name}.v${version} with chart ${chartName}@${chartVersion}`;
}

function succeeded(snapshot: Snapshot, ignoreTestFailures: boolean): boolean {
  if (snapshot.status !== 'deployed' && snapshot.status !== 'superseded') return false;
  return ignoreTestFailures || !Object.values(snapshot.testHooks ?? {}).some((hook) => hook.phase === 'Failed');
}

/** The newest successful revision before the latest one: the target of a rollback. */
export function previousSuccess(history: readonly Snapshot[], ignoreTestFailures: boolean): Snapshot | undefined {
  return history.slice(1).find((snapshot) => succeeded(snapshot, ignoreTestFailures));
}

/** The entry of a revision that another replaced: storage says so too, and with it an older digest is no longer right. */
function superseded(snapshot: Snapshot): Snapshot {
  return { ...omit(snapshot, 'apiVersion'), status: 'superseded' };
}

/**
 * `history` with `next` in front, or in place of the entry of the same revision. `superseded` names a revision that
 * `next` replaced. Only the latest failures are kept: a release that is retried forever must not grow without limit.
 * The argument is not changed.
 */
export function recordSnapshot(history: readonly Snapshot[], next: Snapshot): Snapshot[] {
  const others = history
    .filter((snapshot) => snapshot.version !== next.version)
    .map((snapshot) =>
      next.status === 'deployed' && snapshot.status === 'deployed' ? superseded(snapshot) : snapshot,
    );
  const newestFirst = [next, ...others].sort((a, b) => b.version - a.version);
  return newestFirst.filter((snapshot, index) => index < MAX_HISTORY || succeeded(snapshot, true));
}

/** From the latest to the previous successful one: all that a rollback could need. */
export function truncateHistory(history: readonly Snapshot[], ignoreTestFailures: boolean): Snapshot[] {
  const previous = history.findIndex((snapshot, index) => index > 0 && succeeded(snapshot, ignoreTestFailures));
  return previous < 0 ? history.slice(0, MAX_HISTORY) : history.slice(0, previous + 1);
}

const MAX_HISTORY = 5;
