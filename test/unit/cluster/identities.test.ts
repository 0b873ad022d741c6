import { describe, expect, it } from '@jest/globals';
import { Identities } from '#controllers/cluster/identities.js';

describe('the identities of clusters', () => {
  it('tell of each change, and of nothing else', () => {
    const identities = new Identities();
    const told: string[] = [];
    identities.onChange(({ object }) => told.push(`${object.metadata.name} ${identities.uidOf('eu') ?? 'unknown'}`));
    for (const uid of ['a', 'a', 'b', undefined, undefined]) identities.set('eu', uid);
    expect(told).toEqual(['eu a', 'eu b', 'eu unknown']);
    expect(identities.uidOf('us')).toBeUndefined();
  });

  it('tell that a cluster was asked, even if it does not answer, until its object is gone', () => {
    const identities = new Identities();
    const told: string[] = [];
    identities.onChange(({ object }) => told.push(object.metadata.name));
    expect(identities.isToBeAsked('eu')).toBe(true);
    for (const uid of [undefined, undefined]) identities.set('eu', uid);
    expect([told, identities.isToBeAsked('eu')]).toEqual([['eu'], false]);
    identities.forget('eu');
    expect(identities.isToBeAsked('eu')).toBe(true);
    expect(new Identities({ isAsking: false }).isToBeAsked('eu')).toBe(false);
  });
});

const MINUTE_MS = 60_000;

/** The identities of clusters, and the clock that they read. */
function timed() {
  const clock = { nowMs: 1_000_000 };
  const identities = new Identities({ now: () => clock.nowMs });
  const told: (string | undefined)[] = [];
  identities.onChange(({ object }) => told.push(identities.uidOf(object.metadata.name)));
  /** Whether `eu` is open, and its UID. */
  const seen = () => [identities.isToBeAsked('eu'), identities.uidOf('eu')];
  const pass = (minutes: number): void => {
    clock.nowMs += minutes * MINUTE_MS;
  };
  return { identities, told, seen, pass };
}

describe('others wait for a cluster', () => {
  it('for five minutes after the first look, whenever that is: a standby may have known it for hours', () => {
    const { seen, pass } = timed();
    pass(60);
    expect(seen()).toEqual([true, undefined]);
    pass(4.9);
    expect(seen()).toEqual([true, undefined]);
    pass(0.1);
    expect(seen()).toEqual([false, undefined]);
  });

  it('that is asked again, and see its last answer until then; after that it is unknown until it answers', () => {
    const { identities, told, seen, pass } = timed();
    identities.set('eu', 'a');
    identities.askAgain('eu');
    expect(seen()).toEqual([true, 'a']);
    pass(5);
    expect(seen()).toEqual([false, undefined]);
    pass(60);
    identities.askAgain('eu');
    expect(seen()).toEqual([true, undefined]);
    identities.set('eu', 'a');
    expect([seen(), told]).toEqual([
      [false, 'a'],
      ['a', 'a'],
    ]);
  });

  it('and nobody hears that it told the same UID as before', () => {
    const { identities, told, seen } = timed();
    identities.set('eu', 'a');
    identities.askAgain('eu');
    identities.set('eu', 'a');
    expect([seen(), told]).toEqual([[false, 'a'], ['a']]);
    identities.askAgain('eu');
    identities.set('eu', undefined);
    expect([seen(), told]).toEqual([
      [false, undefined],
      ['a', undefined],
    ]);
  });

  it('anew if its credential is written meanwhile, or after that, but then at most five minutes in each hour', () => {
    const { identities, seen, pass } = timed();
    seen();
    pass(4.9);
    identities.askAgain('eu');
    pass(0.2);
    expect(seen()).toEqual([true, undefined]);
    let open = 0;
    for (let minute = 0; minute < 120; minute += 1) {
      pass(1);
      identities.askAgain('eu');
      if (identities.isToBeAsked('eu')) open += 1;
    }
    expect(open).toBeLessThanOrEqual(10);
    identities.set('eu', 'a');
    identities.askAgain('eu');
    expect(seen()).toEqual([true, 'a']);
  });
});
