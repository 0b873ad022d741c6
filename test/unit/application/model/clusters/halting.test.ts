import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import omit from 'lodash/omit.js';
import {
  ACCEPT_CLUSTER_UID_ANNOTATION,
  CLUSTER_ID_ANNOTATION,
  CLUSTER_UID_ANNOTATION,
  HALTED_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import {
  haltedIn,
  type Halting,
  haltsOf,
  isHalted,
  resumptionOf,
} from '#controllers/application/model/clusters/replaced.js';
import type { ClusterView } from '#controllers/application/model/child/cluster.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Plan } from '#controllers/application/model/decide.js';
import { decideDeletion } from '#controllers/application/model/decide-deletion.js';
import {
  application,
  deploy,
  leaving,
  NO_TEMPLATES,
  observed,
  reporting,
  suspended,
  well,
  decide,
  indexed,
} from '../builders.js';
import { inventory, own, toClusters } from './builders.js';

const ENTRY = toClusters({ clusterRef: { kind: 'Secret', name: 'eu' } });
const APP = application([ENTRY]);
const NO_ENTRY = application([deploy('elsewhere')]);

function viewOf(now: string | undefined, accepted?: string): ClusterView {
  const annotations = accepted === undefined ? {} : { [ACCEPT_CLUSTER_UID_ANNOTATION]: accepted };
  return inventory([own('eu', {}, { annotations })], { uidOf: () => now });
}

function planFor(app: typeof APP, owned: readonly Child[], clusters: ClusterView, isEngineExternal = false): Plan {
  const validation = validate(app, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
  if (validation === 'pending') throw new Error('there is no template');
  return decide({ ...observed(app, owned), validation, clusters, isEngineExternal });
}

function patched(child: Child, { change: { metadata, spec } }: Halting): Child {
  const annotations = { ...child.metadata.annotations, ...metadata.annotations };
  const kept = Object.entries(annotations).filter((pair): pair is [string, string] => pair[1] !== null);
  const { suspend, ...rest } = { ...child.spec, ...spec };
  return {
    ...child,
    metadata: { ...child.metadata, annotations: Object.fromEntries(kept) },
    spec: suspend === true ? { ...rest, suspend } : rest,
  };
}

/** As server-side apply would: what others wrote stays. */
function updated(live: Child, object: Child): Child {
  const annotations = { ...live.metadata.annotations, ...object.metadata.annotations };
  const { suspend } = { ...live.spec, ...object.spec };
  return {
    ...object,
    metadata: { ...object.metadata, annotations },
    spec: suspend === undefined ? object.spec : { ...object.spec, suspend },
  };
}

/** What the server holds after a plan: suspensions and resumptions come first. */
function after(owned: readonly Child[], { halting, steps }: Plan): Child[] {
  const children = new Map(owned.map((child) => [child.metadata.name, child]));
  for (const each of halting) children.set(each.live.metadata.name, patched(each.live, each));
  for (const step of steps) {
    if (step.op === 'create') children.set(step.object.metadata.name, step.object);
    if (step.op === 'update') children.set(step.object.metadata.name, updated(step.live, step.object));
    if (step.op === 'suspend') children.set(step.live.metadata.name, suspended(step.live));
    if (step.op === 'delete') children.delete(step.live.metadata.name);
  }
  return [...children.values()];
}

/** The child of the entry, made for the cluster with the UID a. */
function made(): Child {
  const [child] = after([], planFor(APP, [], viewOf('a')));
  return child!;
}

const opsOf = ({ halting, steps }: Plan) => [...halting.map(({ op }) => op), ...steps.map(({ op }) => op)];

describe('a child whose cluster is another one', () => {
  it('is suspended and otherwise left unchanged, which the Application reports with both UIDs', () => {
    const child = made();
    const plan = planFor(APP, [child], viewOf('b'));
    expect(opsOf(plan)).toEqual(['halt', 'wait']);
    expect(plan.finding.rejected).toEqual([
      {
        reason: 'ClusterReplaced',
        message: expect.stringMatching(/kube-system was a and is b; put the old kubeconfig/),
      },
    ]);
    const halted = after([child], plan)[0]!;
    expect(halted.spec.suspend).toBe(true);
    expect(isHalted(halted)).toBe(true);
    expect(halted.metadata.annotations?.[CLUSTER_UID_ANNOTATION]).toBe('a');
    const edited = application([{ ...ENTRY, interval: '7m' }]);
    for (const view of [viewOf('b'), viewOf(undefined)])
      expect(opsOf(planFor(edited, [halted], view))).toEqual(['wait']);
  });

  it('has its desired state first, and is resumed then, with the UID of the cluster that is accepted', () => {
    const halted = after([made()], planFor(APP, [made()], viewOf('b')));
    const edited = application([{ ...ENTRY, interval: '7m' }]);
    const accepted = viewOf('b', 'b');
    const first = planFor(edited, halted, accepted);
    expect(opsOf(first)).toEqual(['update']);
    const [written] = first.steps;
    const object = written?.op === 'update' ? written.object : undefined;
    expect(object?.metadata.annotations?.[CLUSTER_UID_ANNOTATION]).toBe('b');
    const back = planFor(APP, halted, viewOf('a'));
    expect(opsOf(back)).toEqual(['resume', 'keep']);
    const [resumed] = after(halted, back);
    expect(resumed?.spec.suspend).toBeUndefined();
    expect(opsOf(planFor(APP, [resumed!], viewOf('a')))).toEqual(['keep']);
  });

  it('is resumed before it is deleted, so that its release is uninstalled', () => {
    const [halted] = after([made()], planFor(APP, [made()], viewOf('b')));
    expect(opsOf(planFor(NO_ENTRY, [halted!], viewOf('b')))).toEqual(['create', 'spare']);
    const back = planFor(NO_ENTRY, [halted!], viewOf('a'));
    expect(opsOf(back)).toEqual(['resume', 'create', 'spare']);
    expect(opsOf(planFor(NO_ENTRY, after([halted!], back), viewOf('a')))).toContain('delete');
  });

  it('is deleted without an uninstall if its cluster is not in the inventory any more', () => {
    const [halted] = after([made()], planFor(APP, [made()], viewOf('b')));
    expect(opsOf(planFor(NO_ENTRY, [halted!], inventory([])))).toEqual(['create', 'delete']);
  });

  it('is suspended also if the Application as a whole is invalid', () => {
    const invalid = application([]);
    expect(opsOf(planFor(invalid, [made()], viewOf('b')))).toEqual(['halt']);
  });

  it('stays suspended for other reasons: by its entry, before its removal, or as it was installed once', () => {
    const child = made();
    const halt = haltsOf({ owned: [child], clusters: indexed(viewOf('b')) });
    expect(haltedIn(halt)).toEqual(new Set([child]));
    const [halted] = [patched(child, halt[0]!)];
    const once = { 'gitops.kubesphere.io/installed-once': '1' };
    const unmanaged = {
      ...halted,
      metadata: { ...halted.metadata, annotations: { ...halted.metadata.annotations, ...once } },
    };
    const specOf = (live: Child, desired?: Child) => resumptionOf(live, desired, indexed(viewOf('a')))?.change.spec;
    expect(specOf(halted)).toEqual({ suspend: null });
    expect(specOf(halted, { ...child, spec: { ...child.spec, suspend: true } })).toBeUndefined();
    expect([specOf(suspended(halted)), specOf(unmanaged)]).toEqual([undefined, undefined]);
    expect(haltsOf({ owned: [suspended(child)], clusters: indexed(viewOf('b')) })).toEqual([]);
  });

  it('is suspended while it is being deleted only if Flux is the engine', () => {
    const owned = [leaving(made())];
    expect(haltsOf({ owned, clusters: indexed(viewOf('b')) })).toEqual([]);
    expect(haltsOf({ owned, clusters: indexed(viewOf('b')), isEngineExternal: true })).toHaveLength(1);
  });
});

describe('a child that is being deleted on a cluster that another one took the place of', () => {
  const uidAfter = ({ halting }: Plan) =>
    halting.map(({ op, change }) => [op, change.metadata.annotations[CLUSTER_UID_ANNOTATION], change.spec]);
  const recorded = [['record', 'b', undefined]];

  it.each<[string, accepted: string | undefined, expected: object]>([
    ['waits until that is accepted', undefined, []],
    ['gets the UID that is accepted, so that its removal ends', 'b', recorded],
    ['waits if another one is accepted', 'c', []],
  ])('%s', (_title, accepted, expected) => {
    const owned = [leaving(made())];
    for (const app of [APP, NO_ENTRY]) expect(uidAfter(planFor(app, owned, viewOf('b', accepted)))).toEqual(expected);
    const clusters = indexed(viewOf('b', accepted));
    expect(uidAfter(decideDeletion(APP, owned, { clusters }))).toEqual(expected);
    // The other one is written once more.
    expect(uidAfter(decideDeletion(APP, [made()], { clusters }))).toEqual(accepted === 'b' ? [] : [expect.anything()]);
  });

  it('gets nothing while an entry has its release under another name of the cluster', () => {
    const clusters = inventory([own('eu', {}, { annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: 'b' } }), own('us')], {
      uidOf: () => 'b',
    });
    const us = application([toClusters({ clusterRef: { kind: 'Secret', name: 'us' } })]);
    expect(uidAfter(planFor(us, [leaving(made())], clusters))).toEqual([]);
  });
});

describe('an entry without a child, for a cluster that another one took the place of', () => {
  const ONCE = 'gitops.kubesphere.io/installed-once';
  /** The new release can't continue the old child. */
  const OTHER = toClusters({ clusterRef: { kind: 'Secret', name: 'eu' } }, { releaseName: 'other', name: 'other' });
  const moved = application([OTHER]);
  const uidIn = ({ steps }: Plan) =>
    steps.flatMap((step) => (step.op === 'create' ? [step.object.metadata.annotations?.[CLUSTER_UID_ANNOTATION]] : []));
  const changed = (child: Child, annotations: Record<string, string>, spec: object = {}): Child => ({
    ...child,
    metadata: { ...child.metadata, annotations: { ...child.metadata.annotations, ...annotations } },
    spec: { ...child.spec, ...spec },
  });
  const both = application([ENTRY, OTHER]);
  const once = application([{ ...ENTRY, mode: 'Once' }, OTHER]);
  const installed = (): Child => well(changed(made(), { [ONCE]: '1' }, { suspend: true }));

  it('waits until the old child is resumed and gone, however the cluster came back', () => {
    const [halted] = after([made()], planFor(moved, [made()], viewOf('b')));
    for (const view of [viewOf('b', 'b'), viewOf('a')]) {
      const first = planFor(moved, [halted!], view);
      expect(opsOf(first)).toEqual(['resume', 'wait', 'spare']);
      const second = planFor(moved, after([halted!], first), view);
      expect(opsOf(second)).toEqual(opsOf(planFor(moved, [made()], viewOf('a'))));
    }
  });

  it('is not for the host because it lost its selector', () => {
    const selector = { clusterSelector: { matchLabels: { env: 'prod' } } };
    const view = (now: string) => inventory([own('eu', { env: 'prod' })], { uidOf: () => now });
    const children = after([], planFor(application([toClusters(selector)]), [], view('a')));
    const host = application([deploy('web'), OTHER]);
    const plan = planFor(host, children, view('b'));
    expect(opsOf(plan)).toEqual(['halt', 'wait', 'wait', 'spare']);
    expect(plan.steps[0]?.why).toContain('is not removed yet');
  });

  it('is told by a child that it does not own yet', () => {
    const validation = validate(
      both,
      { templates: NO_TEMPLATES, clusters: viewOf('b') },
      { allowCrossNamespace: false },
    );
    if (validation === 'pending') throw new Error('there is no template');
    const child = made();
    const unowned = { ...child, metadata: omit(child.metadata, 'ownerReferences') };
    const seen = { ...observed(both, []), adoptable: [unowned] };
    const plan = decide({ ...seen, validation, clusters: viewOf('b') });
    expect(opsOf(plan)).toEqual(['wait', 'wait']);
  });

  it('goes on with the UID that was accepted, which a child that was installed once gets, too', () => {
    expect(opsOf(planFor(once, [installed()], viewOf('b')))).toEqual(['wait', 'wait']);
    const accepted = planFor(once, [installed()], viewOf('b', 'b'));
    expect(opsOf(accepted)).toEqual(['record', 'keep', 'create']);
    const children = after([installed()], accepted);
    expect(children[0]?.spec.suspend).toBe(true);
    // Nobody has to keep the acceptance.
    expect(opsOf(planFor(once, children, viewOf('b')))).toEqual(['keep', 'keep']);
  });

  it('gets the UID that the others have, while nothing answers', () => {
    expect(uidIn(planFor(once, [installed()], viewOf(undefined)))).toEqual(['a']);
    expect(uidIn(planFor(both, [changed(made(), {}, { suspend: true })], viewOf(undefined)))).toEqual(['a']);
    expect(uidIn(planFor(both, [made()], viewOf('a')))).toEqual(['a']);
  });
});

describe('the row of a child whose cluster is another one', () => {
  const REPLACED = { object: { kind: 'Secret', namespace: 'shop', name: 'eu' }, recorded: 'a', found: 'b' };
  const shown = (plan: Plan) => {
    const outcomes = plan.steps.map((step) => ({ step, child: 'live' in step ? step.live : undefined }));
    return plan.rowsAfter(outcomes)?.map(({ replaced }) => replaced);
  };
  const annotated = (annotations: Record<string, string>): Child => {
    const { metadata, ...rest } = made();
    return { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
  };

  interface Case {
    readonly app?: typeof APP;
    readonly child?: Child;
    readonly view?: ClusterView;
  }

  it.each<[string, Case, object | undefined]>([
    ['has both UIDs and the object', {}, REPLACED],
    ['has them without an entry', { app: NO_ENTRY }, REPLACED],
    ['has them while the Application is invalid', { app: application([]) }, REPLACED],
    ['has nothing once it is accepted', { view: viewOf('b', 'b') }, undefined],
    ['has them although another one is accepted', { view: viewOf('b', 'c') }, REPLACED],
    [
      'has nothing while nothing answered',
      { child: annotated({ [HALTED_ANNOTATION]: 'x' }), view: viewOf(undefined) },
      undefined,
    ],
    ['says what answers, whatever somebody wrote', { child: annotated({ [HALTED_ANNOTATION]: 'x' }) }, REPLACED],
    [
      'cuts what somebody recorded',
      { child: annotated({ [CLUSTER_UID_ANNOTATION]: 'r'.repeat(100_000) }) },
      { ...REPLACED, recorded: 'r'.repeat(64) },
    ],
    ['has no text that is no UID', { view: viewOf('b'.repeat(65)) }, undefined],
    ['has no empty one', { view: viewOf('') }, undefined],
  ])('%s', (_, { app = APP, child = made(), view = viewOf('b') }, replaced) => {
    expect(shown(planFor(app, [child], view))?.slice(-1)).toEqual([replaced]);
  });

  it('has no cluster that somebody wrote on the child, and to which its entry does not lead', () => {
    const view = inventory([own('eu'), own('us')], { uidOf: () => 'b' });
    const forged = annotated({ [CLUSTER_ID_ANNOTATION]: '/Secret/shop/us' });
    expect(shown(planFor(APP, [forged], view))?.every((replaced) => replaced === undefined)).toBe(true);
    // Of another namespace, also where there is no entry.
    const others = { ...own('eu'), id: { ...own('eu').id, namespace: 'fleet' } };
    const foreign = annotated({ [CLUSTER_ID_ANNOTATION]: '/Secret/fleet/eu', [HALTED_ANNOTATION]: 'b' });
    const known = inventory([others], { uidOf: () => 'b' });
    expect(shown(planFor(NO_ENTRY, [foreign], known))).toEqual([undefined]);
  });

  it('has them while the Application is being deleted', () => {
    expect(shown(decideDeletion(APP, [made()], { clusters: indexed(viewOf('b')) }))).toEqual([REPLACED]);
  });
});

describe('the deletion of an Application', () => {
  const abandoning = { ...APP, metadata: { ...APP.metadata, annotations: { 'gitops.kubesphere.io/abandon': 'eu' } } };
  const deletion = (child: Child, clusters: ClusterView, app = APP) =>
    decideDeletion(app, [child], { clusters: indexed(clusters) });

  it('waits for the right cluster, and says how to go on', () => {
    const child = made();
    const plan = deletion(child, viewOf('b'));
    expect(opsOf(plan)).toEqual(['halt']);
    expect(plan.finding.missing?.message).toMatch(/cluster eu was replaced: .* add eu to the annotation .*abandon/);
    expect(plan.rowsAfter([])?.[0]?.message).toMatch(/was a and is b/);
    const [halted] = after([child], plan);
    for (const view of [viewOf('b'), viewOf(undefined)]) expect(opsOf(deletion(halted!, view))).toEqual([]);
    const back = deletion(halted!, viewOf('a'));
    expect(opsOf(back)).toEqual(['resume']);
    expect(opsOf(deletion(after([halted!], back)[0]!, viewOf('a')))).toEqual(['delete']);
  });

  it('leaves what an abandoned cluster has: the child is suspended before it is deleted', () => {
    const first = deletion(made(), viewOf('b'), abandoning);
    expect(opsOf(first)).toEqual(['halt']);
    const [halted] = after([made()], first);
    const [step] = deletion(halted!, viewOf('b'), abandoning).steps;
    expect(step).toMatchObject({ op: 'delete', live: { spec: { suspend: true } } });
  });
});

describe('whatever happens to clusters', () => {
  const event = fc.oneof(
    fc.record({ type: fc.constant('probed' as const), uid: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ type: fc.constant('accept' as const), uid: fc.constantFrom('a', 'b', 'c', undefined) }),
    fc.record({ type: fc.constant('edit' as const), interval: fc.constantFrom('1m', '2m') }),
    fc.record({ type: fc.constant('entry' as const), isThere: fc.boolean() }),
    fc.constant({ type: 'restart' as const }),
    fc.constant({ type: 'report' as const }),
  );

  /** Passes, and what the world was for each. */
  class Story {
    children: readonly Child[] = [];
    #entries = [ENTRY];
    #isThere = true;
    /** What the process knows. */
    #now: string | undefined;
    #accepted: string | undefined;
    /** The last cluster that answered, whatever the process remembers. */
    #last: string | undefined;

    happen(each: typeof event extends fc.Arbitrary<infer T> ? T : never): void {
      if (each.type === 'probed') this.#now = this.#last = each.uid;
      if (each.type === 'accept') this.#accepted = each.uid;
      if (each.type === 'edit') this.#entries = [{ ...ENTRY, interval: each.interval }];
      if (each.type === 'entry') this.#isThere = each.isThere;
      if (each.type === 'restart') this.#now = undefined;
      if (each.type === 'report')
        this.children = this.children.map((child) => (child.spec.suspend === true ? child : well(child)));
    }

    /** True for a child whose cluster was another one when it was seen last; before that nobody could know. */
    #isElsewhere(child: Child): boolean {
      const recorded = child.metadata.annotations?.[CLUSTER_UID_ANNOTATION];
      if (recorded === undefined || this.#last === undefined || recorded === this.#last) return false;
      const wasTold = this.#now !== undefined || isHalted(child);
      return wasTold && (this.#accepted !== this.#last || this.#now === undefined);
    }

    pass(): void {
      const app = this.#isThere ? application(this.#entries) : NO_ENTRY;
      const plan = planFor(app, this.children, viewOf(this.#now, this.#accepted));
      const elsewhere = this.children.filter((child) => this.#isElsewhere(child));
      const touched = plan.steps.flatMap((step) =>
        'live' in step && step.live !== undefined && !['wait', 'keep', 'spare'].includes(step.op) ? [step.live] : [],
      );
      expect(touched.filter((child) => elsewhere.includes(child))).toEqual([]);
      const names = elsewhere.map(({ metadata }) => metadata.name);
      this.children = after(this.children, plan);
      const there = this.children.filter(({ metadata }) => names.includes(metadata.name));
      expect(there.map(({ spec }) => spec.suspend)).toEqual(names.map(() => true));
    }

    /** The cluster that the child is for answers, and its entry is there. */
    settle(): Child[] {
      this.#isThere = true;
      this.#now = this.children[0]?.metadata.annotations?.[CLUSTER_UID_ANNOTATION] ?? 'a';
      this.#last = this.#now;
      for (let turn = 0; turn < 4; turn += 1) this.pass();
      return [...this.children];
    }
  }

  it('nothing is done for a child whose cluster is another one, and each goes on with its own', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 25 }), (events) => {
        const story = new Story();
        for (const each of events) {
          story.happen(each);
          story.pass();
        }
        const [child, ...others] = story.settle();
        expect(others).toEqual([]);
        expect([child?.spec.suspend, isHalted(child!)]).toEqual([undefined, false]);
      }),
      { numRuns: 300 },
    );
  });

  it('reports of the engine change nothing of that', () => {
    const child = reporting(made(), 'False', 'ClusterReplaced');
    expect(opsOf(planFor(APP, [child], viewOf('b')))).toEqual(['halt', 'wait']);
  });
});
