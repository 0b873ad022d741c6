import { beforeAll, describe, expect, it } from '@jest/globals';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';
import { kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import { getApplication, READY_MS, untilReady, type ApplicationView } from '#bench/scenarios/setup.js';
import { applyManifest } from '../support/kubectl.js';
import { useSetup } from '../support/fixture.js';
import { passesAtRest } from '../support/passes.js';
import { auditEntriesUntilNow, auditPosition, eventually } from '../support/world.js';

const SOURCE = { kind: 'HelmRepository', name: 'fairlead-charts' };
const CHART = { chart: 'lighthouse', version: '1.4.x' };

type Fields = Record<string, unknown>;

function entry(namespace: string, fields: Fields = {}, destination: Fields = {}): Fields {
  return { destination: { targetNamespace: namespace, ...destination }, install: { createNamespace: true }, ...fields };
}

function member(secret: string): Fields {
  return { kubeConfig: { secretRef: { name: secret } } };
}

function application(name: string, helmRelease: Fields, source: Fields = SOURCE): Fields {
  return {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: PROJECT_NAMESPACE },
    spec: { kind: 'fluxcd', fluxApp: { spec: { source: { sourceRef: source }, config: { helmRelease } } } },
  };
}

function secret(name: string, kubeconfig: string): Fields {
  const metadata = { name, namespace: PROJECT_NAMESPACE };
  return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { value: kubeconfig } };
}

/** A kubeconfig whose server nobody listens at. */
const NOBODY = `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: u, user: {token: nothing}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
`;

interface Case {
  readonly name: string;
  readonly helmRelease: Fields;
  readonly source?: Fields;
  /** All of these stand in the conditions or in the rows. */
  readonly says: readonly RegExp[];
  /** `n/m` of the summary in the end: the good destinations go on. */
  readonly ready: string;
}

const CASES: readonly Case[] = [
  {
    name: 'unknown-chart',
    helmRelease: { chart: { chart: 'no-such-chart' }, deploy: [entry('bad-chart')] },
    says: [/no-such-chart/, /HelmChart|HelmRepository/],
    ready: '0/1',
  },
  {
    name: 'missing-source',
    source: { kind: 'HelmRepository', name: 'no-such-source' },
    helmRelease: { chart: CHART, deploy: [entry('bad-source')] },
    says: [/HelmRepository/, /no-such-source/],
    ready: '0/1',
  },
  {
    name: 'missing-secret',
    helmRelease: { chart: CHART, deploy: [entry('good-a'), entry('bad', {}, member('no-such-secret'))] },
    says: [/no-such-secret/, /Secret/],
    ready: '1/2',
  },
  {
    name: 'broken-secret',
    helmRelease: { chart: CHART, deploy: [entry('good-b'), entry('bad', {}, member('broken-kubeconfig'))] },
    says: [/broken-kubeconfig/, /kubeconfig/i],
    ready: '1/2',
  },
  {
    name: 'unreachable-member',
    helmRelease: { chart: CHART, deploy: [entry('good-c'), entry('bad', {}, member('nobody-kubeconfig'))] },
    says: [/127\.0\.0\.1:1/, /nobody-kubeconfig/],
    ready: '1/2',
  },
  {
    name: 'same-identity',
    helmRelease: {
      chart: CHART,
      deploy: [entry('good-d'), entry('twice'), entry('twice', { interval: '5m' })],
    },
    says: [/deploy\[1\]/, /deploy\[2\]/],
    ready: '1/3',
  },
  {
    name: 'bad-range',
    helmRelease: { chart: { ...CHART, version: '>>1' }, deploy: [entry('bad-range')] },
    says: [/chart\.version/, />>1/],
    ready: '0/1',
  },
  {
    name: 'refused-values',
    helmRelease: {
      chart: CHART,
      deploy: [entry('good-f'), entry('bad-values', { values: { light: { color: 'no colour at all' } } })],
    },
    says: [/schema|color/i],
    ready: '1/2',
  },
];

