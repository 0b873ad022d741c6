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

  it('tell once that a cluster was asked for the first time, whatever it answers', () => {
    for (const answer of ['asked', 'set'] as const) {
      const identities = new Identities();
      const told: string[] = [];
      identities.onChange(({ object }) => told.push(object.metadata.name));
      expect(identities.isUnasked('eu')).toBe(true);
      const ask = () => (answer === 'asked' ? identities.asked('eu') : identities.set('eu', undefined));
      ask();
      ask();
      expect([told, identities.isUnasked('eu')]).toEqual([['eu'], false]);
    }
    expect(new Identities({ isAsking: false }).isUnasked('eu')).toBe(false);
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
  it('for five minutes after it was asked, or after the first look: a standby may have known it for hours', () => {
    const { identities, seen, pass } = timed();
    identities.asked('eu');
    pass(60);
    expect(seen()).toEqual([true, undefined]);
    pass(4.9);
    // Further probes without an answer are no reason to wait for longer.
    identities.asked('eu');
    expect(seen()).toEqual([true, undefined]);
    pass(0.1);
    expect(seen()).toEqual([false, undefined]);
  });

  it('until it was asked, however many are asked before it, but for half an hour at most', () => {
    const { identities, seen, pass } = timed();
    seen();
    pass(20);
    expect(seen()).toEqual([true, undefined]);
    identities.asked('eu');
    pass(4.9);
    expect(seen()).toEqual([true, undefined]);
    pass(0.1);
    expect(seen()).toEqual([false, undefined]);
    const never = timed();
    never.seen();
    never.pass(29.9);
    expect(never.seen()).toEqual([true, undefined]);
    never.pass(0.1);
    expect(never.seen()).toEqual([false, undefined]);
  });

  it('that is asked again, and see its last answer until then; after that it is unknown until it answers', () => {
    const { identities, told, seen, pass } = timed();
    identities.set('eu', 'a');
    identities.askAgain('eu');
    identities.asked('eu');
    expect(seen()).toEqual([true, 'a']);
    pass(5);
    expect(seen()).toEqual([false, undefined]);
    pass(60);
    identities.askAgain('eu');
    expect(seen()).toEqual([true, undefined]);
    identities.set('eu', 'a');
    expect([seen(), told]).toEqual([
      [false, 'a'],
      ['a', 'a', 'a'],
    ]);
  });

  it('again an hour later, although nobody wrote its credential: what leaves then was not waited for', () => {
    const { identities, seen, pass } = timed();
    identities.set('eu', 'a');
    identities.askAgain('eu');
    seen();
    identities.asked('eu');
    pass(59.9);
    expect(seen()).toEqual([false, undefined]);
    pass(0.1);
    expect(seen()).toEqual([true, undefined]);
    identities.asked('eu');
    pass(5);
    expect(seen()).toEqual([false, undefined]);
  });

  it('once if it cannot be asked, until its credential is written', () => {
    const { identities, seen, pass } = timed();
    identities.asked('eu', true);
    seen();
    pass(5);
    expect(seen()).toEqual([false, undefined]);
    pass(120);
    expect(seen()).toEqual([false, undefined]);
    identities.askAgain('eu');
    expect(seen()).toEqual([true, undefined]);
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

  it('anew if its credential is written meanwhile, or after that: a correction may need several attempts', () => {
    const { identities, seen, pass } = timed();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      identities.askAgain('eu');
      expect(seen()).toEqual([true, undefined]);
      identities.asked('eu');
      pass(5);
      expect(seen()).toEqual([false, undefined]);
    }
  });

  it.each([true, false])('but for at most half of each hour, however often that is (asked: %s)', (isAsked) => {
    const { identities, seen, pass } = timed();
    let open = 0;
    for (let minute = 0; minute < 240; minute += 1) {
      identities.askAgain('eu');
      if (isAsked) identities.asked('eu');
      if (identities.isToBeAsked('eu')) open += 1;
      pass(1);
    }
    expect([open > 100, open <= 120]).toEqual([true, true]);
    identities.set('eu', 'a');
    identities.askAgain('eu');
    expect(seen()).toEqual([true, 'a']);
  });
});

describe('what is new on a cluster', () => {
  /** The identities of clusters, and what holds what is new on `eu`. */
  function watched() {
    const all = timed();
    const hold = () => {
      if (all.identities.isUnasked('eu')) return 'unasked';
      return all.identities.isSilent('eu') ? 'silent' : 'none';
    };
    return { ...all, hold };
  }

  it('waits until it was asked, and then for five minutes if it does not answer', () => {
    const { identities, pass, hold } = watched();
    expect(hold()).toBe('unasked');
    identities.asked('eu');
    pass(4.9);
    identities.asked('eu');
    expect(hold()).toBe('silent');
    pass(0.1);
    expect(hold()).toBe('none');
    // Nobody waits anew as the hour is over, or a label changes.
    pass(60);
    expect([identities.isToBeAsked('eu'), hold()]).toEqual([true, 'none']);
    identities.askAgain('eu', true);
    expect(hold()).toBe('none');
  });

  it('does not wait for one that did not answer for long before anybody looked', () => {
    const { identities, pass, hold } = watched();
    identities.asked('eu');
    pass(5);
    expect([identities.isToBeAsked('eu'), hold()]).toEqual([true, 'none']);
  });

  it.each(['a', 'b', undefined])('waits for the next answer once its credential was written: %s', (next) => {
    const { identities, hold } = watched();
    identities.set('eu', 'a');
    expect(hold()).toBe('none');
    identities.askAgain('eu');
    expect(hold()).toBe('unasked');
    // A label does not end that.
    identities.askAgain('eu', true);
    expect(hold()).toBe('unasked');
    identities.set('eu', next);
    expect(hold()).toBe('none');
  });

  it('hears that the cluster was asked in vain, and of each answer after that', () => {
    const { identities, told, hold } = watched();
    identities.set('eu', 'a');
    identities.askAgain('eu');
    identities.asked('eu');
    identities.asked('eu');
    expect([hold(), told]).toEqual(['silent', ['a', 'a']]);
    identities.set('eu', 'a');
    expect([hold(), told]).toEqual(['none', ['a', 'a', 'a']]);
  });

  it('does not wait while only labels change', () => {
    const { identities, hold } = watched();
    identities.set('eu', 'a');
    identities.askAgain('eu', true);
    expect([identities.isToBeAsked('eu'), hold()]).toEqual([true, 'none']);
    identities.asked('eu');
    expect(hold()).toBe('none');
  });

  it('does not wait for one that cannot be asked, until it can be', () => {
    const { identities, hold } = watched();
    identities.asked('eu', true);
    expect(hold()).toBe('none');
    identities.askAgain('eu');
    expect(hold()).toBe('unasked');
  });

  it('does not wait for a cluster whose credential is written for ever', () => {
    const { identities, pass, hold } = watched();
    identities.set('eu', 'a');
    const holds = new Set<string>();
    for (let minute = 0; minute < 60; minute += 1) {
      identities.askAgain('eu');
      if (minute >= 30) holds.add(hold());
      else hold();
      pass(1);
    }
    expect([...holds]).toEqual(['none']);
  });

  it('waits where the object of its cluster is a new one', () => {
    const { identities, hold } = watched();
    identities.asked('eu');
    identities.forget('eu');
    expect(hold()).toBe('unasked');
  });

  it('does not wait where nobody asks', () => {
    const identities = new Identities({ isAsking: false });
    expect([identities.isUnasked('eu'), identities.isSilent('eu')]).toEqual([false, false]);
  });
});
