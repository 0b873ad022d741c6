import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import {
  APPLICATION_UID_LABEL,
  HOLDER_ANNOTATION,
  INSTALLED_ONCE_ANNOTATION as INSTALLED,
  SUSPENDED_FOR_REMOVAL_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import { decideDeletion } from '#controllers/application/model/decide-deletion.js';
import { handOver, resumption, unmanagement } from '#controllers/application/model/child/metadata.js';
import { stateOf } from '#controllers/application/model/children/state.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import {
  NO_CLUSTERS,
  application,
  applied,
  deploy,
  files,
  filesApplication,
  NO_TEMPLATES,
  observed,
  ops,
  reporting,
  suspended,
  well,
  work,
  type Deploy,
  decide,
  indexed,
} from './builders.js';
import { inventory, own, selecting } from './clusters/builders.js';

const once = (more: Partial<Deploy> = {}): Application =>
  application([deploy('prod', 'eu', { mode: 'Once', ...more })]);
const continuous = (more: Partial<Deploy> = {}): Application => once({ mode: 'Continuous', ...more });

function patched(child: Child, { metadata, spec }: ReturnType<typeof unmanagement>): Child {
  const annotations: Record<string, string | null> = { ...child.metadata.annotations, ...metadata.annotations };
  const kept = Object.entries(annotations).filter((each): each is [string, string] => each[1] !== null);
  const generation = (child.metadata.generation ?? 0) + 1;
  const changed = { ...child.metadata, generation, annotations: Object.fromEntries(kept) };
  return { ...child, metadata: changed, spec: { ...child.spec, ...spec } };
}

function made(app = once()): Child {
  const [child] = applied([], work(app).steps);
  if (child === undefined) throw new Error('no child was made');
  return child;
}

const history = [{ name: 'web', chartVersion: '6.5.0', version: 1, status: 'deployed' }];
const installed = (app = once()): Child => well({ ...made(app), status: { history } });
const unmanaged = (): Child => patched(installed(), unmanagement(installed()));

