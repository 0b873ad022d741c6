import { describe, expect, it } from '@jest/globals';
import { entriesOf } from '../../../../controllers/application/model/entries.js';
import type { FoundTemplate } from '../../../../controllers/application/model/template-lookup.js';
import { valuesFlaw } from '../../../../controllers/application/model/values-check.js';
import { application, deploy, type Deploy } from './builders.js';

const TEMPLATE: FoundTemplate = {
  inUse: { kind: 'HelmTemplate', namespace: 'shop', name: 'web', revision: 1 },
  spec: {
    sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: 'shop' },
    chart: { chart: 'web' },
    valuesSchema: { required: ['replicas'], properties: { replicas: { type: 'integer', minimum: 1 } } },
  },
};

function flawOf(more: Partial<Deploy>, template: FoundTemplate | undefined = TEMPLATE) {
  const [entry] = entriesOf(application([deploy('eu', 'eu', more)]));
  return valuesFlaw(entry!, template)?.message.replace('spec.fluxApp.spec.config.helmRelease.', '');
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

  it('that fit, or that no schema is for, are fine', () => {
    expect(flawOf({ values: { replicas: 2 } })).toBeUndefined();
    const [entry] = entriesOf(application([deploy('eu', 'eu')]));
    expect(valuesFlaw(entry!, undefined)).toBeUndefined();
  });
});
