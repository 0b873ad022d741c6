import { describe, expect, it } from '@jest/globals';
import merge from 'lodash/merge.js';
import type { StatusInput } from '#controllers/application/model/status/conditions.js';
import { groupRows, type Row } from '#controllers/application/model/status/rows.js';
import { nextStatus } from '#controllers/application/model/conclude.js';
import type { Child } from '#controllers/application/model/child/types.js';
import {
  application,
  deploy,
  files,
  filesApplication,
  reporting,
  rowsFor,
  well,
  withStatus,
  type Deploy,
} from './builders.js';

function input(given: readonly Row[], more: Partial<StatusInput> = {}): StatusInput {
  return { rejected: [], rows: groupRows(given), ...more };
}

const many = (count: number): Deploy[] => Array.from({ length: count }, (_, index) => deploy(`ns-${index}`));

describe('the status of an Application', () => {
  it('counts every destination once and puts the worst first', () => {
    const given = rowsFor([deploy('a'), deploy('b'), deploy('c')], (child) =>
      child.spec.targetNamespace === 'b' ? reporting(child, 'False', 'InstallFailed', 'no such image') : well(child),
    );
    const { summary, destinations, conditions } = nextStatus(application([]), input(given), 0);
    expect(summary).toMatchObject({ desired: 3, ready: '2/3', states: { ready: 2, failed: 1 } });
    expect(Object.values(summary?.states ?? {}).reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(destinations?.map(({ name, state }) => `${name} ${state}`)).toEqual(['b Failed', 'a Ready', 'c Ready']);
    expect(conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'DestinationsFailed' }]);
    expect(conditions?.[0]?.message).toContain('no such image');
    expect(conditions?.[0]?.message).toMatch(/HelmRelease shop\/web-b-/);
  });

  it('keeps the engine that it started with', () => {
    const first = nextStatus(application([]), input([]), 0);
    expect(first.kind).toBe('fluxcd');
    const argo = { ...application([]), spec: { kind: 'argocd' as const, argoApp: {} } };
    expect(nextStatus(withStatus(argo, first), input([]), 0).kind).toBe('fluxcd');
  });

  it('does not report a spec as rolled out that is refused', () => {
    const rolledOut = { status: 'True', reason: 'RolledOut', message: 'revision 1' } as const;
    const before = nextStatus(application([]), input([], { rolledOut }), 0);
    const violation = { reason: 'RolloutInvalid', message: 'no stage' } as const;
    const conditionOf = (known: typeof before): unknown =>
      nextStatus(withStatus(application([]), known), input([], { violation }), 0).conditions?.find(
        ({ type }) => type === 'RolledOut',
      );
    expect(conditionOf(before)).toMatchObject({ status: 'False', ...violation });
    expect(conditionOf(nextStatus(application([]), input([]), 0))).toBeUndefined();
  });

  it('tells a child in a dry run of its own from one that is suspended', () => {
    const shown = (change: (child: Child) => Child): unknown => {
      const [row] = nextStatus(application([]), input(rowsFor([deploy('a')], change)), 0).destinations ?? [];
      return [row?.state, row?.dryRun];
    };
    const dry = (child: Child): Child =>
      merge({}, child, {
        metadata: { annotations: { 'gitops.kubesphere.io/dry-run': 'true' } },
        status: { conditions: [{ type: 'DryRun', status: 'True', reason: 'x', message: 'x', lastTransitionTime: '' }] },
      });
    const paused = (child: Child): Child => merge({}, child, { spec: { suspend: true } });
    expect(shown(dry)).toEqual(['Suspended', true]);
    expect(shown(paused)).toEqual(['Suspended', undefined]);
    expect(shown((child) => paused(dry(child)))).toEqual(['Suspended', undefined]);
  });

  it('is the same for the same input', () => {
    const given = rowsFor([deploy('a')], well);
    const first = nextStatus(application([]), input(given), 0);
    expect(nextStatus(withStatus(application([]), first), input(given), 1e12)).toEqual(first);
  });

  it('stays small: a thousand destinations fit in 100 KB, and `truncated` says that some are missing', () => {
    const given = rowsFor(many(1_000), (child) => reporting(child, 'False', 'InstallFailed', 'x'.repeat(5_000)));
    const status = nextStatus(application([]), input(given), 0);
    expect(JSON.stringify(status).length).toBeLessThan(100_000);
    expect(status).toMatchObject({ truncated: true, summary: { desired: 1_000 } });
    expect(status.fluxApp?.omitted).toContain('more than 100');
  });

  it('stays small whatever names and messages are made of', () => {
    const members = Array.from({ length: 1_000 }, (_, index) => deploy(`ns-${index}`, `${'m'.repeat(240)}-${index}`));
    const given = rowsFor(members, (child) => reporting(child, 'False', 'InstallFailed', '错误'.repeat(2_000)));
    const status = nextStatus(application([]), input(given), 0);
    expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(100_000);
    expect(status.destinations?.length).toBeGreaterThanOrEqual(50);
    expect(status).toMatchObject({ truncated: true, summary: { desired: 1_000 } });
  });

  it('shows the console files apart from charts', () => {
    const app = filesApplication([files('prod')]);
    const given = rowsFor([deploy('prod')], well);
    expect(Object.keys(nextStatus(app, input(given), 0).fluxApp ?? {})).toEqual(['kustomizationStatus']);
  });

  it('keeps the destinations when they were not observed', () => {
    const known = nextStatus(application([]), input(rowsFor([deploy('a')], well)), 0);
    const violation = { reason: 'ChartMissing', message: 'no chart' } as const;
    const next = nextStatus(withStatus(application([]), known), input([], { violation, rows: undefined }), 0);
    expect(next.destinations).toEqual(known.destinations);
    expect(next.conditions).toMatchObject([
      { type: 'Ready', status: 'False' },
      { type: 'Stalled', status: 'True' },
    ]);
  });

  it('reports the destinations of an Application that is invalid as a whole', () => {
    const violation = { reason: 'TemplateNotFound', message: 'gone' } as const;
    const templates = [{ kind: 'HelmTemplate' as const, namespace: 'shop', name: 'web', revision: 1 }];
    const next = nextStatus(application([]), input(rowsFor([deploy('a')], well), { violation, templates }), 0);
    const template = 'HelmTemplate shop/web@1';
    expect(next).toMatchObject({ summary: { desired: 1, ready: '1/1' }, template, templates });
    expect(next.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False', reason: 'TemplateNotFound' });
  });
});
