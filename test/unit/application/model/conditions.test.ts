import { describe, expect, it } from '@jest/globals';
import type { Condition } from '#api/meta.js';
import { INSTALLED_ONCE_ANNOTATION } from '#api/v1alpha1/labels.js';
import { nextConditions, type StatusInput } from '#controllers/application/model/status/conditions.js';
import { groupRows } from '#controllers/application/model/status/rows.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { deploy, leaving, reporting, rowsFor, well } from './builders.js';

const at = { generation: 3, now: '2026-01-02T00:00:00Z' };
const two = [deploy('a'), deploy('b')];
const suspendedAfter = (child: Child): Child => {
  const metadata = { ...child.metadata, generation: (child.metadata.generation ?? 0) + 1 };
  return { ...child, metadata, spec: { ...child.spec, suspend: true } };
};
const suspended = (child: Child): Child => suspendedAfter(well(child));
function left(child: Child): Child {
  const annotations = { ...child.metadata.annotations, [INSTALLED_ONCE_ANNOTATION]: '6.5.0' };
  return suspended({ ...child, metadata: { ...child.metadata, annotations } });
}
const inA =
  (there: (child: Child) => Child, elsewhere: (child: Child) => Child) =>
  (child: Child): Child =>
    child.spec.targetNamespace === 'a' ? there(child) : elsewhere(child);
const says =
  (status: 'True' | 'False' | 'Unknown', reason: string) =>
  (child: Child): Child =>
    child.spec.targetNamespace === 'b' ? reporting(child, status, reason) : well(child);
const verdict = (report: (child: Child) => Child, more: Partial<StatusInput> = {}): StatusInput => ({
  rejected: [],
  rows: groupRows(rowsFor(two, report)),
  ...more,
});
const text = ({ type, status, reason }: Condition): string => `${type}=${status} ${reason}`;

