import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit.js';
import type { Application } from '#api/v1alpha1/application.js';
import {
  APPLICATION_REVISION,
  CLUSTER_UID_ANNOTATION,
  HOLDER_ANNOTATION,
  INSTALLED_ONCE_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import type { ClusterView } from '#controllers/application/model/child/cluster.js';
import { defined } from '#lib/plain.js';
import { isLeftAlone } from '#controllers/application/model/child/metadata.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import { withMovedRecords } from '#controllers/application/model/clusters/moved-records.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import {
  application,
  decideApproved,
  entriesOf,
  files,
  filesApplication,
  indexed,
  leaving,
  NO_TEMPLATES,
  observed,
  suspended,
  type Deploy,
} from '../builders.js';
import { inventory, own, selecting, toClusters } from './builders.js';

const PROD = { env: 'prod' };
const once = (more: Partial<Deploy> = {}): Deploy => selecting(PROD, undefined, { mode: 'Once', ...more });
const named = (name: string, more: Partial<Deploy> = {}): Deploy =>
  toClusters({ clusterRef: { kind: 'Secret', name } }, { mode: 'Once', ...more });
const filesOn = (name: string): Application =>
  filesApplication([
    files(undefined, undefined, { mode: 'Once', destination: { clusterRef: { kind: 'Secret', name } } }),
  ]);

const viewOf = (names: readonly string[], uids: Readonly<Record<string, string>>, more: Partial<ClusterView> = {}) =>
  inventory(
    names.map((name) => own(name, PROD)),
    { uidOf: (id) => uids[id.split('/').at(-1) ?? ''], ...more },
  );

/** The child on a cluster, as it was installed once. `clusterUid`: undefined if none is recorded. */
function installed(app: Application, cluster = 'eu', clusterUid: string | undefined = 'a'): Child {
  const [entry] = entriesOf(app, viewOf([cluster], {}));
  const { object } = desiredChild(app, entry!, undefined);
  const record = { ...defined({ [CLUSTER_UID_ANNOTATION]: clusterUid }), [INSTALLED_ONCE_ANNOTATION]: '6.5.0' };
  const annotations = { ...object.metadata.annotations, ...record };
  return suspended({ ...object, metadata: { ...object.metadata, uid: `old-${cluster}`, annotations } });
}

