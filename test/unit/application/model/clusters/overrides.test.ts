import { describe, expect, it } from '@jest/globals';
import { withOverrides } from '#controllers/application/model/destinations/overrides.js';
import { expand } from '#controllers/application/model/destinations/expand.js';
import { draftsOf } from '#controllers/application/model/destinations/entries.js';
import type { ExpandedDraft } from '#controllers/application/model/child/types.js';
import { application, deploy, type Deploy } from '../builders.js';
import { inventory, own, selecting } from './builders.js';

const PATH = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';
const CLUSTERS = [own('eu', { env: 'prod', tier: 'gold' }), own('us', { env: 'prod' })];
const ALL = selecting({ env: 'prod' });

type Overrides = NonNullable<Deploy['overrides']>;

function personal(entry: Deploy) {
  const expansion = expand(draftsOf(application([entry])), 'shop', inventory(CLUSTERS));
  if ('violation' in expansion) throw new Error(expansion.violation.message);
  return withOverrides(expansion.drafts, 'shop');
}

/** The fields of the entry on `eu` and on `us`. */
function layers(entry: Partial<Deploy>, overrides: Overrides): ExpandedDraft['layer'][] {
  return personal({ ...ALL, ...entry, overrides }).drafts.map(({ layer }) => layer);
}

const EU = { names: ['eu'] };

