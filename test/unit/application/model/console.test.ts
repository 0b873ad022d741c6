import { describe, expect, it } from '@jest/globals';
import { consoleStatus as statusFor, MAX_CONSOLE_DESTINATIONS } from '#controllers/application/model/status/console.js';
import { groupRows, type Row } from '#controllers/application/model/status/rows.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { deploy, reporting, rowsFor, well } from './builders.js';

const many = (count: number) => Array.from({ length: count }, (_, index) => deploy(`ns-${index}`));

const SINCE = '2026-01-01T00:00:00Z';
const consoleStatus = (rows: readonly Row[]) => statusFor(groupRows(rows), { since: SINCE });

describe('what the console reads', () => {
  it('is keyed as shipped and has Ready first, whatever the order of the child', () => {
    const report = (child: Child): Child => {
      const { conditions = [] } = well(child).status ?? {};
      const released = { ...conditions[0]!, type: 'Released' };
      return { ...child, status: { conditions: [released, ...conditions] } };
    };
    expect(consoleStatus(rowsFor([deploy('prod', 'eu')], report))).toMatchObject({
      'eu-prod': { conditions: [{ type: 'Ready', status: 'True' }, { type: 'Released' }] },
    });
  });

  it.each([
    [{ destination: {} }, ''],
    [{ destination: { kubeConfig: { secretRef: { name: 'node-1' } } } }, 'node-1-'],
  ])('is keyed as shipped where no target namespace is stated: %j', (entry, key) => {
    expect(Object.keys(consoleStatus(rowsFor([entry], well)) ?? {})).toEqual([key]);
  });

  it('has a Ready of unknown for a child without a report', () => {
    expect(consoleStatus(rowsFor([deploy('prod')], (child) => child))).toMatchObject({
      prod: { conditions: [{ type: 'Ready', status: 'Unknown', message: 'no status reported yet' }] },
    });
  });

  it('dates what is not known of a child from its creation, without one from that of the Application', () => {
    const rows = rowsFor([deploy('prod')], (child) => ({
      ...child,
      metadata: { ...child.metadata, creationTimestamp: '2026-01-02T00:00:00Z' },
    }));
    const dated = (lastTransitionTime: string) => ({ prod: { conditions: [{ lastTransitionTime }] } });
    expect(consoleStatus(rows)).toMatchObject(dated('2026-01-02T00:00:00Z'));
    expect(consoleStatus(rows.map((row) => ({ ...row, child: undefined })))).toMatchObject(dated(SINCE));
  });

  it('does not show that a Ready child is reconciled again', () => {
    const looking = (child: Child): Child => {
      const { conditions = [] } = well(child).status ?? {};
      const more = { ...conditions[0]!, type: 'Reconciling', message: 'Fulfilling prerequisites' };
      return { ...well(child), status: { observedGeneration: 1, conditions: [more, ...conditions] } };
    };
    const rows = rowsFor([deploy('prod')], looking);
    expect(consoleStatus(rows)).toEqual(consoleStatus(rowsFor([deploy('prod')], well)));
  });

  it('shows the worst of keys that collide, in either order', () => {
    const colliding = [deploy('b-c', 'a'), deploy('c', 'a-b')];
    const report = (child: Child): Child =>
      child.spec.targetNamespace === 'c' ? reporting(child, 'False', 'InstallFailed') : well(child);
    for (const entries of [colliding, [...colliding].reverse()]) {
      expect(consoleStatus(rowsFor(entries, report))).toMatchObject({ 'a-b-c': { conditions: [{ status: 'False' }] } });
    }
  });

  it('shortens the messages of children, so that a hundred of them fit', () => {
    const map = consoleStatus(rowsFor(many(100), (child) => reporting(child, 'False', 'Failed', 'x'.repeat(30_000))));
    expect(JSON.stringify(map).length).toBeLessThan(100_000);
  });

  it('carries only the fields that it shows', () => {
    const status = { observedGeneration: 1, lastAttemptedRevision: '1.0.0', history: [], failures: 3 };
    const map = consoleStatus(rowsFor([deploy('prod')], (child) => ({ ...child, status })));
    expect(Object.keys(map?.['prod'] ?? {})).toEqual(['observedGeneration', 'lastAttemptedRevision', 'conditions']);
  });

  it('is left out above a hundred destinations', () => {
    expect(Object.keys(consoleStatus(rowsFor(many(MAX_CONSOLE_DESTINATIONS), well)) ?? {})).toHaveLength(100);
    expect(consoleStatus(rowsFor(many(MAX_CONSOLE_DESTINATIONS + 1), well))).toBeUndefined();
  });
});