function planned(app: Application, owned: readonly Child[], clusters: ClusterView): readonly Step[] {
  const validation = validate(app, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
  if (validation === 'pending') throw new Error('there is no template');
  return decideApproved({ ...observed(app, owned), validation, clusters }).steps;
}

/** The only child that the steps create. */
function createdBy(steps: readonly Step[]): Child {
  const [object, ...others] = steps.flatMap((step) => (step.op === 'create' ? [step.object] : []));
  if (object === undefined || others.length > 0) throw new Error('not one child is created');
  return object;
}

const before = application([once()]);
const later = application([once({ values: { color: 'green' } })]);
const renamed = viewOf(['eux'], { eux: 'a' });

describe('what was installed once on a cluster that gets another name', () => {
  it('is not installed again: its record gets the name', () => {
    const old = installed(before);
    const steps = planned(later, [old], renamed);
    const record = createdBy(steps);
    expect(isLeftAlone(record)).toBe(true);
    expect(record.spec).toEqual({ ...old.spec, kubeConfig: { secretRef: { name: 'eux' } } });
    expect(record.metadata.annotations).toMatchObject({
      [INSTALLED_ONCE_ANNOTATION]: '6.5.0',
      [CLUSTER_UID_ANNOTATION]: 'a',
      [HOLDER_ANNOTATION]: 'web',
    });
    expect(record.metadata.ownerReferences).toEqual([]);
    expect(steps.map(({ op }) => op)).toEqual(['create', 'spare']);
    expect(planned(later, [record, old], renamed).map(({ op }) => op)).toEqual(['keep', 'delete']);
    expect(planned(later, [record], renamed).map(({ op }) => op)).toEqual(['keep']);
  });

  it.each<[string, Application, Application]>([
    ['of a named entry', application([named('eu')]), application([named('eux')])],
    ['of a Kustomization', filesOn('eu'), filesOn('eux')],
  ])('%s gets its record under the new name', (_title, app, edited) => {
    const record = createdBy(planned(edited, [installed(app)], renamed));
    expect(record.spec).toMatchObject({ suspend: true });
    const [entry] = entriesOf(edited, renamed);
    expect(record.metadata.labels).toEqual(desiredChild(edited, entry!, undefined).object.metadata.labels);
    const back = planned(app, [record], viewOf(['eu', 'eux'], { eu: 'a', eux: 'a' }));
    expect(createdBy(back).spec).toMatchObject({ suspend: true });
  });

  it.each([['3'], [undefined]])('counts as revision %s, as it was installed', (revision) => {
    const old = installed(before);
    const annotations = { ...old.metadata.annotations, ...defined({ [APPLICATION_REVISION]: revision }) };
    const [entry] = entriesOf(later, renamed);
    const desired = [desiredChild(later, entry!, undefined, { revision: 7 })];
    const leftover = [{ ...old, metadata: { ...old.metadata, annotations } }];
    const [moved] = withMovedRecords(desired, leftover, indexed(renamed));
    expect(moved?.object.metadata.annotations?.[APPLICATION_REVISION]).toBe(revision);
  });

  it.each<[string, Application, ClusterView]>([
    ['on another cluster', later, viewOf(['eux'], { eux: 'b' })],
    ['by an entry that is to manage it', application([once({ mode: 'Continuous' })]), renamed],
  ])('is installed %s', (_title, app, clusters) => {
    expect(isLeftAlone(createdBy(planned(app, [installed(before)], clusters)))).toBe(false);
  });

  it('has no part in what has a child, or where nothing was installed once', () => {
    const [entry] = entriesOf(later, renamed);
    const desired = [desiredChild(later, entry!, undefined)];
    const [index, old] = [indexed(renamed), installed(before)];
    expect(withMovedRecords(desired, [], index)).toBe(desired);
    expect(withMovedRecords([{ ...desired[0]!, live: old }], [old], index)[0]?.object).toBe(desired[0]?.object);
    expect(withMovedRecords(desired, [old], index)[0]?.object).not.toBe(desired[0]?.object);
  });

  it.each<[string, Partial<ClusterView>]>([
    ['has not told yet', { isToBeAsked: () => true, isUnasked: () => true }],
    ['does not answer', { isToBeAsked: () => true, isSilent: () => true }],
    ['never tells', {}],
  ])('keeps its record while the new name %s which cluster it is', (_title, more) => {
    const silent = viewOf(['eux'], {}, more);
    for (const [app, edited] of [
      [before, later],
      [application([named('eu')]), application([named('eux')])],
    ] as const) {
      const steps = planned(edited, [installed(app)], silent);
      expect(steps.map(({ op }) => op)).toEqual(['wait', 'spare']);
    }
  });

  it('keeps all records that may be those of a new name', () => {
    const records = [installed(before), installed(before, 'us', 'u')];
    const steps = planned(later, records, viewOf(['eux'], {}));
    expect(steps.map(({ op }) => op)).toEqual(['wait', 'spare', 'spare']);
    const told = planned(later, records, renamed);
    expect(isLeftAlone(createdBy(told))).toBe(true);
  });

  it('waits beside a record that does not say on which cluster it was made', () => {
    const { metadata, ...old } = installed(before);
    const annotations = omit(metadata.annotations, CLUSTER_UID_ANNOTATION);
    const steps = planned(later, [{ ...old, metadata: { ...metadata, annotations } }], renamed);
    expect(steps.map(({ op }) => op)).toEqual(['wait', 'spare']);
  });

  it.each<Partial<Deploy>>([{ releaseName: 'other' }, { storageNamespace: 'elsewhere' }])(
    'waits as under the old name if it is to be another release: %j',
    (more) => {
      for (const clusters of [viewOf(['eu'], { eu: 'a' }), renamed]) {
        const steps = planned(application([once(more)]), [installed(before)], clusters);
        expect(steps.map(({ op }) => op)).toEqual(['wait', 'spare']);
      }
    },
  );

  it('is installed again where somebody deletes its record', () => {
    const steps = planned(later, [leaving(installed(before))], renamed);
    expect(steps.flatMap((step) => (step.op === 'create' ? [isLeftAlone(step.object)] : []))).not.toContain(true);
  });

  it('is installed where only another release was installed once on a cluster that is gone', () => {
    const other = application([once({ releaseName: 'other' })]);
    expect(isLeftAlone(createdBy(planned(other, [installed(before)], viewOf(['eux'], {}))))).toBe(false);
    const continuous = application([once({ mode: 'Continuous' })]);
    expect(isLeftAlone(createdBy(planned(continuous, [installed(before)], viewOf(['eux'], {}))))).toBe(false);
  });
});
