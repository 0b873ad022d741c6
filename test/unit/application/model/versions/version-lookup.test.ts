import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import {
  requestedLookup,
  chartLookup,
  chartLookupName,
  rangesIn,
  foundVersion,
  lookupPlace,
} from '#controllers/application/model/sources/version-lookup.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { range, ranged } from './builders.js';

const SIX = range('6.x');
const PLACE = lookupPlace(SIX);
const { kind, spec } = chartLookup(SIX);
const ROW = { kind: 'HelmRepository', namespace: 'shop', name: 'charts', chart: 'podinfo', version: '6.x' };
const ASKS = { sources: [{ ...ROW, interval: '10m' }] };
const RULES = { allowCrossNamespace: false };

function live(status: object, more: object = {}): Child {
  const metadata = { name: PLACE.name, namespace: 'shop', generation: 2 };
  const condition = { type: 'Ready', lastTransitionTime: '', reason: '', status: 'True' as const, message: 'gone' };
  const base = { observedGeneration: 2, conditions: [condition], artifact: { revision: '6.7.1' } };
  return { apiVersion: '', kind, metadata, spec: { ...spec, ...more }, status: { ...base, ...status } };
}

const failed = [{ type: 'Ready', lastTransitionTime: '', reason: '', status: 'False' as const, message: 'no match' }];

describe('the HelmChart that looks up a version range', () => {
  it('has its chart, range and repository, in the namespace of the repository', () => {
    const sourceRef = { kind: 'HelmRepository', name: 'charts' };
    expect({ kind, spec }).toEqual({
      kind: 'HelmChart',
      spec: { chart: 'podinfo', version: '6.x', interval: '10m', sourceRef },
    });
    expect(PLACE).toEqual({ kind, namespace: 'shop', name: chartLookupName({ kind, spec }) });
    expect(PLACE.name).toMatch(/^range-podinfo-[a-z2-7]{10}$/);
    expect(lookupPlace(range('7.x')).name).not.toBe(PLACE.name);
  });

  it.each(['', 'UPPER/lower', '../..', 'a'.repeat(300), '\u2028'])('has a valid name for the chart %j', (name) => {
    const chart = { name, version: '*', interval: '10m' };
    expect(lookupPlace({ ...SIX, chart }).name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])$/);
  });

  it('is asked for by the status of an Application', () => {
    expect(rangesIn(ranged('6.x', ASKS))).toEqual([SIX]);
    expect(rangesIn(ranged('6.x'))).toEqual([]);
    expect(rangesIn(ranged('6.x', { sources: [ROW] }))).toEqual([]);
    expect(requestedLookup(ranged('6.x', ASKS), PLACE, RULES)).toEqual({ kind, spec });
    expect(requestedLookup(ranged('6.x', ASKS), { ...PLACE, name: 'other' }, RULES)).toBeUndefined();
  });

  it('is asked for by nobody who goes, tries, or may not', () => {
    const app = ranged('6.x', ASKS);
    const marked = (more: object): Application => ({ ...app, metadata: { ...app.metadata, ...more } });
    const others = [
      marked({ deletionTimestamp: '2026-01-01T00:00:00Z' }),
      marked({ annotations: { 'gitops.kubesphere.io/dry-run': 'true' } }),
      marked({ namespace: 'other' }),
    ];
    for (const each of others) expect(requestedLookup(each, PLACE, RULES)).toBeUndefined();
    expect(requestedLookup(marked({ namespace: 'other' }), PLACE, { allowCrossNamespace: true })).toEqual({
      kind,
      spec,
    });
  });

  it.each<[string, Child | undefined, object]>([
    ['says the version', live({}), { resolved: '6.7.1' }],
    ['says nothing before it exists', undefined, { problem: `HelmChart shop/${PLACE.name} does not exist yet` }],
    [
      'says nothing while it fails',
      live({ conditions: failed }),
      { problem: `HelmChart shop/${PLACE.name} is not ready: no match` },
    ],
    [
      'says nothing about an older generation',
      live({ observedGeneration: 1 }),
      { problem: `HelmChart shop/${PLACE.name} is not ready yet` },
    ],
    [
      'says nothing without an artifact',
      live({ artifact: null }),
      { problem: `HelmChart shop/${PLACE.name} is not ready yet` },
    ],
    [
      'says nothing of another range',
      live({}, { version: '5.x' }),
      { problem: `HelmChart shop/${PLACE.name} was edited` },
    ],
  ])('%s', (_name, chart, found) => expect(foundVersion(SIX, chart, RULES)).toEqual(found));

  it('is neither made nor waited for where nobody watches', () => {
    const rules = { allowCrossNamespace: true, watchedNamespace: 'other' };
    expect(requestedLookup(ranged('6.x', ASKS), PLACE, rules)).toBeUndefined();
    const why = 'outside of other, the only namespace that this controller watches: use an exact version';
    expect(foundVersion(SIX, undefined, rules)).toEqual({ problem: `HelmRepository shop/charts is ${why}` });
    expect(requestedLookup(ranged('6.x', ASKS), PLACE, { ...rules, watchedNamespace: 'shop' })).toEqual({ kind, spec });
  });
});
