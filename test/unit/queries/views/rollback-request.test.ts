import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import {
  isPresentEverywhere,
  releaseRequest,
  rollbackRequest,
  type RollbackInput,
} from '#queries/views/rollback-requests.js';
import { application, deploy } from '../../application/model/builders.js';

const PIN = 'gitops.kubesphere.io/pin-revision';
const CLUSTERS = 'gitops.kubesphere.io/pin-cluster-revisions';
const rows = ['eu', 'us'].map((cluster) => ({ name: cluster, cluster, state: 'Ready' as const }));

function of(annotations: Record<string, string> = {}, lastGood?: number): Application {
  const app = application([deploy('prod')]);
  const started = { revision: 7, phase: 'Progressing', startedAt: '2026-01-01T00:00:00Z' } as const;
  const rollout = lastGood === undefined ? {} : { rollout: { ...started, stages: [], lastGood } };
  const status = { history: { revision: 7 }, destinations: rows, ...rollout };
  return { ...app, metadata: { ...app.metadata, annotations }, status };
}

const kept = [7, 6, 4];
const back = (application: Application, more: Partial<RollbackInput> = {}) =>
  rollbackRequest({ application, kept, ...more });

describe('a rollback', () => {
  it.each<[string, ReturnType<typeof back>, Record<string, string | null>]>([
    ['pins to the revision before the present one', back(of()), { [PIN]: '6' }],
    ['pins to the last good revision', back(of({}, 4)), { [PIN]: '4' }],
    ['pins to the one before, if the present one is good', back(of({}, 7)), { [PIN]: '6' }],
    ['pins to the one before that it is pinned to', back(of({ [PIN]: '6' })), { [PIN]: '4' }],
    ['pins to the revision that is named', back(of(), { to: 4 }), { [PIN]: '4' }],
    ['pins to what it has', back(of(), { to: 7 }), { [PIN]: '7' }],
    ['pins one cluster', back(of(), { cluster: 'eu' }), { [CLUSTERS]: 'eu=6' }],
    ['keeps other pins', back(of({ [CLUSTERS]: 'us=4' }), { cluster: 'eu' }), { [CLUSTERS]: 'us=4,eu=6' }],
    ['replaces a pin', back(of({ [CLUSTERS]: 'eu=6,us=4' }), { cluster: 'eu' }), { [CLUSTERS]: 'eu=4,us=4' }],
    ['keeps what it cannot read', back(of({ [CLUSTERS]: 'junk' }), { cluster: 'eu' }), { [CLUSTERS]: 'junk,eu=6' }],
  ])('%s', (_, request, annotations) => {
    expect(request).toMatchObject({ annotations });
  });

  it('says how it ends', () => {
    expect(back(of(), { cluster: 'eu' })).toMatchObject({
      done: 'pinned to revision 6 on cluster eu, whatever the spec says, until `fairlead rollback web --release --cluster eu`',
    });
  });

  it.each<[string, ReturnType<typeof back>, string]>([
    ['a revision that is not kept', back(of(), { to: 5 }), 'revision 5 is not kept, only 7, 6, 4'],
    [
      'an Application without revisions',
      back(of(), { kept: [] }),
      'it keeps no revisions: set spec.revisionHistoryLimit',
    ],
    ['the first revision', back(of(), { kept: [7] }), 'there is no revision before the present one, only 7'],
    [
      'a pin to the first revision',
      back(of({ [PIN]: '4' })),
      'it is pinned to revision 4, and none before that is kept, only 7, 6, 4: name one with --to, or end this pin with `fairlead rollback web --release`',
    ],
    ['a pin to what is not kept', back(of({ [PIN]: '3' })), 'it is pinned to revision 3, and none before that is kept'],
    [
      'a pin that names none',
      back(of({ [PIN]: 'junk' })),
      'it is pinned to revision junk, and none before that is kept',
    ],
    [
      'a cluster with such a pin',
      back(of({ [CLUSTERS]: 'eu=4', [PIN]: '4' }), { cluster: 'eu' }),
      'cluster eu is pinned to revision 4, and none before that is kept, only 7, 6, 4: name one with --to, or end this pin with `fairlead rollback web --release --cluster eu`',
    ],
    [
      'a cluster of an Application with such a pin',
      back(of({ [PIN]: '4' }), { cluster: 'eu' }),
      'or end this pin with `fairlead rollback web --release`',
    ],
    [
      'a cluster that a pinned Application is not on',
      back(of({ [PIN]: '4' }), { cluster: 'asia' }),
      'no destination on cluster asia, only on eu, us',
    ],
    ['a cluster that it is not on', back(of(), { cluster: 'asia' }), 'no destination on cluster asia, only on eu, us'],
  ])('is refused for %s', (_, request, refused) => {
    expect(request).toEqual({ problem: expect.stringContaining(refused) });
  });
});

it.each<[string, Record<string, string>, number[]]>([
  ['what the spec says, without a pin', {}, [7]],
  ['what it is pinned to', { [PIN]: '6' }, [6]],
  ['nothing, while a cluster is pinned to another one', { [CLUSTERS]: 'eu=6' }, []],
  ['what it is pinned to, and a cluster by itself', { [PIN]: '6', [CLUSTERS]: 'eu = 6' }, [6]],
  ['nothing, while the pin of a cluster cannot be read', { [CLUSTERS]: 'junk' }, []],
])('all clusters have to have %s', (_, annotations, present) => {
  expect(kept.filter((revision) => isPresentEverywhere(of(annotations), revision))).toEqual(present);
});

describe('a release', () => {
  const release = (annotations: Record<string, string>, cluster?: string) =>
    releaseRequest({ application: of(annotations), cluster });

  it('ends all pins, or that of a cluster', () => {
    expect(release({ [PIN]: '4', [CLUSTERS]: 'eu=6' })).toMatchObject({
      annotations: { [PIN]: null, [CLUSTERS]: null },
    });
    expect(release({ [CLUSTERS]: 'eu=6,us=4' }, 'eu')).toMatchObject({ annotations: { [CLUSTERS]: 'us=4' } });
    expect(release({ [CLUSTERS]: 'eu=6' }, 'eu')).toMatchObject({ annotations: { [CLUSTERS]: null } });
  });

  it('is refused where there is nothing to end', () => {
    expect(release({})).toEqual({ problem: 'it is not pinned' });
    expect(release({}, 'eu')).toEqual({ problem: 'cluster eu is not pinned' });
    expect(release({ [PIN]: '4' }, 'eu')).toEqual({ problem: expect.stringContaining('release it without --cluster') });
  });
});
