import { describe, expect, it } from '@jest/globals';
import type { Verdict } from '../../../../controllers/application/model/conditions.js';
import { rowsOf, type Row } from '../../../../controllers/application/model/rows.js';
import { nextStatus } from '../../../../controllers/application/model/status.js';
import { nextMarks } from '../../../../controllers/application/model/marks.js';
import { shortened } from '../../../../controllers/application/model/messages.js';
import type { Child } from '../../../../controllers/application/model/types.js';
import { application, applied, deploy, reporting, withStatus, work, type Deploy } from './builders.js';

type Report = (child: Child) => Child;

function rows(entries: Deploy[], report: Report): Row[] {
  const app = application(entries);
  const children = applied([], work(app).steps).map(report);
  const { steps, rejected } = work(app, children);
  const outcomes = steps.map((step) => ({ step, child: 'live' in step ? step.live : undefined }));
  return rowsOf({ outcomes, rejected, lackOf: () => undefined });
}

function verdict(given: readonly Row[], more: Partial<Verdict> = {}): Verdict {
  return { rejected: [], rows: given, ...more };
}

const many = (count: number): Deploy[] => Array.from({ length: count }, (_, index) => deploy(`ns-${index}`));
const well: Report = (child) => reporting(child, 'True', 'InstallSucceeded');

describe('the status of an Application', () => {
  it('counts every destination once and puts the worst first', () => {
    const given = rows([deploy('a'), deploy('b'), deploy('c')], (child) =>
      child.spec.targetNamespace === 'b' ? reporting(child, 'False', 'InstallFailed', 'no such image') : well(child),
    );
    const { summary, destinations, conditions } = nextStatus(application([]), verdict(given), 0);
    expect(summary).toMatchObject({ desired: 3, ready: '2/3', states: { ready: 2, failed: 1 } });
    expect(Object.values(summary?.states ?? {}).reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(destinations?.map(({ name, state }) => `${name} ${state}`)).toEqual(['b Failed', 'a Ready', 'c Ready']);
    expect(conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'DestinationsFailed' }]);
    expect(conditions?.[0]?.message).toContain('no such image');
    expect(conditions?.[0]?.message).toMatch(/HelmRelease shop\/web-b-/);
  });

  it('changes nothing by itself', () => {
    const given = rows([deploy('a')], well);
    const first = nextStatus(application([]), verdict(given), 0);
    expect(nextStatus(withStatus(application([]), first), verdict(given), 1e12)).toEqual(first);
  });

  it('stays small: a thousand destinations fit in 100 KB, and those left out are owned up to', () => {
    const given = rows(many(1_000), (child) => reporting(child, 'False', 'InstallFailed', 'x'.repeat(5_000)));
    const status = nextStatus(application([]), verdict(given), 0);
    expect(JSON.stringify(status).length).toBeLessThan(100_000);
    expect(status).toMatchObject({ truncated: true, summary: { desired: 1_000 } });
    expect(status.fluxApp?.omitted).toContain('more than 100');
  });

  it('shows the console Ready first, and the worst of colliding keys', () => {
    const colliding = [deploy('b-c', 'a'), deploy('c', 'a-b')];
    const given = rows(colliding, (child) =>
      child.spec.targetNamespace === 'c' ? reporting(child, 'False', 'InstallFailed') : well(child),
    );
    const { fluxApp } = nextStatus(application([]), verdict(given), 0);
    expect(fluxApp?.helmReleaseStatus).toMatchObject({ 'a-b-c': { conditions: [{ type: 'Ready', status: 'False' }] } });
  });

  it('keeps what is known of the destinations when the whole Application is wrong', () => {
    const known = nextStatus(application([]), verdict(rows([deploy('a')], well)), 0);
    const violation = { reason: 'ChartMissing', message: 'no chart' } as const;
    const next = nextStatus(withStatus(application([]), known), verdict([], { violation }), 0);
    expect(next.destinations).toEqual(known.destinations);
    expect(next.conditions).toMatchObject([
      { type: 'Ready', status: 'False' },
      { type: 'Stalled', status: 'True' },
    ]);
  });

  it('marks the Application for the console only when something differs', () => {
    const given = rows([deploy('a')], well);
    const marks = nextMarks(application([]), given);
    expect(marks?.labels).toMatchObject({
      'gitops.kubesphere.io/ready-number': '1-1',
      'gitops.kubepshere.io/type': 'HelmRelease',
    });
    const base = application([]);
    const labelled = { ...base, metadata: { ...base.metadata, labels: { ...marks?.labels } } };
    expect(nextMarks(labelled, given)).toBeUndefined();
  });
});

describe('a long message', () => {
  it('keeps its start and its cause', () => {
    const text = shortened(`install failed: ${'x'.repeat(1_000)}: connection refused`);
    expect(text).toHaveLength(300);
    expect(text).toMatch(/^install failed: .* \.\.\. .*: connection refused$/);
  });
});
