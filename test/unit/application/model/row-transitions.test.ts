import { describe, expect, it } from '@jest/globals';
import type { ApplicationStatus } from '../../../../api/v1alpha1/application.js';
import { statusEvents } from '../../../../controllers/application/model/row-transitions.js';
import { nextStatus } from '../../../../controllers/application/model/status.js';
import type { Child } from '../../../../controllers/application/model/types.js';
import { application, deploy, reporting, rowsFor, well, withStatus } from './builders.js';

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
    return nextStatus(app, { rejected: [], rows: rowsFor(entries, report) }, 0);
  };
  const first = status(before);
  const events = statusEvents(first, rowsFor(entries, after), status(after, first));
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
