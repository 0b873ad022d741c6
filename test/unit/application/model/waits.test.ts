import { describe, expect, it } from '@jest/globals';
import { PENDING_REASONS, type PendingReason } from '#api/v1alpha1/pending.js';
import { pinHold } from '#controllers/application/model/revisions/at-revision.js';
import { moveHold } from '#controllers/application/model/revisions/staged.js';
import type { Child, DesiredChild, Entry } from '#controllers/application/model/child/types.js';
import type { Outcome, Step, Wait } from '#controllers/application/model/child/verdicts.js';
import { waitsIn } from '#controllers/application/model/status/pending.js';
import type { WorldRevisions } from '#controllers/application/model/children/world.js';
import type { Move } from '#controllers/application/model/rollout/types.js';
import { application, applied, deploy, leaving, reporting, well, work } from './builders.js';

const app = application([deploy('prod', 'eu', { values: { color: 'red' } })]);
const edited = application([deploy('prod', 'eu', { values: { color: 'blue' } })]);
const [made] = applied([], work(app).steps);
const live: Child = well(made!);
const { wanted: all } = work(edited, [live]);
/** As the spec wants it, of a child that is not there yet. */
const wanted: DesiredChild = all[0]!;
const { entry } = wanted;
const atTarget: Child = well({ ...wanted.object, metadata: { ...wanted.object.metadata, generation: 1 } });

const wait: Step = { op: 'wait', entry, live: undefined, why: 'waiting for something', hold: 'Release' };
const keep: Step = { op: 'keep', entry, live, why: 'unchanged' };

/** Its stage went back. */
const RECORD = { revision: 2, startedAt: '', stages: [], rolledBack: { stage: 'canary', why: '1 of 1 failed' } };

function revisions(pins: Partial<WorldRevisions['pins']>): WorldRevisions {
  const history = { current: 2, isKept: true, remove: [] };
  return {
    history,
    earlier: new Map(),
    pins: { all: undefined, clusters: new Map(), digests: [], problem: undefined, ...pins },
  };
}

interface Situation {
  readonly step?: Step;
  readonly child?: Child | undefined;
  readonly error?: Error;
  /** Of the entry. */
  readonly facts?: Partial<Entry>;
  readonly move?: Move;
  readonly pins?: Partial<WorldRevisions['pins']>;
}

function waitOf({ step = keep, child, error, facts = {}, move, pins }: Situation): Wait | undefined {
  const own = { ...entry, ...facts };
  const known = { ...wanted, entry: own };
  const behind = (pins && pinHold(own, revisions(pins))) ?? moveHold(move, RECORD);
  const decided = { wanted: [known], desired: [{ ...known, behind }] };
  // As at an earlier revision: not the entry of the spec, but its path.
  const outcome: Outcome = { step: 'entry' in step ? { ...step, entry: { ...own } } : step, child };
  return waitsIn(decided)(error === undefined ? outcome : { ...outcome, error });
}

const hold = (cause: Extract<Move, { hold: string }>['cause']): Move => ({ hold: `held by ${cause}`, cause });

const engine = (reason: string): Child => reporting(atTarget, 'False', reason, 'as the engine says');
const paused: Child = { ...atTarget, spec: { ...atTarget.spec, suspend: true } };
const unmanaged: Child = {
  ...live,
  metadata: { ...live.metadata, annotations: { 'gitops.kubesphere.io/installed-once': '1.0.0' } },
  spec: { ...live.spec, suspend: true },
};
const spare: Step = { op: 'spare', live, why: 'because its cluster is not updated yet', hold: 'Removal' };

const CASES: readonly [PendingReason, Situation, message: string][] = [
  ['Gate', { step: wait, facts: { gate: { waits: 'ready is false' } } }, 'ready is false'],
  ['Pinned', { child: live, pins: { all: 1 } }, 'pinned to revision 1'],
  ['Pinned', { child: live, pins: { problem: 'junk' } }, 'junk'],
  ['Approval', { child: live, move: hold('Approval') }, 'held by Approval'],
  ['Bake', { child: live, move: hold('Bake') }, 'held by Bake'],
  ['Budget', { child: live, move: hold('Budget') }, 'held by Budget'],
  ['Failures', { child: live, move: hold('Failures') }, 'held by Failures'],
  ['Paused', { child: live, move: hold('Paused') }, 'held by Paused'],
  ['RolledBack', { child: live, move: hold('RolledBack') }, 'held by RolledBack'],
  ['RolledBack', { child: live, move: { to: 'previous' } }, '1 of 1 failed'],
  ['Stage', { step: wait, move: hold('Stage') }, 'held by Stage'],
  ['Window', { child: live, move: hold('Window') }, 'held by Window'],
  ['Unreachable', { child: live, move: hold('Unreachable') }, 'held by Unreachable'],
  ['Unreachable', { child: engine('ClusterUnreachable') }, 'as the engine says'],
  ['ClusterPaused', { step: { ...wait, hold: 'ClusterPaused' } }, 'waiting for something'],
  ['ClusterNotReady', { step: { ...wait, hold: 'ClusterNotReady' } }, 'waiting for something'],
  ['Credential', { step: { ...wait, hold: 'Credential' } }, 'waiting for something'],
  ['Release', { step: wait }, 'waiting for something'],
  ['Release', { step: { ...wait, live }, child: leaving(live) }, 'waiting for something'],
  ['Suspended', { child: paused }, 'suspended; last status: InstallSucceeded'],
  ['Dependency', { child: engine('DependencyNotReady') }, 'as the engine says'],
  ['Source', { child: engine('SourceNotReady') }, 'as the engine says'],
  ['Removal', { step: spare, child: live }, 'because its cluster is not updated yet'],
];

describe('what a destination waits for', () => {
  it.each(CASES)('%s: %j', (reason, situation, message) => {
    expect(waitOf(situation)).toMatchObject({ reason, message });
  });

  it('is each of the reasons that the API has', () => {
    expect(new Set(CASES.map(([reason]) => reason))).toEqual(new Set(Object.keys(PENDING_REASONS)));
  });

  it.each<[string, Situation]>([
    ['is as it is wanted', { child: atTarget }],
    ['is as it is wanted, whatever its stage waits for', { child: atTarget, move: hold('Stage') }],
    ['is as it is wanted, whatever it is pinned to', { child: atTarget, pins: { all: 1 } }],
    ['is updating', { child: reporting(atTarget, 'Unknown', 'Progressing') }],
    ['failed', { child: engine('UpgradeFailed') }],
    ['could not be written', { child: live, move: hold('Stage'), error: new Error('forbidden') }],
    ['was installed once', { child: unmanaged, facts: { mode: 'Once' } }],
    ['was installed once, whatever it is pinned to', { child: unmanaged, facts: { mode: 'Once' }, pins: { all: 1 } }],
    ['is removed', { step: { op: 'delete', live, why: 'its entry was removed' }, child: live }],
    ['is left to others', { step: { op: 'spare', live, why: 'because it is not ours' }, child: live }],
  ])('is nothing for one that %s', (_, situation) => {
    expect(waitOf(situation)).toBeUndefined();
  });

  it('comes with revisions, and with what would change', () => {
    const held = waitOf({ child: live, move: hold('Stage') });
    expect(held?.change()).toBe('values.color');
    expect(waitOf({ step: wait, move: hold('Stage') })?.change()).toBe('installation');
    expect(waitOf({ step: spare, child: live })?.change()).toBe('removal');
  });

  it('is not asked of a rejected entry', () => {
    const of = waitsIn({ wanted: [], desired: [] });
    expect(of({ step: wait, child: undefined })).toBeUndefined();
  });
});
