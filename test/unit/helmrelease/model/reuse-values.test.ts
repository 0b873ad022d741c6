import { describe, expect, it } from '@jest/globals';
import type { PlainMap } from '#lib/plain.js';
import type { ChartRecord } from '#controllers/helmrelease/model/release.js';
import { reuseValues } from '#controllers/helmrelease/model/values.js';
import { INHERITED } from '../../../support/inherited-names.js';

function chart(values: PlainMap | null): ChartRecord {
  return {
    metadata: { name: 'web', version: '1.0.0' },
    lock: null,
    templates: null,
    values,
    schema: null,
    files: null,
  };
}

interface Row {
  readonly oldDefaults?: PlainMap;
  readonly oldConfig?: PlainMap;
  readonly values?: PlainMap;
  readonly newDefaults?: PlainMap;
  readonly config: PlainMap;
  readonly given: PlainMap;
}

describe('values that an upgrade preserves', () => {
  it.each<[string, Row]>([
    ['nothing at all', { config: {}, given: {} }],
    ['what was set stays', { oldConfig: { a: 1 }, config: { a: 1 }, given: { a: 1 } }],
    [
      'what is set now wins',
      { oldConfig: { a: 1, b: 1 }, values: { a: 2 }, config: { a: 2, b: 1 }, given: { a: 2, b: 1 } },
    ],
    [
      'maps merge',
      {
        oldConfig: { m: { a: 1 } },
        values: { m: { b: 2 } },
        config: { m: { b: 2, a: 1 } },
        given: { m: { b: 2, a: 1 } },
      },
    ],
    ['lists do not', { oldConfig: { l: [1, 2] }, values: { l: [3] }, config: { l: [3] }, given: { l: [3] } }],
    [
      'a null takes a value out of the record, but not out of what was rendered before',
      { oldConfig: { a: 1 }, values: { a: null }, config: {}, given: { a: 1 } },
    ],
    ['a null of nothing stays', { values: { a: null }, config: { a: null }, given: { a: null } }],
    ['old defaults stay', { oldDefaults: { a: 1, b: null }, newDefaults: { a: 2 }, config: {}, given: { a: 1 } }],
    [
      'new defaults do not count',
      {
        oldDefaults: { m: { a: 1 } },
        newDefaults: { m: { a: 2, b: 2 }, c: 2 },
        config: {},
        given: { m: { a: 1, b: null }, c: null },
      },
    ],
    [
      'old values over old defaults',
      {
        oldDefaults: { a: 1, b: 1 },
        oldConfig: { a: 2, b: null },
        newDefaults: { b: 3 },
        config: { a: 2, b: null },
        given: { a: 2, b: null },
      },
    ],
  ])('%s', (_, { oldDefaults = null, oldConfig, values = {}, newDefaults = null, config, given }) => {
    const before = { chart: chart(oldDefaults), ...(oldConfig === undefined ? {} : { config: oldConfig }) };
    const reused = reuseValues(before, values, chart(newDefaults));
    expect(reused).toMatchObject({ config, given });
    expect(Object.keys(reused.config).sort()).toEqual(Object.keys(config).sort());
    expect(Object.keys(reused.given).sort()).toEqual(Object.keys(given).sort());
  });

  it('are the defaults of the recorded chart, and leave their arguments alone', () => {
    const before = { chart: chart({ m: { a: 1 }, x: 1 }), config: { m: { b: 2 }, x: null } };
    const copy = structuredClone(before);
    expect(reuseValues(before, { m: { c: 3 } }, chart({ y: 1 })).chart.values).toEqual({ m: { a: 1, b: 2 } });
    expect(before).toEqual(copy);
  });
});

it.each(INHERITED)('a value called %s is one like any other', (name) => {
  const named = (value: unknown): PlainMap => Object.fromEntries([[name, value]]);
  const release = { chart: chart(named('default')), config: named('set') };
  expect(reuseValues(release, {}, chart(null))).toMatchObject({ config: named('set'), given: named('set') });
  expect(reuseValues({ chart: chart(null) }, named(null), chart(null))).toMatchObject({
    config: named(null),
    given: named(null),
  });
  expect(reuseValues({ chart: chart(null) }, {}, chart(named('new')))).toMatchObject({ given: named(null) });
});
