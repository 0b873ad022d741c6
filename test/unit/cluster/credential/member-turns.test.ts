import { describe, expect, it } from '@jest/globals';
import { MemberTurns, TurnError } from '#controllers/cluster/credential/member-turns.js';

function clock() {
  const time = { ms: 0 };
  const turns = new MemberTurns({ trials: 2, now: () => time.ms, random: () => 0 });
  const woken: string[] = [];
  turns.onChange(({ object: { metadata } }) => woken.push(`${metadata.namespace ?? ''}/${metadata.name}`));
  return { time, turns, woken };
}

function refusal(ask: () => unknown): TurnError {
  try {
    ask();
  } catch (error: unknown) {
    if (error instanceof TurnError) return error;
    throw error;
  }
  throw new Error('it was its turn');
}

describe('turns of clusters', () => {
  it('leaves a cluster that answers alone: any number of requests, also while others hang', () => {
    const { turns } = clock();
    turns.begin('live', 'a/live')(true);
    turns.begin('dead-1', 'a/dead-1');
    turns.begin('dead-2', 'a/dead-2');
    for (const namespace of ['a', 'b', 'c', 'd']) turns.begin('live', `${namespace}/live`);
  });

  it('asks a cluster of which nothing is known once at a time, and whoever waits is told that it answers', () => {
    const { turns, woken } = clock();
    const end = turns.begin('eu', 'a/eu');
    expect(refusal(() => turns.begin('eu', 'b/eu')).isSilent).toBe(false);
    end(true);
    expect(woken).toEqual(['b/eu']);
    turns.begin('eu', 'b/eu');
  });

  it('asks one that does not answer less and less often, for all namespaces together', () => {
    const { time, turns, woken } = clock();
    turns.begin('eu', 'a/eu')(false);
    expect(refusal(() => turns.begin('eu', 'b/eu'))).toMatchObject({ isSilent: true, retryAfterMs: 5_000 });
    time.ms = 5_000;
    turns.begin('eu', 'b/eu')(false);
    expect(refusal(() => turns.begin('eu', 'a/eu')).retryAfterMs).toBe(10_000);
    time.ms = 15_000;
    turns.begin('eu', 'b/eu')(true);
    expect(woken).toEqual(['a/eu']);
  });

  it('asks only so many at once of which it is unknown whether they answer, each in its order', () => {
    const { turns, woken } = clock();
    const ends = [turns.begin('c1', 'a/c1'), turns.begin('c2', 'a/c2')];
    for (const name of ['c3', 'c4']) expect(refusal(() => turns.begin(name, `a/${name}`)).isSilent).toBe(false);
    ends[0]!(false);
    expect(woken).toEqual(['a/c3']);
    const third = turns.begin('c3', 'a/c3');
    refusal(() => turns.begin('c4', 'a/c4'));
    third(undefined);
    expect(woken).toEqual(['a/c3', 'a/c4']);
  });

  it('counts requests once that failed together, and the cluster is one that hangs from then on', () => {
    const { turns } = clock();
    turns.begin('eu', 'a/eu')(true);
    const ends = ['a', 'b', 'c'].map((namespace) => turns.begin('eu', `${namespace}/eu`));
    for (const end of ends) end(false);
    expect(refusal(() => turns.begin('eu', 'a/eu'))).toMatchObject({ isSilent: true, retryAfterMs: 5_000 });
  });
});
