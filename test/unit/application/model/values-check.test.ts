import { describe, expect, it } from '@jest/globals';
import { entriesOf } from '#controllers/application/model/entries.js';
import type { FoundTemplate } from '#controllers/application/model/template-lookup.js';
import { valuesFlaws, valuesQuestion } from '#controllers/application/model/values-check.js';
import { verdictOn, type SchemaVerdict } from '#controllers/runtime/pure/json-schema.js';
import { application, deploy, type Deploy } from './builders.js';

const TEMPLATE: FoundTemplate = {
  inUse: { kind: 'HelmTemplate', namespace: 'shop', name: 'web', revision: 1 },
  spec: {
    sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: 'shop' },
    chart: { chart: 'web' },
    valuesSchema: { required: ['replicas'], properties: { replicas: { type: 'integer', minimum: 1 } } },
  },
};

function flawOf(more: Partial<Deploy>, verdict?: SchemaVerdict) {
  const entries = entriesOf(application([deploy('eu', 'eu', more)]));
  const { schema, values } = valuesQuestion(entries, TEMPLATE)!;
  const flaws = valuesFlaws(entries, TEMPLATE, verdict ?? verdictOn(schema, values));
  return flaws.get(entries[0]!.path)?.message.replace('spec.fluxApp.spec.config.helmRelease.', '');
}

describe('values', () => {
  it('that do not fit are named with their path and the schema', () => {
    expect(flawOf({ values: { replicas: 0 } })).toBe(
      'deploy[0].values.replicas: must be >= 1 (schema of HelmTemplate shop/web)',
    );
  });

  it('may lack something only when it can come from elsewhere', () => {
    expect(flawOf({})).toContain("deploy[0].values: must have required property 'replicas'");
    expect(flawOf({ values: { replicas: null } })).toContain('must have required property');
    expect(flawOf({ valuesFrom: [{ kind: 'Secret', name: 'more' }] })).toBeUndefined();
  });

  it('that fit are fine', () => {
    expect(flawOf({ values: { replicas: 2 } })).toBeUndefined();
  });

  it('cannot be judged by a schema that cannot be used', () => {
    expect(flawOf({ values: { replicas: 2 } }, { flaw: 'validating values takes longer than 3 s' })).toBe(
      'HelmTemplate shop/web cannot be used: spec.valuesSchema: validating values takes longer than 3 s',
    );
  });

  it('are not asked about without a schema', () => {
    const entries = entriesOf(application([deploy('eu', 'eu')]));
    expect(valuesQuestion(entries, undefined)).toBeUndefined();
  });
});
