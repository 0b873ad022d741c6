import { describe, expect, it } from '@jest/globals';
import { OFFERED_TO_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Successor } from '#controllers/application/model/children/successors.js';
import { Handovers } from '#controllers/application/model/clusters/handovers.js';
import { type Fate, fateText } from '#controllers/application/model/clusters/leaving.js';
import { application, applied, deploy, leaving, work } from '../builders.js';

const [CHILD] = applied([], work(application([deploy('prod', 'eu')])).steps) as [Child];
const B: Successor = { name: 'b', uid: 'uid-b' };
const GOES: Fate = { type: 'leaving', uninstalls: true, why: 'cluster eu no longer matches' };
const STAYS: Fate = { type: 'leaving', uninstalls: false, why: 'gone', stays: 'gone' };
const UNGUARDED: Fate = { type: 'unguarded' };

function offered(child: Child, uid: string): Child {
  const annotations = { ...child.metadata.annotations, [OFFERED_TO_ANNOTATION]: uid };
  return { ...child, metadata: { ...child.metadata, annotations } };
}

interface Situation {
  readonly child?: Child;
  readonly fate?: Fate;
  readonly successor?: Successor;
  readonly forMs?: number;
}

function handovers({ child = CHILD, fate = GOES, successor = B, forMs = 0 }: Situation): Handovers {
  const successors = new Map([[child, successor]]);
  return new Handovers(new Map([[child, fate]]), { successors, unmatchedForMs: () => forMs, delayMs: 30_000 });
}

describe('a child whose release another Application wants', () => {
  it.each<[string, Situation, object]>([
    ['waits for a moment', { forMs: 29_999 }, { do: 'keep', hold: 'Removal' }],
    ['is offered then', { forMs: 30_000 }, { do: 'offer', to: 'uid-b', hold: 'Removal' }],
    ['stays offered after a restart', { child: offered(CHILD, 'uid-b') }, { do: 'offer', to: 'uid-b' }],
    ['waits again for another one', { child: offered(CHILD, 'uid-c') }, { do: 'keep' }],
    ['is offered at once without a selector', { fate: UNGUARDED }, { do: 'offer', to: 'uid-b' }],
    [
      'stays while it is not known whether that one wants it',
      { successor: { ...B, doubt: 'it is not valid' }, forMs: 99_999 },
      { do: 'keep', hold: 'Removal', why: 'because Application b may want it: it is not valid' },
    ],
  ])('%s', (_, situation, verdict) => {
    const { child = CHILD } = situation;
    expect(handovers(situation).verdict(child)).toMatchObject(verdict);
  });

  it.each<[string, Situation]>([
    ['what stays anyway', { fate: STAYS }],
    ['what is spared', { fate: { type: 'spared', why: 'paused', isUnknown: false } }],
    ['what is being deleted', { child: leaving(CHILD) }],
  ])('does not concern %s', (_, situation) => {
    const { child = CHILD } = situation;
    expect(handovers(situation).has(child)).toBe(false);
    expect(handovers(situation).verdict(child)).toBeUndefined();
  });

  it('is looked at again', () => {
    expect(handovers({ forMs: 10_000 }).retryAfterMs).toBe(20_000);
    expect(handovers({ forMs: 40_000 }).retryAfterMs).toBe(30_000);
    expect(handovers({ fate: STAYS }).retryAfterMs).toBeUndefined();
  });

  it('has a waiting time of its own, which no uninstall continues', () => {
    const [{ uninstalls, ...handover }] = handovers({}).leaving as [ReturnType<() => Handovers['leaving'][number]>];
    expect(uninstalls).toBe(false);
    expect(fateText(handover)).not.toBe(fateText({ child: CHILD }));
  });
});
