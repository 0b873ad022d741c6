import { describe, expect, it } from '@jest/globals';
import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { statusEvents } from '#controllers/application/model/status/events.js';
import { groupRows, type Rows, rowsOf } from '#controllers/application/model/status/rows.js';
import { nextStatus } from '#controllers/application/model/conclude.js';
import type { Child, Violation } from '#controllers/application/model/child/types.js';
import { application, deploy, legacyChild, reporting, rowsFor, well, withStatus, work } from './builders.js';

type Report = (child: Child) => Child;

const fleet = Array.from({ length: 8 }, (_, index) => deploy(`prod-${index}`));
const failing =
  (message: string): Report =>
  (child) =>
    reporting(child, 'False', 'InstallFailed', message);
const moving: Report = (child) => reporting(child, 'Unknown', 'Progressing');

/** What the children of `fleet` report, those named in `special` apart. */
function reports(usual: Report, special: Record<string, Report> = {}): Report {
  return (child) => (special[child.spec.targetNamespace ?? ''] ?? usual)(child);
}

function told(before: Report, after: Report, entries = fleet): string[] {
  const status = (report: Report, old?: ApplicationStatus): ApplicationStatus => {
    const app = old === undefined ? application(entries) : withStatus(application(entries), old);
    return nextStatus(app, { rejected: [], rows: groupRows(rowsFor(entries, report)) }, 0);
  };
  const first = status(before);
  const events = statusEvents(first, { rows: groupRows(rowsFor(entries, after)) }, status(after, first));
  return events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

describe('the event of a destination', () => {
  it.each<[string, Report, Report, string[]]>([
    ['is none when nothing changes', reports(moving), reports(moving), []],
    [
      'tells that one is ready while others move',
      reports(moving),
      reports(moving, { 'prod-3': well }),
      ['Normal DestinationReady: prod-3 is ready'],
    ],
    [
      'tells of many in one',
      reports(moving, { 'prod-7': failing('no') }),
      reports(well, { 'prod-7': failing('no') }),
      ['Normal DestinationReady: prod-0, prod-1, prod-2, prod-3, prod-4 and 2 more are ready'],
    ],
    [
      'is left to Ready when that has news',
      reports(moving),
      reports(well),
      ['Normal AllReady: all 8 destinations are ready'],
    ],
    [
      'is none for steps on the way',
      reports(well, { 'prod-1': failing('no') }),
      reports(moving, { 'prod-1': failing('no') }),
      [],
    ],
    [
      'is none for other words',
      reports(moving, { 'prod-1': failing('a') }),
      reports(moving, { 'prod-1': failing('b') }),
      [],
    ],
  ])('%s', (_, before, after, events) => {
    expect(told(before, after)).toEqual(events);
  });

  it('warns of a second one that fails', () => {
    const [event, ...others] = told(
      reports(well, { 'prod-1': failing('no') }),
      reports(well, { 'prod-1': failing('no'), 'prod-2': failing('quota exceeded') }),
    );
    expect(others).toEqual([]);
    expect(event).toMatch(
      /^Warning DestinationFailed: prod-2 is Failed: HelmRelease shop\/web-prod-2-\S+: quota exceeded$/,
    );
  });
});

describe('the event of a child that is left unchanged', () => {
  const spec = { targetNamespace: 'old' };
  const names = ['web1', 'web2', 'web3'];
  const entries = [deploy('prod')];
  const rowsWith = (count: number): Rows => {
    const leftovers = names.slice(0, count).map((name) => legacyChild(name, `old-${name}`, spec));
    const { steps, rejected } = work(application(entries), leftovers);
    const outcomes = steps.map((step) => ({ step, child: 'live' in step ? step.live : undefined }));
    return groupRows(rowsOf({ outcomes, rejected }));
  };
  const statusWith = (count: number): ApplicationStatus =>
    nextStatus(application(entries), { rejected: [], rows: rowsWith(count) }, 0);
  const spared = (before: ApplicationStatus | undefined, count: number, violation?: Violation): string[] =>
    statusEvents(before, { rows: rowsWith(count), violation }, statusWith(count))
      .filter(({ reason }) => reason === 'Spared')
      .map(({ message }) => message);

  it('is recorded once, and says how to have the child removed', () => {
    const [message, ...others] = spared(undefined, 1);
    expect(others).toEqual([]);
    expect(message).toMatch(/^HelmRelease shop\/web1: left unchanged, ks-devops created it .*prune-legacy=true/);
    expect(spared(statusWith(1), 1)).toEqual([]);
  });

  it('is one for all', () => {
    expect(spared(undefined, 3)).toHaveLength(1);
    expect(spared(undefined, 3)[0]).toMatch(/; and 2 more like it$/);
  });

  it('is not recorded while the Application as a whole is stalled, which Ready reports', () => {
    expect(spared(undefined, 2, { reason: 'DeployEmpty', message: 'deploy is empty' })).toEqual([]);
  });

  it('is none where not all rows were listed before', () => {
    expect(spared({ ...statusWith(1), truncated: true }, 3)).toEqual([]);
  });
});