describe('an entry with the mode Once, as Omni one-time and CAAPH InstallOnce', () => {
  it('is installed, and then suspended by one write that records the revision', () => {
    const live = installed();
    const { steps } = work(once(), [live]);
    expect(ops(steps)).toEqual(['unmanage']);
    expect(unmanagement(live)).toEqual({
      metadata: { annotations: { [INSTALLED]: '6.5.0' } },
      spec: { suspend: true },
    });
    expect(ops(work(once(), [unmanaged()]).steps)).toEqual(['keep']);
  });

  it.each<[string, string, Child]>([
    ['before its first report', 'update', made()],
    ['while its first installation runs', 'update', reporting(made(), 'Unknown', 'Progressing')],
    ['whose first installation failed', 'update', reporting(made(), 'False', 'InstallFailed')],
    [
      'whose success is of an older generation',
      'update',
      { ...installed(), metadata: { ...made().metadata, generation: 2 } },
    ],
    ['that is installed, and not suspended yet', 'unmanage', installed()],
    ['that is installed', 'keep', unmanaged()],
    ['that a backup restored without its status', 'keep', { ...unmanaged(), status: {} }],
    ['that its user resumed', 'unmanage', { ...unmanaged(), spec: made().spec }],
  ])('an edit of one %s: %s', (_, op, child) => {
    const edited = once({ values: { replicas: 2 }, interval: '5m' });
    expect(ops(work(edited, [child]).steps)).toEqual([op]);
  });

  it.each<[string, Partial<Deploy>]>([
    ['its values', { values: { replicas: 3 } }],
    ['its name', { name: 'cni' }],
    ['whether it is suspended', { suspend: true }],
  ])('an edit of %s changes nothing once it is installed', (_, change) => {
    const { steps } = work(once(change), [unmanaged()]);
    expect(ops(steps)).toEqual(['keep']);
  });

  it('is managed again with the mode Continuous, and left alone again with Once', () => {
    const live = unmanaged();
    const { steps } = work(continuous({ values: { replicas: 3 } }), [live]);
    expect(steps).toMatchObject([
      { op: 'update', why: 'managed again', object: { spec: { values: { replicas: 3 } } } },
    ]);
    const [step] = steps;
    if (step?.op !== 'update') throw new Error('no update');
    expect(step.object.spec.suspend).toBeUndefined();
    expect(resumption(live, step.object)).toEqual({
      metadata: { annotations: { [INSTALLED]: null } },
      spec: { suspend: null },
    });
    expect(ops(work(continuous(), [installed(continuous())]).steps)).toEqual(['keep']);
    expect(ops(work(once(), [installed(continuous())]).steps)).toEqual(['unmanage']);
  });

  it('stays installed where an override says Once, although the label of the cluster flaps', () => {
    const app = (overrides: NonNullable<Deploy['overrides']>): Application =>
      application([selecting({ env: 'prod' }, [], { values: { replicas: 2 }, overrides })]);
    const gold = { clusters: { selector: { matchLabels: { tier: 'gold' } } }, mode: 'Once' } as const;
    const steps = (wanted: Application, labels: Record<string, string>, live?: Child) => {
      const clusters = inventory([own('eu', { env: 'prod', ...labels })]);
      const validation = validate(wanted, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
      if (validation === 'pending' || 'violation' in validation) throw new Error('it is valid');
      const seen = { ...observed(wanted, live === undefined ? [] : [live]), validation, clusters };
      return decide(seen).steps;
    };
    const [created] = applied([], steps(app([gold]), { tier: 'gold' }));
    if (created === undefined) throw new Error('no child was made');
    const ready = well({ ...created, status: { history } });
    const left = patched(ready, unmanagement(ready));
    expect(ops(steps(app([gold]), {}, left))).toEqual(['keep']);
    expect(ops(steps(app([gold]), {}, ready))).toEqual(['unmanage']);
    const edited = application([selecting({ env: 'prod' }, [], { values: { replicas: 3 }, overrides: [gold] })]);
    expect(ops(steps(edited, {}, left))).toEqual(['keep']);
    // Somebody says that it is to be managed again.
    const silver = { clusters: { selector: { matchLabels: { tier: 'silver' } } }, mode: 'Continuous' } as const;
    expect(ops(steps(app([]), {}, left))).toEqual(['update']);
    expect(ops(steps(app([gold, silver]), { tier: 'silver' }, left))).toEqual(['update']);
  });

  it('keeps what it installed when an Application of a new UID adopts it', () => {
    const app = once({ values: { replicas: 3 } });
    const restored = { ...app, metadata: { ...app.metadata, uid: 'uid-2' } };
    for (const live of [installed(), unmanaged()]) {
      const { steps } = work(restored, [], { adoptable: [live] });
      expect(steps).toMatchObject([{ op: 'update', why: 'taken over', isAdoption: true }]);
      const [step] = steps;
      if (step?.op !== 'update') throw new Error('no update');
      expect(step.object.spec).toEqual(live.spec);
      expect(resumption(live, step.object)).toBeUndefined();
    }
  });

  it('has no owner that Kubernetes could collect it with once it is left alone', () => {
    const live = installed();
    const { metadata, spec } = handOver(live);
    expect(spec).toEqual({ suspend: true });
    expect(metadata).toMatchObject({
      ownerReferences: [],
      annotations: { [INSTALLED]: '6.5.0', [HOLDER_ANNOTATION]: 'web' },
      labels: { [APPLICATION_UID_LABEL]: 'uid-1' },
    });
    const left = { ...patched(live, unmanagement(live)) };
    const annotations = { ...left.metadata.annotations, [HOLDER_ANNOTATION]: 'web' };
    const held = { ...left, metadata: { ...left.metadata, annotations, ownerReferences: [] } };
    expect(ops(work(once({ values: { replicas: 3 } }), [held]).steps)).toEqual(['keep']);
    // One of an older version keeps its owner: nothing is written for that.
    expect(ops(work(once(), [left]).steps)).toEqual(['keep']);
    expect(handOver(held).metadata).toEqual(unmanagement(held).metadata);
    // Whoever adopts it holds it in the same way.
    const restored = { ...once(), metadata: { ...once().metadata, uid: 'uid-2' } };
    for (const child of [held, left]) {
      const [step] = work(restored, [], { adoptable: [child] }).steps;
      if (step?.op !== 'update') throw new Error('no update');
      expect(step.object.metadata.ownerReferences).toBeUndefined();
      expect(step.object.metadata.annotations?.[HOLDER_ANNOTATION]).toBe('web');
    }
    const [managed] = work(continuous(), [held]).steps;
    expect(managed).toMatchObject({ op: 'update', why: 'managed again', isAdoption: false });
    if (managed?.op !== 'update') throw new Error('no update');
    expect(managed.object.metadata.ownerReferences).toHaveLength(1);
  });

  it.each<[string, Deploy]>([
    ['another release name', deploy('prod', 'eu', { mode: 'Once', releaseName: 'other' })],
    ['another namespace', deploy('other', 'eu', { mode: 'Once' })],
  ])('is not installed beside what it installed, with %s', (_, changed) => {
    const left = unmanaged();
    const { steps } = work(application([changed]), [left]);
    expect(steps).toMatchObject([
      { op: 'wait', hold: 'Release', why: expect.stringContaining('nothing is installed next to it') },
      { op: 'spare', hold: 'Removal', why: expect.stringContaining('is new, with the mode Once, and may refer to it') },
    ]);
    // Its user deleted the record, as the message says.
    expect(ops(work(application([changed])).steps)).toEqual(['create']);
    // A second entry, one on another cluster, and one that is managed are no other name of it.
    expect(
      ops(work(application([...once().spec.fluxApp!.spec.config.helmRelease!.deploy, changed]), [left]).steps),
    ).toEqual(['keep', 'create']);
    const elsewhere = { ...changed, destination: deploy(changed.destination!.targetNamespace!, 'us').destination };
    expect(ops(work(application([elsewhere as Deploy]), [left]).steps)).toEqual(['create', 'delete']);
    expect(ops(work(application([{ ...changed, mode: 'Continuous' }]), [left]).steps)).toEqual(['wait', 'delete']);
  });

  it('is named with what its entry says now, which is not installed', () => {
    const entry = (more: Partial<Deploy>) =>
      application([deploy('prod', 'eu', { mode: 'Once', name: 'cni', ...more })]);
    const left = patched(installed(entry({})), unmanagement(installed(entry({}))));
    const planned = (more: Partial<Deploy>) => decide(observed(entry(more), [left]));
    expect(ops(planned({ releaseName: 'other' }).steps)).toEqual(['keep']);
    expect(planned({ releaseName: 'other' }).finding.warnings).toEqual([
      `spec.fluxApp.spec.config.helmRelease.deploy[0]: it was installed once as release prod/web on eu, and release other in namespace prod is not installed: to install that, too, delete HelmRelease shop/${left.metadata.name}; what it installed stays`,
    ]);
    expect(planned({ values: { replicas: 3 } }).finding.warnings).toEqual([]);
  });

  it('is not installed beside what its selector installed, but is where another selector matches', () => {
    const eu = (of: string) => inventory([own('eu', { of })]);
    const steps = (deployed: Deploy[], of: string, live?: Child) => {
      const app = application(deployed);
      const clusters = eu(of);
      const validation = validate(app, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
      if (validation === 'pending' || 'violation' in validation) throw new Error('it is valid');
      return decide({ ...observed(app, live === undefined ? [] : [live]), validation, clusters }).steps;
    };
    const first = selecting({ of: 'a' }, [], { mode: 'Once' });
    const second = selecting({ of: 'b' }, [], { mode: 'Once', releaseName: 'b' });
    const [created] = applied([], steps([first, second], 'a'));
    const ready = well({ ...created!, status: { history } });
    const left = patched(ready, unmanagement(ready));
    expect(ops(steps([{ ...first, releaseName: 'other' }], 'a', left))).toEqual(['wait', 'spare']);
    expect(ops(steps([first, second], 'b', left))).toEqual(['create', 'spare']);
    // An entry for the host does not wait for what stays for another entry, unless it is the one that made it.
    const other = { ...first, releaseName: 'other' };
    expect(ops(steps([other, deploy('db')], 'a', left))).toEqual(['wait', 'create', 'spare']);
    expect(ops(steps([other, deploy('web', undefined, { mode: 'Once' })], 'a', left))).toEqual([
      'wait',
      'wait',
      'spare',
    ]);
  });

  it('is installed once more if somebody deletes its child', () => {
    expect(ops(work(once()).steps)).toEqual(['create']);
  });

  const QUIETLY = 'deleted, nothing is uninstalled';
  it.each<[string, string[], Child]>([
    ['that is installed', [QUIETLY], unmanaged()],
    ['that is installed and that its user resumed', ['suspend', QUIETLY], { ...unmanaged(), spec: made().spec }],
    ['that is installed, and not suspended yet', ['suspend', QUIETLY], installed()],
    ['that fails', ['deleted and uninstalled'], reporting(made(), 'False', 'InstallFailed')],
  ])('without its entry or its Application, a child %s is %j', (_, expected, live) => {
    const passes = (plan: (child: Child) => readonly Step[]): string[] => {
      const seen: string[] = [];
      for (let child: Child | undefined = live; child !== undefined;) {
        const step: Step | undefined = plan(child).find((each) => each.op === 'suspend' || each.op === 'delete');
        if (step?.op !== 'delete') seen.push(step?.op ?? 'nothing');
        else seen.push(step.live.spec.suspend === true ? QUIETLY : 'deleted and uninstalled');
        child = step?.op === 'suspend' ? suspended(step.live) : undefined;
      }
      return seen;
    };
    expect(passes((child) => work(application([deploy('other')]), [child]).steps)).toEqual(expected);
    expect(passes((child) => decideDeletion(once(), [child], { clusters: indexed(NO_CLUSTERS) }).steps)).toEqual(
      expected,
    );
  });

  it('stays installed if it is needed again while it is being removed', () => {
    const going = { ...suspended(unmanaged()) };
    const { steps } = work(once({ values: { replicas: 3 } }), [going]);
    expect(ops(steps)).toEqual(['unmanage']);
    expect(unmanagement(going).metadata.annotations).toEqual({
      [INSTALLED]: '6.5.0',
      [SUSPENDED_FOR_REMOVAL_ANNOTATION]: null,
    });
  });

  it('is the same for files', () => {
    const app = (mode: 'Once' | 'Continuous', path: string) => filesApplication([files('prod', 'eu', { mode, path })]);
    const [child] = applied([], work(app('Once', './a')).steps);
    const live = well({ ...child!, status: { lastAppliedRevision: 'main@sha1:1' } });
    expect(ops(work(app('Once', './a'), [live]).steps)).toEqual(['unmanage']);
    const left = patched(live, unmanagement(live));
    expect(left.metadata.annotations?.[INSTALLED]).toBe('main@sha1:1');
    expect(ops(work(app('Once', './b'), [left]).steps)).toEqual(['keep']);
    expect(ops(work(app('Continuous', './b'), [left]).steps)).toEqual(['update']);
  });

  it('is Unmanaged, unless its entry is rejected or it could not be written', () => {
    const facts = { child: unmanaged(), rejected: false, writeFailed: false };
    expect(stateOf(facts)).toBe('Unmanaged');
    expect(stateOf({ ...facts, rejected: true })).toBe('Stalled');
    expect(stateOf({ ...facts, child: suspended(unmanaged()) })).toBe('Suspended');
    expect(stateOf({ ...facts, writeFailed: true })).not.toBe('Unmanaged');
  });
});
