import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Fence, type LeaderTerm } from '#runtime/client/fence.js';
import type { RequestOptions } from '#runtime/client/kube.js';
import { CancelledError, TransientError } from '#lib/errors.js';

class Clock {
  nowMs = 0;
}

class GivenTerm implements LeaderTerm {
  writeUntilMs: number | undefined;
  readonly ending = new AbortController();

  get lost(): AbortSignal {
    return this.ending.signal;
  }
}

function setUp(guards: readonly LeaderTerm[] = []): { clock: Clock; leader: GivenTerm; fence: Fence } {
  const clock = new Clock();
  const leader = new GivenTerm();
  return { clock, leader, fence: new Fence({ leader, guards, now: () => clock.nowMs }) };
}

/** A request that goes out and is answered. */
function answered(guarded: RequestOptions): Promise<string> {
  guarded.beforeSend?.();
  return Promise.resolve('done');
}

/** A request that goes out and fails with `error`. */
function failing(error: Error): (guarded: RequestOptions) => Promise<never> {
  return (guarded) => {
    guarded.beforeSend?.();
    return Promise.reject(error);
  };
}

describe('Fence', () => {
  it('lets nothing through before the election and from the deadline on', async () => {
    const { clock, leader, fence } = setUp();
    await expect(fence.write({}, answered)).rejects.toThrow(CancelledError);
    leader.writeUntilMs = 10;
    expect(await fence.write({}, answered)).toBe('done');
    clock.nowMs = 10;
    await expect(fence.write({}, answered)).rejects.toThrow('not the leader');
    leader.writeUntilMs = 20;
    expect(await fence.write({}, answered)).toBe('done');
  });

  it('checks again when a delayed request is about to be sent', async () => {
    const { clock, leader, fence } = setUp();
    leader.writeUntilMs = 10;
    const write = fence.write({}, async (guarded) => {
      clock.nowMs = 50; // The process was stopped while a token was fetched.
      return answered(guarded);
    });
    await expect(write).rejects.toThrow(CancelledError);
  });

  it('cancels writes when the leadership is lost, and when their own signal aborts', async () => {
    const guard = new GivenTerm();
    const { leader, fence } = setUp([guard]);
    leader.writeUntilMs = 10;
    const own = new AbortController();
    const hanging = ({ signal }: RequestOptions): Promise<void> => delay(60_000, undefined, { signal });
    const writes = [fence.write({ signal: own.signal }, hanging), fence.write(undefined, hanging)];
    own.abort();
    await expect(writes[0]).rejects.toThrow('aborted');
    guard.ending.abort();
    await expect(writes[1]).rejects.toThrow('aborted');
  });

  it('counts a guard from its election on', async () => {
    const guard = new GivenTerm();
    const { clock, leader, fence } = setUp([guard]);
    leader.writeUntilMs = 100;
    expect(await fence.write({}, answered)).toBe('done');
    guard.writeUntilMs = 5;
    expect(await fence.write({}, answered)).toBe('done');
    clock.nowMs = 5;
    await expect(fence.write({}, answered)).rejects.toThrow(CancelledError);
  });

  it('is shut when all that is under way has ended', async () => {
    const { leader, fence } = setUp();
    leader.writeUntilMs = 10;
    const order: string[] = [];
    const write = fence.write({}, async () => {
      await delay(20);
      order.push('written');
    });
    const shutting = fence.shut().then(() => order.push('shut'));
    await expect(fence.write({}, answered)).rejects.toThrow(CancelledError);
    await Promise.all([write, shutting]);
    expect(order).toEqual(['written', 'shut']);
  });

  const refusal = new TransientError('refused', { status: { code: 403, reason: 'Forbidden', causes: [] } });
  it.each([
    ['that the server refused', false, failing(refusal)],
    ['that was cut off', true, failing(new CancelledError())],
    ['whose connection broke', true, failing(new TransientError('reset'))],
    ['that never went out', false, () => Promise.reject(new CancelledError())],
  ])('says of a write %s whether it got no answer: %s', async (_, unanswered, send) => {
    const { clock, leader, fence } = setUp();
    leader.writeUntilMs = 10;
    await expect(fence.write({}, send)).rejects.toThrow();
    expect(fence.unanswered(5)).toBe(unanswered);
    clock.nowMs = 5;
    expect(fence.unanswered(5)).toBe(false);
  });
});