describe('overrides', () => {
  const rows: Record<string, [entry: Partial<Deploy>, overrides: Overrides, expected: object]> = {
    'win over the entry': [{ timeout: '1m' }, [{ clusters: EU, timeout: '2m' }], { timeout: '2m' }],
    'win by their order': [
      {},
      [
        { clusters: EU, timeout: '2m' },
        { clusters: EU, timeout: '3m' },
      ],
      { timeout: '3m' },
    ],
    'take nothing away that they do not set': [{ timeout: '1m' }, [{ clusters: EU }], { timeout: '1m' }],
    'set true to false': [{ suspend: true }, [{ clusters: EU, suspend: false }], { suspend: false }],
    'set a number to 0': [{ maxHistory: 5 }, [{ clusters: EU, maxHistory: 0 }], { maxHistory: 0 }],
    'merge labels for the namespace': [
      { namespaceLabels: { a: '1', b: '1' } },
      [{ clusters: EU, namespaceLabels: { b: '2' } }],
      { namespaceLabels: { a: '1', b: '2' } },
    ],
    'merge maps': [
      { install: { crds: 'Skip', timeout: '1m' } },
      [{ clusters: EU, install: { timeout: '2m' } }],
      { install: { crds: 'Skip', timeout: '2m' } },
    ],
    'replace lists': [
      { values: { hosts: ['a', 'b'] } },
      [{ clusters: EU, values: { hosts: ['c'] } }],
      { values: { hosts: ['c'] } },
    ],
    'set values to false, 0 and nothing': [
      { values: { a: true, b: 1, c: 'text' } },
      [{ clusters: EU, values: { a: false, b: 0, c: '' } }],
      { values: { a: false, b: 0, c: '' } },
    ],
    'delete a key of the chart with null': [
      { values: { a: { b: 1 } } },
      [{ clusters: EU, values: { a: null } }],
      { values: { a: null } },
    ],
  };
  it.each(Object.entries(rows))('%s', (_, [entry, overrides, expected]) => {
    const [eu] = layers(entry, overrides);
    expect(eu).toMatchObject(expected);
    expect(eu).not.toHaveProperty('overrides');
  });

  it('set a text to nothing, which counts as absent for the child', () => {
    const [eu, us] = layers({ serviceAccountName: 'deployer' }, [{ clusters: EU, serviceAccountName: '' }]);
    expect(eu).not.toHaveProperty('serviceAccountName');
    expect(us).toHaveProperty('serviceAccountName', 'deployer');
  });

  it('turn older patches into patches', () => {
    const kustomize = { patchesStrategicMerge: [{ kind: 'Deployment' }] };
    const [eu] = layers({}, [{ clusters: EU, postRenderers: [{ kustomize }] }]);
    expect(eu).toHaveProperty('postRenderers', [{ kustomize: { patches: [{ patch: '{"kind":"Deployment"}' }] } }]);
  });

  it.each<[string, Overrides, boolean[]]>([
    ['is so where nothing else is said', [{ clusters: EU, mode: 'Once' }], [false, true]],
    [
      'is not where another one says so',
      [
        { clusters: EU, mode: 'Once' },
        { clusters: { names: ['us'] }, mode: 'Continuous' },
      ],
      [false, false],
    ],
    ['is not without such an override', [{ clusters: EU, timeout: '1m' }], [false, false]],
  ])('a mode that may be Once %s', (_name, overrides, expected) => {
    const { drafts } = personal({ ...ALL, overrides });
    expect(drafts.map(({ mayBeOnce }) => mayBeOnce)).toEqual(expected);
  });

  it('are merged once for all clusters with the same overrides, which keep their own destinations', () => {
    const gold = { selector: { matchLabels: { tier: 'gold' } } };
    const prod = { selector: { matchLabels: { env: 'prod' } } };
    const entry = { values: { a: { b: 1 } } };
    const [eu, us] = layers(entry, [{ clusters: prod, values: { a: { c: 2 } } }]);
    expect(eu).toMatchObject({
      values: { a: { b: 1, c: 2 } },
      destination: { kubeConfig: { secretRef: { name: 'eu' } } },
    });
    expect(us?.destination).toMatchObject({ kubeConfig: { secretRef: { name: 'us' } } });
    expect(us?.['values']).toBe(eu?.['values']);
    const [other, plain] = layers(entry, [{ clusters: gold, values: { a: { c: 2 } } }]);
    expect(other).toHaveProperty('values', { a: { b: 1, c: 2 } });
    expect(plain).toHaveProperty('values', entry.values);
  });

  const matches: Record<string, [clusters: Overrides[number]['clusters'], matched: string[]]> = {
    'by name': [{ names: ['us', 'none'] }, ['us']],
    'by selector': [{ selector: { matchLabels: { tier: 'gold' } } }, ['eu']],
    'by both': [{ names: ['us'], selector: { matchLabels: { tier: 'gold' } } }, []],
    'by an expression': [{ selector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] } }, ['us']],
  };
  it.each(Object.entries(matches))('match clusters %s', (_, [clusters, matched]) => {
    const { drafts } = personal({ ...ALL, overrides: [{ clusters, timeout: '9m' }] });
    const found = drafts.filter(({ layer }) => layer['timeout'] === '9m').map(({ clusterName }) => clusterName);
    expect(found).toEqual(matched);
  });

  it('leave name, destination and release of the entry unchanged', () => {
    const identity = { name: 'x', destination: {}, template: 't', releaseName: 'r', storageNamespace: 's' };
    const [eu, us] = layers({ releaseName: 'web' }, [{ clusters: EU, ...identity }]);
    expect(eu).toMatchObject({ releaseName: 'web', destination: { kubeConfig: { secretRef: { name: 'eu' } } } });
    expect(eu).not.toHaveProperty('name');
    expect(us).toMatchObject({ releaseName: 'web' });
  });

  const wrong: Record<string, [clusters: Overrides[number]['clusters'], message: string]> = {
    'without clusters': [{}, 'names no cluster: set names, selector, or both'],
    'with no names': [{ names: [] }, '.names is empty: add names, or remove the field'],
    'with an empty selector': [{ selector: {} }, '.selector is empty, which could only mean all clusters'],
  };
  it.each(Object.entries(wrong))('%s are a violation', (_, [clusters, message]) => {
    const { violations } = personal({ ...ALL, overrides: [{ clusters }] });
    const reported = { reason: 'OverridesInvalid', message: expect.stringContaining(message) };
    expect(violations.get(`${PATH} (cluster eu)`)).toMatchObject(reported);
  });

  it.each<Partial<Deploy>>([{ overrides: [{ clusters: EU }] }, { valuesTemplate: 'a: 1' }, { ready: 'true' }])(
    'need clusters of the inventory: %j',
    (more) => {
      const violation = personal(deploy('prod', 'member', more)).violations.get(PATH);
      expect(violation?.message).toContain('needs clusters of the inventory');
    },
  );

  it('for a cluster that the entry is not on are named in a warning', () => {
    const gold = { selector: { matchLabels: { tier: 'silver' } } };
    const { warnings } = personal({ ...ALL, overrides: [{ clusters: { names: ['eu', 'ap'] } }, { clusters: gold }] });
    expect(warnings).toEqual([
      `${PATH}.overrides[0].clusters.names: the entry is on no cluster called "ap"`,
      `${PATH}.overrides[1].clusters: matches no cluster of the entry`,
    ]);
  });

  it('replace the template of values, and switch it off', () => {
    const valuesTemplate = 'a: 1';
    const templates = (overrides: Overrides) =>
      personal({ ...ALL, valuesTemplate, overrides }).drafts.map(({ values }) => values?.valuesTemplate);
    expect(templates([{ clusters: EU, valuesTemplate: 'b: 2' }])).toEqual(['b: 2', 'a: 1']);
    expect(templates([{ clusters: EU, valuesTemplate: '' }])).toEqual([undefined, 'a: 1']);
  });
});
