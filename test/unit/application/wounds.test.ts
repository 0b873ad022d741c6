import { describe, expect, it } from '@jest/globals';
import type { Question, Result } from '#controllers/application/evaluators/evaluator.js';
import { expressionEvaluator } from '#controllers/application/evaluators/expressions.js';
import type { ClusterView } from '#controllers/application/model/child/cluster.js';
import { groupRows, rowsOf } from '#controllers/application/model/status/rows.js';
import { nextStatus } from '#controllers/application/model/conclude.js';
import type { Child, Entry } from '#controllers/application/model/child/types.js';
import type { Outcome } from '#controllers/application/model/child/verdicts.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import { personalize } from '#controllers/application/values.js';
import type { Layer } from '#controllers/application/model/child/layers.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import {
  application,
  applied,
  NO_TEMPLATES,
  ops,
  reporting,
  well,
  type Deploy,
  planChildren,
} from './model/builders.js';
import { inventory, own, selecting } from './model/clusters/builders.js';

/** What users of other tools report; each title names where. */

const fleetOf = (count: number, labels: Record<string, string> = {}): Cluster[] =>
  Array.from({ length: count }, (_, index) => own(`c${index}`, { env: 'prod', ...labels }));

const { evaluate: expressions } = expressionEvaluator({ run: async (task, input) => task.run(input) });

type Rendered = Result<Layer>;

interface World {
  readonly entry: Deploy;
  readonly clusters: ClusterView;
  readonly owned?: readonly Child[];
  /** What the template of values renders to, or why not. */
  readonly render?: (cluster: Cluster) => Rendered;
}

const noTemplate = (): Rendered => ({ problem: 'there is none' });

