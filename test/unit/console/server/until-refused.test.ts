import { describe, expect, it } from '@jest/globals';
import { Refusal } from '#console/shared/refusal.js';
import { untilRefused } from '#console/server/until-refused.js';
import { TransientError } from '#lib/errors.js';

const UNKNOWN = new Refusal(401, 'the token is not valid, or no longer');
const FORBIDDEN = new TransientError('x', { status: { code: 403, reason: 'Forbidden', causes: [] } });
const LATE = new Error('no answer');

/** Answers one after the other; undefined: he may. */
async function asked(...answers: readonly (Error | undefined)[]): Promise<{ why: unknown; times: number }> {
  const signal = new AbortController();
  let times = 0;
  const check = (): Promise<void> => {
    const answer = answers[times];
    times += 1;
    if (times > answers.length) signal.abort();
    return answer === undefined ? Promise.resolve() : Promise.reject(answer);
  };
  const why = await untilRefused(check, { signal: signal.signal, everyMs: 1 });
  return { why, times };
}

describe('who reads for long is asked for again', () => {
  it.each<[string, readonly (Error | undefined)[], Error | undefined, number]>([
    ['until he is gone himself', [undefined, undefined], undefined, 3],
    ['until the server does not know him any more', [undefined, UNKNOWN], UNKNOWN, 2],
    ['until he may no longer', [FORBIDDEN], FORBIDDEN, 1],
    ['and goes on if nobody can tell once', [LATE, undefined, LATE], undefined, 4],
    ['until nobody can tell twice in a row', [undefined, LATE, LATE], LATE, 3],
    ['until it is another one', [new Refusal(503, 'busy'), UNKNOWN], UNKNOWN, 2],
  ])('%s', async (_, answers, why, times) => {
    expect(await asked(...answers)).toEqual({ why, times });
  });

  it('at no time if he is gone already', async () => {
    const check = (): Promise<void> => Promise.reject(UNKNOWN);
    expect(await untilRefused(check, { signal: AbortSignal.abort(), everyMs: 1 })).toBeUndefined();
  });
});