/** Everything that the status says, as a user would read it. */
function said({ status }: ApplicationView): string {
  const conditions = (status?.conditions ?? []).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  const rows = (status?.destinations ?? []).map(({ name, state, message }) => `${name ?? ''} ${state}: ${message}`);
  return [...conditions, ...rows].join('\n');
}

describe('bad input', () => {
  const setup = useSetup();

  beforeAll(async () => {
    const objects = [
      secret('broken-kubeconfig', 'this: [is no kubeconfig'),
      secret('nobody-kubeconfig', NOBODY),
      ...CASES.map(({ name, helmRelease, source }) => application(name, helmRelease, source)),
    ];
    for (const object of objects) await applyManifest(setup.world, setup.world.host, object);
  });

  it.each(CASES)(
    '$name: says what is wrong and where, and the others go on ($ready)',
    async ({ name, says, ready }) => {
      await eventually(
        async () => {
          const found = await getApplication(setup.world, name);
          const text = said(found);
          for (const part of says) expect(text).toMatch(part);
          expect(found.status?.summary?.ready).toBe(ready);
          expect(found.status?.conditions?.find(({ type }) => type === 'Ready')?.status).not.toBe('True');
        },
        { timeoutMs: READY_MS, intervalMs: 500 },
      );
    },
    READY_MS + 10_000,
  );

  it('leaves what runs as it is when an edit makes the Application invalid, and mends by the next edit', async () => {
    const good = { chart: CHART, deploy: [entry('running')] };
    const apply = (helmRelease: Fields): Promise<string> =>
      applyManifest(setup.world, setup.world.host, application('turns-bad', helmRelease));
    await apply(good);
    await untilReady(setup, 'turns-bad');
    await apply({ ...good, chart: { ...CHART, version: 'x.y.z' } });
    await eventually(async () => {
      expect(said(await getApplication(setup.world, 'turns-bad'))).toMatch(/Stalled InvalidVersion/);
    });
    expect((await getApplication(setup.world, 'turns-bad')).status?.summary?.ready).toBe('1/1');
    await apply(good);
    await untilReady(setup, 'turns-bad');
  });

  it('makes no hot loop of any of it: looks at all of them again, and comes to rest', async () => {
    const { world, controller } = setup;
    // A pass over the release of a cluster that does not answer may be under way for most of the time.
    const before = await passesAtRest(controller, 'application');
    const [since, startedAt] = [await auditPosition(world.host), performance.now()];
    await kubectl(world, world.host, '-n', PROJECT_NAMESPACE, 'annotate', 'gapp', '--all', 'looked=at');
    await eventually(async () =>
      expect(await passesAtRest(controller, 'application')).toBeGreaterThan(before + CASES.length),
    );
    const ours = (await auditEntriesUntilNow(world.host, since)).filter(
      ({ objectRef, userAgent }) =>
        objectRef?.namespace === PROJECT_NAMESPACE &&
        objectRef.resource !== 'events' &&
        userAgent.startsWith('fairlead'),
    );
    // Backoff may try a failing destination again meanwhile: once in many seconds, of which there are few.
    const seconds = Math.min((performance.now() - startedAt) / 1_000, 60);
    expect(ours.length).toBeLessThan(CASES.length + seconds);
  });

  it('lets Applications go whose members were never reached: nothing of them runs there', async () => {
    const names = ['broken-secret', 'missing-secret', 'unreachable-member'];
    const { world } = setup;
    await kubectl(world, world.host, '-n', PROJECT_NAMESPACE, 'delete', 'gapp', ...names, '--timeout=120s');
    const { items } = await kubectlJson<{ items: { metadata: { name: string } }[] }>(
      world,
      world.host,
      ...['-n', PROJECT_NAMESPACE, 'helmreleases.helm.toolkit.fluxcd.io'],
    );
    const left = items.filter(({ metadata }) => names.some((name) => metadata.name.startsWith(`${name}-`)));
    expect(left.map(({ metadata }) => metadata.name)).toEqual([]);
  });
});