describe('the conditions of an Application', () => {
  it.each<[string, StatusInput, string[]]>([
    ['all is well', verdict(well), ['Ready=True AllReady']],
    ['everything is suspended', verdict(suspended), ['Ready=True Suspended']],
    [
      'what failed is suspended by hand',
      verdict((child) => suspendedAfter(says('False', 'InstallFailed')(child))),
      ['Ready=False DestinationsFailed'],
    ],
    [
      'what waits for its source is suspended by hand',
      verdict((child) => suspendedAfter(says('False', 'SourceNotReady')(child))),
      ['Ready=True Suspended'],
    ],
    [
      'one destination is on its way',
      verdict(says('Unknown', 'Progressing')),
      ['Ready=Unknown DestinationsNotReady', 'Reconciling=True Progressing'],
    ],
    [
      'all is well, and pinned',
      verdict(well, { pinned: { reason: 'Pinned', message: 'to 3' } }),
      ['Ready=True AllReady', 'Pinned=True Pinned'],
    ],
    [
      'all is well, and pinned to nothing: no edit takes effect',
      verdict(well, { pinned: { reason: 'RevisionUnknown', message: 'revision 3 is not kept' } }),
      ['Ready=False RevisionUnknown', 'Pinned=True RevisionUnknown'],
    ],
    ['one destination failed', verdict(says('False', 'InstallFailed')), ['Ready=False DestinationsFailed']],
    ['one cluster is silent', verdict(says('False', 'ClusterUnreachable')), ['Ready=False DestinationsFailed']],
    [
      'the Application is wrong as a whole',
      { violation: { reason: 'DeployEmpty', message: 'empty' }, rejected: [], rows: groupRows([]) },
      ['Ready=False DeployEmpty', 'Stalled=True DeployEmpty'],
    ],
    [
      'the source is missing',
      verdict((child) => child, { missing: { reason: 'SourceNotFound', message: 'gone' } }),
      ['Ready=False SourceNotFound'],
    ],
    [
      'the source is missing and something is still going on',
      verdict(says('Unknown', 'Progressing'), { missing: { reason: 'SourceNotFound', message: 'gone' } }),
      ['Ready=False SourceNotFound', 'Reconciling=True Progressing'],
    ],
    [
      'it is being deleted',
      verdict(well, { missing: { reason: 'Deleting', message: 'waits' } }),
      ['Ready=False Deleting', 'Reconciling=True Deleting'],
    ],
    [
      'an entry is rejected',
      verdict(well, { rejected: [{ reason: 'InvalidName', message: 'bad' }] }),
      ['Ready=False InvalidName', 'Stalled=True InvalidName'],
    ],
    [
      'a child is on its way out',
      verdict(leaving),
      ['Ready=Unknown DestinationsNotReady', 'Reconciling=True Progressing'],
    ],
  ])('when %s', (_, given, expected) => {
    const conditions = nextConditions([], given, at);
    expect(conditions.map(text)).toEqual(expected);
    expect(conditions.every(({ observedGeneration }) => observedGeneration === 3)).toBe(true);
  });

  it('are not Ready while no cluster matches, and say which selector, in a bounded text', () => {
    const clusters = { matched: 0, excluded: 0, selectors: [{ entry: 'deploy[0]', matched: 0 }] };
    const none = { rejected: [], rows: groupRows([]), clusters };
    const [ready] = nextConditions([], { ...none, warnings: ['deploy[0]: no cluster matches'] }, at);
    expect(ready).toMatchObject({
      status: 'False',
      reason: 'NoClusterMatches',
      message: 'there is no destination; deploy[0]: no cluster matches',
    });
    const many = Array.from({ length: 100 }, (_, index) => `deploy[${index}]: ${'x'.repeat(1_000)}`);
    const [bounded] = nextConditions([], { ...none, warnings: many }, at);
    expect(bounded?.message).toMatch(/; and 90 more warnings$/);
    expect(bounded?.message.length).toBeLessThan(5_000);
  });

  it('lose Reconciling and Stalled when they no longer hold, as kstatus reads them', () => {
    const stuck = nextConditions([], verdict(well, { rejected: [{ reason: 'InvalidName', message: 'bad' }] }), at);
    expect(nextConditions(stuck, verdict(well), at).map(text)).toEqual(['Ready=True AllReady']);
  });

  it.each([
    [[deploy('a')], 'the destination is suspended'],
    [two, 'all 2 destinations are suspended'],
  ])('say that everything is suspended', (entries, message) => {
    const [ready] = nextConditions([], { rejected: [], rows: groupRows(rowsFor(entries, suspended)) }, at);
    expect(ready).toMatchObject({ status: 'True', reason: 'Suspended', message });
  });

  it.each<[string, string, (child: Child) => Child]>([
    ['Unmanaged', 'all 2 destinations are installed once', left],
    ['AllReady', '1 of 2 destinations are installed once, the others are ready', inA(left, well)],
    ['AllReady', '1 of 2 destinations are suspended, 1 is installed once', inA(left, suspended)],
  ])('say what was installed once: %s, %s', (reason, message, report) => {
    const [ready] = nextConditions([], verdict(report), at);
    expect(ready).toMatchObject({ status: 'True', reason, message });
  });

  it('keep their time until the status changes', () => {
    const later = { ...at, now: '2026-01-03T00:00:00Z' };
    const failed = nextConditions([], verdict(says('False', 'InstallFailed')), at);
    const stillFailed = nextConditions(failed, verdict(says('False', 'UpgradeFailed')), later);
    expect(stillFailed[0]?.lastTransitionTime).toBe(at.now);
    expect(nextConditions(failed, verdict(well), later)[0]?.lastTransitionTime).toBe(later.now);
  });

  it('say once what several entries have in common', () => {
    const shared = { reason: 'DuplicateDestination', message: 'a and b define the same' } as const;
    const [ready] = nextConditions([], verdict(well, { rejected: [shared, shared] }), at);
    expect(ready?.message).toBe('a and b define the same');
  });

  it('name every destination that is not as wanted', () => {
    const [ready] = nextConditions(
      [],
      verdict((child) => reporting(child, 'False', 'InstallFailed', 'no image')),
      at,
    );
    expect(ready?.message).toMatch(/^a is Failed: HelmRelease .*: no image; b is Failed: HelmRelease .*: no image$/);
  });
});