/** A pass over one Application, as far as the children are planned. */
async function pass({ entry, clusters, owned = [], render = noTemplate }: World) {
  const app = application([entry]);
  const validation = validate(app, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
  if (validation === 'pending' || 'violation' in validation) throw new Error(JSON.stringify(validation));
  const makers = {
    evaluators: {
      templates: (questions: readonly Question<string>[]) =>
        Promise.resolve(questions.map(({ cluster }) => render(cluster))),
      expressions,
    },
    readReferences: () => Promise.resolve({}),
  };
  const { signal } = new AbortController();
  const { valid } = await personalize(validation, makers, { tenant: 'shop', signal });
  const names = new Set(owned.map(({ metadata }) => metadata.name));
  const seen = { application: app, owned, adoptable: [], complete: true, otherOwnerOf: () => undefined, clusters };
  const isTaken = (name: string): boolean => names.has(name);
  const rest = { lacksSecret: () => false, isTaken, chartOf: () => undefined, sourceOf: () => undefined };
  const timing = { unmatchedForMs: () => 1, delayMs: 0, nowMs: 0, revisions: undefined };
  const plan = planChildren({ ...seen, ...rest, ...timing }, valid);
  return { app, entries: valid.entries, ...plan };
}

async function childrenOf(world: World): Promise<Child[]> {
  return applied([], (await pass(world)).steps);
}

/** The status after a pass whose steps succeed. */
function statusAfter({ app, steps, rejected }: Awaited<ReturnType<typeof pass>>, children: readonly Child[]) {
  const byName = new Map(children.map((child) => [child.metadata.name, child]));
  const outcomes = steps.map((step): Outcome => {
    const live = 'live' in step ? step.live : undefined;
    const name = 'object' in step ? step.object.metadata.name : live?.metadata.name;
    return { step, child: byName.get(name ?? '') ?? live };
  });
  const rows = rowsOf({ outcomes, rejected });
  return nextStatus(app, { rejected: rejected.map(({ violation }) => violation), rows: groupRows(rows) }, 0);
}

const createdFor = ({ steps }: Awaited<ReturnType<typeof pass>>): (string | undefined)[] =>
  steps.flatMap((step) => (step.op === 'create' ? [step.entry.clusterName] : [])).sort();

describe('one bad cluster', () => {
  const clusters = inventory(fleetOf(5));

  it.each(['c0', 'c2', 'c4'])(
    "Fleet #5526, CAAPH's loop: a template of values that fails for %s rejects that cluster only, wherever it is",
    async (bad) => {
      const entry = selecting({ env: 'prod' }, [], {
        valuesTemplate: 'zone: {{ required "zone" .ClusterLabels.zone }}',
      });
      const render = ({ id }: Cluster): Rendered =>
        id.name === bad ? { problem: 'zone is needed' } : { values: { zone: 'a' } };
      const plan = await pass({ entry, clusters, render });
      expect(createdFor(plan)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4'].filter((name) => name !== bad));
      expect(plan.rejected.map(({ violation }) => violation.message)).toEqual([
        expect.stringMatching(new RegExp(`\\(cluster ${bad}\\)\\.valuesTemplate: zone is needed$`)),
      ]);
    },
  );

  it('Fleet #2943, #3277: a label that a cluster lacks rejects the cluster, not what the entry has elsewhere', async () => {
    const some = inventory([...fleetOf(3, { zone: 'a' }), own('bare', { env: 'prod' })]);
    const entry = selecting({ env: 'prod' }, [], { values: { zone: '${{ cluster.labels.zone }}' } });
    const plan = await pass({ entry, clusters: some });
    expect(createdFor(plan)).toEqual(['c0', 'c1', 'c2']);
    expect(plan.rejected[0]?.violation.message).toMatch(/\(cluster bare\)\.values\.zone: .*cluster\.labels\.zone/);
  });

  it('Fleet #594, #192: one that is not reachable keeps no other cluster waiting', async () => {
    const offline = own('c9', { env: 'prod' }, { readiness: { state: 'Unknown', message: 'no route' } });
    const plan = await pass({ entry: selecting({ env: 'prod' }), clusters: inventory([offline, ...fleetOf(2)]) });
    expect(createdFor(plan)).toEqual(['c0', 'c1', 'c9']);
  });

  it('dashboard #4681: its problem is that of its own row, and counted once', async () => {
    const entry = selecting({ env: 'prod' });
    const children = (await childrenOf({ entry, clusters })).map((child) =>
      child.metadata.labels?.['gitops.kubesphere.io/cluster-name'] === 'c3'
        ? reporting(child, 'False', 'InstallFailed', 'no such image')
        : well(child),
    );
    const { summary, destinations = [] } = statusAfter(await pass({ entry, clusters, owned: children }), children);
    expect(summary).toMatchObject({ desired: 5, ready: '4/5', states: { ready: 4, failed: 1 } });
    const told = destinations.filter(({ message = '' }) => message.includes('no such image'));
    expect(told.map(({ cluster }) => cluster)).toEqual(['c3']);
  });
});

describe('a cluster without labels', () => {
  const bare = own('bare', {});
  const entry: Deploy = {
    ...selecting({}, [], { valuesTemplate: 'name: {{ .ClusterName }}', values: { v: '${{ cluster.name }}' } }),
    destination: { targetNamespace: 'web', clusterRef: { kind: 'Secret', name: 'bare' } },
  };

  it("Fleet's preprocessHelmValues: has its template rendered and its expressions evaluated all the same", async () => {
    const render = ({ id }: Cluster): Rendered => ({ values: { ClusterName: id.name } });
    const { entries } = await pass({ entry, clusters: inventory([bare]), render });
    expect(entries.map(({ fields }) => fields['values'])).toEqual([{ ClusterName: 'bare', v: 'bare' }]);
  });
});

describe('values', () => {
  const valuesOn = (entries: readonly Entry[], name: string): unknown =>
    entries.find(({ clusterName }) => clusterName === name)?.fields['values'];
  const clusters = inventory([own('eu', { env: 'prod', region: 'eu' }), own('us', { env: 'prod', region: 'us' })]);

  const rows: Record<string, [entry: Partial<Deploy>, eu: object]> = {
    "Helmfile #2527, Fleet's OR of booleans: false of an override is false": [
      { values: { debug: true }, overrides: [{ clusters: { names: ['eu'] }, values: { debug: false } }] },
      { debug: false },
    ],
    'Helmfile #2281, #2353, #2451: lists replace lists, whole': [
      { values: { hosts: ['a', 'b', 'c'] }, overrides: [{ clusters: { names: ['eu'] }, values: { hosts: ['d'] } }] },
      { hosts: ['d'] },
    ],
    'Fleet #416: maps merge at every depth': [
      {
        values: { a: { b: { c: 1, d: 1 } } },
        overrides: [{ clusters: { names: ['eu'] }, values: { a: { b: { d: 2 } } } }],
      },
      { a: { b: { c: 1, d: 2 } } },
    ],
    'Fleet #543: what is for the cluster wins over the template, and the template over the entry': [
      {
        values: { from: 'entry', entry: true },
        valuesTemplate: 'from: template',
        overrides: [{ clusters: { names: ['eu'] }, values: { from: 'override' } }],
      },
      { from: 'override', entry: true, template: true },
    ],
    "Fleet's FirstMatch: all overrides that match are merged, in their order": [
      {
        values: { a: 0 },
        overrides: [
          { clusters: { selector: { matchLabels: { region: 'eu' } } }, values: { a: 1, b: 1 } },
          { clusters: { names: ['eu'] }, values: { b: 2 } },
        ],
      },
      { a: 1, b: 2 },
    ],
  };
  it.each(Object.entries(rows))('%s', async (_, [more, eu]) => {
    const render = (): Rendered => ({ values: { from: 'template', template: true } });
    const { entries } = await pass({ entry: selecting({ env: 'prod' }, [], more), clusters, render });
    // Values without anything to render are merged into the fields already.
    expect(valuesOn(entries, 'eu')).toEqual(eu);
  });

  it('Fleet #4210: what is said for one cluster reaches no other one', async () => {
    const overrides = [{ clusters: { names: ['eu'] }, namespaceLabels: { team: 'eu' }, values: { only: 'eu' } }];
    const { entries } = await pass({
      entry: selecting({ env: 'prod' }, [], { overrides, values: { a: 1 } }),
      clusters,
    });
    expect(valuesOn(entries, 'us')).toEqual({ a: 1 });
    const [us] = entries.filter(({ clusterName }) => clusterName === 'us');
    expect(JSON.stringify(us?.fields)).not.toContain('team');
  });
});

describe('many clusters', () => {
  it('roboll/helmfile #728, #1440: get one release name in one pass, each a child of its own', async () => {
    const { steps } = await pass({ entry: selecting({ env: 'prod' }), clusters: inventory(fleetOf(1_000)) });
    const objects = steps.flatMap((step) => (step.op === 'create' ? [step.object] : []));
    expect(new Set(objects.map(({ metadata }) => metadata.name)).size).toBe(1_000);
    expect(new Set(objects.map(({ spec }) => spec['releaseName']))).toEqual(new Set(['web']));
  });

  it('Fleet #3482, #4160: make no status that etcd refuses, and one that says what it leaves out', async () => {
    const world = { entry: selecting({ env: 'prod' }), clusters: inventory(fleetOf(2_000)) };
    const children = (await childrenOf(world)).map((child) =>
      reporting(child, 'False', 'InstallFailed', 'x'.repeat(3_000)),
    );
    const status = statusAfter(await pass({ ...world, owned: children }), children);
    expect(JSON.stringify(status).length).toBeLessThan(150_000);
    expect(status).toMatchObject({ truncated: true, summary: { desired: 2_000, states: { failed: 2_000 } } });
  });

  it("Fleet's nonReadyResources: the worst is found behind any number of others", async () => {
    const world = { entry: selecting({ env: 'prod' }), clusters: inventory(fleetOf(2_000)) };
    const children = (await childrenOf(world)).map((child, index) =>
      index === 1_999
        ? reporting(child, 'False', 'InstallFailed', 'the worst')
        : reporting(child, 'Unknown', 'Progressing'),
    );
    const status = statusAfter(await pass({ ...world, owned: children }), children);
    expect(status.destinations?.[0]).toMatchObject({ state: 'Failed' });
    expect(status.conditions?.find(({ type }) => type === 'Ready')?.message).toContain('the worst');
  });
});

describe('a change', () => {
  const clusters = inventory(fleetOf(3));

  it.each<[string, Partial<Deploy>]>([
    ['timeout', { timeout: '9m' }],
    ['install', { install: { createNamespace: true } }],
    ['upgrade', { upgrade: { remediation: { retries: 3 } } }],
    ['suspend', { suspend: true }],
    ['serviceAccountName', { serviceAccountName: 'deployer' }],
  ])("CAAPH's constructHelmReleaseProxy: of %s alone reaches the children that exist", async (field, more) => {
    const owned = await childrenOf({ entry: selecting({ env: 'prod' }), clusters });
    const { steps } = await pass({ entry: selecting({ env: 'prod' }, [], more), clusters, owned });
    expect(ops(steps)).toEqual(['update', 'update', 'update']);
    for (const step of steps) expect(step).toMatchObject({ why: expect.stringMatching(`^changed .*${field}`) });
  });

  it('CAAPH #196: a cluster that is not selected any more is in no count, and in no row once it is gone', async () => {
    const entry = selecting({ env: 'prod' });
    const owned = (await childrenOf({ entry, clusters })).map(well);
    const fewer = inventory([...fleetOf(3).slice(0, 2), own('c2', { env: 'test' })]);
    const leaving = await pass({ entry, clusters: fewer, owned });
    expect(ops(leaving.steps)).toEqual(['keep', 'keep', 'delete']);
    expect(statusAfter(leaving, owned).summary).toMatchObject({ desired: 2, ready: '2/2' });
    const left = owned.filter((child) => child.metadata.labels?.['gitops.kubesphere.io/cluster-name'] !== 'c2');
    const { destinations } = statusAfter(await pass({ entry, clusters: fewer, owned: left }), left);
    expect(destinations?.map(({ cluster }) => cluster)).toEqual(['c0', 'c1']);
  });
});
