import { describe, expect, it } from '@jest/globals';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { questionsOf } from '#queries/plans/foreseen-questions.js';
import { application, applied, CHART, deploy, type Deploy, well, work } from '../../application/model/builders.js';

const ENTRY = deploy('quay', 'eu');
const stepsOf = (entries: Deploy[], owned: readonly Child[] = [], version = '1.2.0'): readonly Step[] => {
  const app = application(entries);
  const { fluxApp } = app.spec;
  const config = { helmRelease: { chart: { ...CHART, version }, deploy: entries } };
  const spec = { ...app.spec, fluxApp: { spec: { source: fluxApp!.spec.source!, config } } };
  return work({ ...app, spec }, owned).steps;
};

/** Deployed with that chart version. */
function deployed(entries: Deploy[], version: string): Child[] {
  return applied([], stepsOf(entries, [], version)).map((child) => {
    const history = [{ name: 'web', chartVersion: version, version: 1, status: 'deployed' }];
    return { ...well(child), status: { ...well(child).status, history } };
  });
}

const namespacesOf = (steps: readonly Step[], owned: readonly Child[] = []) =>
  questionsOf(steps, owned).namespaces.map(({ namespace, asking }) => [namespace, asking.length]);

describe('the namespaces that a plan asks for', () => {
  it('are those of new releases, each once for a cluster', () => {
    const twice = [ENTRY, { ...ENTRY, releaseName: 'other' }, deploy('quay', 'us'), deploy('quay')];
    expect(namespacesOf(stepsOf(twice))).toEqual([
      ['quay', 2],
      ['quay', 1],
      ['quay', 1],
    ]);
  });

  it('are not those that are there, or that a release creates', () => {
    expect(namespacesOf(stepsOf([{ ...ENTRY, timeout: '1m' }], deployed([ENTRY], '1.2.0')))).toEqual([]);
    expect(namespacesOf(stepsOf([{ ...ENTRY, install: { createNamespace: true } }]))).toEqual([]);
    const creating = { ...ENTRY, releaseName: 'other', install: { createNamespace: true } };
    expect(namespacesOf(stepsOf([ENTRY, creating]))).toEqual([]);
    const other = { ...ENTRY, releaseName: 'other' };
    const owned = deployed([ENTRY], '1.2.0');
    expect(namespacesOf(stepsOf([ENTRY, other], owned), owned)).toEqual([]);
    expect(namespacesOf(stepsOf([deploy('shop')]))).toEqual([]);
  });
});

describe('the values that a plan asks about', () => {
  const values = { color: 'purple' };

  it('are those that change, by a release of the same chart version', () => {
    const owned = deployed([ENTRY], '1.2.0');
    const { values: asked, unknown } = questionsOf(stepsOf([{ ...ENTRY, values }], owned), owned);
    expect([asked, unknown]).toMatchObject([[{ values, version: '1.2.0', deployed: owned[0] }], []]);
    expect(questionsOf(stepsOf([{ ...ENTRY, timeout: '1m' }], owned), owned)).toMatchObject({
      values: [],
      unknown: [],
    });
    // Also on another cluster.
    const both = questionsOf(stepsOf([ENTRY, { ...deploy('quay', 'us'), values }], owned), owned);
    expect(both.values).toMatchObject([{ values, deployed: owned[0] }]);
  });

  it('are asked about once for all that have them', () => {
    const all = [ENTRY, deploy('quay', 'us')];
    const owned = deployed(all, '1.2.0');
    const { values: asked } = questionsOf(
      stepsOf(
        all.map((entry) => ({ ...entry, values })),
        owned,
      ),
      owned,
    );
    expect(asked.map(({ asking }) => asking.length)).toEqual([2]);
  });

  it('are those of a range only where the chart stays', () => {
    const ranged = deployed([ENTRY], '1.x').map((child) => {
      const history = [{ name: 'web', chartVersion: '1.2.0', version: 1 }];
      return { ...child, status: { ...child.status, history } };
    });
    const kept = questionsOf(stepsOf([{ ...ENTRY, values }], ranged, '1.x'), ranged);
    expect(kept).toMatchObject({ values: [{ version: '1.2.0' }], unknown: [] });
    const fresh = questionsOf(stepsOf([deploy('quay', 'us')], ranged, '1.x'), ranged);
    expect(fresh).toMatchObject({ values: [], unknown: [{ live: undefined }] });
  });

  it('are unknown by another version, and with values from elsewhere', () => {
    const owned = deployed([ENTRY], '1.2.0');
    const newer = questionsOf(stepsOf([{ ...ENTRY, values }], owned, '1.3.0'), owned);
    expect([newer.values.length, newer.unknown.length]).toEqual([0, 1]);
    const valuesFrom = [{ kind: 'Secret', name: 'a' }] as const;
    const other = questionsOf(stepsOf([{ ...ENTRY, values, valuesFrom: [...valuesFrom] }], owned), owned);
    expect([other.values.length, other.unknown.length]).toEqual([0, 1]);
  });

  it('are not those of a release whose next action skips the schema', () => {
    const owned = deployed([ENTRY], '1.2.0');
    const skips = { disableSchemaValidation: true };
    const asked = (entry: Deploy): number[] => {
      const { values: questions, unknown } = questionsOf(stepsOf([entry], owned), owned);
      return [questions.length, unknown.length];
    };
    expect(asked({ ...ENTRY, values, upgrade: skips })).toEqual([0, 0]);
    expect(asked({ ...ENTRY, values, install: skips })).toEqual([1, 0]);
    const fresh = deploy('quay', 'us', { values });
    expect(asked({ ...fresh, install: skips })).toEqual([0, 0]);
    expect(asked({ ...fresh, upgrade: skips })).toEqual([1, 0]);
  });
});
