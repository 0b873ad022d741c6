import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { type Candidates, holdOf, type Leaving } from '#controllers/application/model/clusters/leaving.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application } from '../builders.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const APPROVE = 'gitops.kubesphere.io/approve-removals';

function leaves(numbers: readonly number[], uninstalls = true): Leaving[] {
  return numbers.map((number): Leaving => {
    const metadata = { name: `c${number}`, namespace: 'shop', uid: `uid-${number}` };
    const child: Child = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec: {} };
    return { child, uninstalls, why: 'it left' };
  });
}

type Removals = NonNullable<ApplicationStatus['removals']>;

function withHold(removals: Partial<Removals> | undefined, approval?: string): Application {
  const base = application([]);
  const annotations = approval === undefined ? {} : { [APPROVE]: approval };
  const status = removals === undefined ? {} : { removals };
  return { ...base, metadata: { ...base.metadata, annotations }, status };
}

const SET = leaves([1, 2, 3]);
const of = (leaving: readonly Leaving[]): Candidates => ({ leaving, open: [], running: 100 });
const { hold: HELD } = holdOf(withHold(undefined), of(SET), NOW);

describe('an approval of removals', () => {
  const isApproved = (app: Application, leaving: readonly Leaving[], now = NOW + 60_000): boolean =>
    holdOf(app, of(leaving), now).isApproved;

  it('is for what waits, in whatever order', () => {
    expect(isApproved(withHold(HELD, HELD.approval), SET)).toBe(true);
    expect(isApproved(withHold(HELD, HELD.approval), [...SET].reverse())).toBe(true);
    expect(isApproved(withHold(HELD), SET)).toBe(false);
    expect(isApproved(withHold(HELD, 'other'), SET)).toBe(false);
    expect(isApproved(withHold({}, ''), SET)).toBe(false);
  });

  it.each<[string, Leaving[]]>([
    ['one less', leaves([1, 2])],
    ['one more', leaves([1, 2, 3, 4])],
    ['another one', leaves([1, 2, 4])],
    ['the same, of which other things become', leaves([1, 2, 3], false)],
  ])('is not for %s', (_, leaving) => {
    const { hold, isApproved: isGiven } = holdOf(withHold(HELD, HELD.approval), of(leaving), NOW + 60_000);
    expect(isGiven).toBe(false);
    expect(hold).toMatchObject({ heldSince: '2026-01-01T12:01:00Z' });
    expect(hold.approval).not.toBe(HELD.approval);
  });

  it('is not for the same that wait again, whether it was carried out or not', () => {
    for (const removals of [undefined, {}]) {
      const { hold, isApproved: isGiven } = holdOf(withHold(removals, HELD.approval), of(SET), NOW + 1_000);
      expect(isGiven).toBe(false);
      expect(hold.approval).not.toBe(HELD.approval);
      expect(isApproved(withHold(hold, HELD.approval), SET)).toBe(false);
    }
  });

  it('is the same as long as the same wait', () => {
    expect(holdOf(withHold(HELD), of(SET), NOW + 9_000_000).hold).toEqual(HELD);
  });

  it('that was begun is for the rest, as long as it is given, and not for those that went', () => {
    const { hold } = holdOf(withHold(HELD, HELD.approval), of(SET), NOW);
    expect(isApproved(withHold(hold, hold.approval), SET)).toBe(true);
    const rest = holdOf(withHold(hold, hold.approval), of(leaves([2, 3])), NOW);
    expect(rest.isApproved).toBe(true);
    expect(isApproved(withHold(rest.hold, hold.approval), SET)).toBe(false);
    expect(isApproved(withHold(rest.hold, hold.approval), leaves([3]))).toBe(true);
    expect(isApproved(withHold(rest.hold, hold.approval), leaves([3, 4]))).toBe(false);
    expect(isApproved(withHold(rest.hold, hold.approval), leaves([3], false))).toBe(false);
    expect(isApproved(withHold(rest.hold), leaves([3]))).toBe(false);
  });

  it('approves nothing that did not wait when it was given, whatever happens after it', () => {
    const set = fc.uniqueArray(fc.nat({ max: 3 }), { maxLength: 4 });
    const moment = fc.record({ set, begun: set, isWritten: fc.boolean() });
    fc.assert(
      fc.property(fc.array(moment, { maxLength: 12 }), (moments) => {
        let removals: Partial<Removals> | undefined = HELD;
        let allowed = new Set([1, 2, 3]);
        let gone = new Set<number>();
        for (const [index, { set: unmatched, begun, isWritten }] of moments.entries()) {
          // One that went can only be back after a pass that saw it with an entry.
          const numbers = unmatched.filter((number) => !gone.has(number));
          const app = withHold(removals, HELD.approval);
          const { hold, isApproved: isGiven } = holdOf(app, of(leaves(numbers)), NOW + (index + 1) * 1_000);
          if (isGiven) for (const number of numbers) expect(allowed).toContain(number);
          gone = new Set(isGiven ? begun : []);
          if (!isGiven && !isWritten) continue;
          removals = numbers.length === 0 ? {} : { ...hold };
          allowed = new Set(numbers.filter((number) => allowed.has(number)));
        }
      }),
    );
  });
});
