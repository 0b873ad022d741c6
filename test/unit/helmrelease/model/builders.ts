import type { HelmRelease, HelmReleaseSpec } from '#controllers/helmrelease/model/types.js';
import type { Observed } from '#controllers/helmrelease/model/decide.js';
import type { ReleaseRecord, StoredRevision } from '#controllers/helmrelease/model/release.js';
import type { Snapshot } from '#controllers/helmrelease/model/snapshot.js';
import type { StatusContext } from '#controllers/helmrelease/model/status.js';

/** A snapshot of release apps/web with chart web@1.0.0. */
export function snapshot(change: Partial<Snapshot> = {}): Snapshot {
  return {
    digest: 'sha256:d',
    name: 'web',
    namespace: 'apps',
    version: 1,
    status: 'deployed',
    chartName: 'web',
    chartVersion: '1.0.0',
    configDigest: 'sha256:a',
    firstDeployed: '2026-01-01T00:00:00Z',
    lastDeployed: '2026-01-01T00:00:00Z',
    ...change,
  };
}

/** HelmRelease shop/web over HelmRepository charts. */
export function helmRelease(spec: Partial<HelmReleaseSpec> = {}, change: Partial<HelmRelease> = {}): HelmRelease {
  return {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: 'web', namespace: 'shop', uid: 'u-1', generation: 1 },
    spec: {
      interval: '10m',
      chart: { spec: { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
      ...spec,
    },
    ...change,
  };
}

/** Revision 1 of release apps/web. */
export function record(change: Partial<ReleaseRecord> = {}): ReleaseRecord {
  return {
    name: 'web',
    info: {
      first_deployed: '2026-01-01T00:00:00.123Z',
      last_deployed: '2026-01-02T00:00:00.456Z',
      status: 'deployed',
      description: 'Install complete',
    },
    chart: {
      metadata: { name: 'web', version: '1.0.0', appVersion: '2.3' },
      lock: null,
      templates: null,
      values: null,
      schema: null,
      files: null,
    },
    manifest: '',
    version: 1,
    namespace: 'apps',
    ...change,
  };
}

export function statusContext(change: Partial<StatusContext> = {}): StatusContext {
  return { generation: 1, now: '2026-01-01T00:00:00Z', testsEnabled: false, testsCount: false, ...change };
}

/** Revision 1 of release apps/web in storage, made by HelmRelease shop/web. */
export function revision(change: Partial<StoredRevision> = {}): StoredRevision {
  const version = change.version ?? 1;
  return {
    ...{ version, status: 'deployed', secretName: `sh.helm.release.v1.web.v${version}`, resourceVersion: '1' },
    ...{ origin: 'shop/web', untouched: true },
    ...change,
  };
}

/** HelmRelease shop/web in sync, of which nothing was done yet. */
export function observed(change: Partial<Observed> = {}): Observed {
  return {
    ...{ release: helmRelease(), status: {}, moment: statusContext(), configDigest: 'sha256:a', revisions: [] },
    ...{ finding: { state: 'InSync', why: '' }, drifted: [], isNewlyWatched: false },
    ...{ progress: { actions: [], resumed: false } },
    ...change,
  };
}
