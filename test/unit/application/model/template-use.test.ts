import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expand } from '#controllers/application/model/destinations/expand.js';
import { withOverrides } from '#controllers/application/model/destinations/overrides.js';
import { createCompose } from '#controllers/application/model/destinations/personal-values.js';
import { draftsOf } from '#controllers/application/model/destinations/entries.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import type { TemplateView } from '#controllers/application/model/spec/template-lookup.js';
import {
  type Resolved,
  resolveTemplates,
  templateUses,
} from '#controllers/application/model/destinations/template-use.js';
import { application, deploy, type Deploy, entriesOf } from './builders.js';
import { inventory, own, selecting } from './clusters/builders.js';

const SOURCE = { kind: 'GitRepository', name: 'apps', namespace: 'shop' } as const;
const STATUS = {
  observedGeneration: 1,
  revision: 4,
  conditions: [{ type: 'Ready', status: 'True', reason: 'Valid', message: '', lastTransitionTime: '' }],
} as const;

function seeing(spec: object): TemplateView {
  return {
    template: (kind, place) =>
      place.name === 'base' ? ({ apiVersion: '', kind, metadata: place, spec, status: STATUS } as never) : undefined,
    revision: () => spec as never,
    legacyChart: () => undefined,
    namespaceLabels: () => ({}),
  };
}

const inUse = (name: string, revision: number) =>
  ({ kind: 'KustomizationTemplate', namespace: 'shop', name, revision }) as const;

function using(entries: Deploy[], template = 'base') {
  const app = application([]);
  const flux = app.spec.fluxApp!.spec;
  const spec = { ...flux, timeout: '9m', config: { timeout: '2m', helmRelease: { template, deploy: entries } } };
  return { ...app, spec: { ...app.spec, fluxApp: { spec } } };
}

function resolved(entries: Deploy[], spec: object): Resolved {
  const found = resolveTemplates(using(entries), seeing(spec), { allowCrossNamespace: true });
  if (found === 'pending' || 'violation' in found) throw new Error(JSON.stringify(found));
  return found;
}

function specsOf({ application: app }: Resolved) {
  return entriesOf(app).map((entry) => desiredChild(app, entry, undefined).object.spec);
}

const CHART = { sourceRef: SOURCE, chart: { chart: './web', version: '1.x' } };

describe('the template of an Application', () => {
  it('gives source and chart, and lies between what all entries share and the entry', () => {
    const template = {
      ...CHART,
      values: { a: 1, b: { c: 2, d: 3 } },
      deploy: { timeout: '5m', interval: '7m', maxHistory: 3 },
    };
    const found = resolved([deploy('eu', 'eu', { interval: '1m', values: { b: { c: 9, d: null } } })], template);
    expect(specsOf(found)).toMatchObject([
      {
        chart: { spec: { chart: './web', version: '1.x', sourceRef: SOURCE } },
        interval: '1m',
        timeout: '5m',
        maxHistory: 3,
        values: { a: 1, b: { c: 9, d: null } },
        targetNamespace: 'eu',
      },
    ]);
    expect(found).toMatchObject({
      inUse: [{ kind: 'HelmTemplate', namespace: 'shop', name: 'base', revision: 4 }],
      warning: 'spec.fluxApp.spec.source is ignored: HelmTemplate shop/base provides the source',
    });
  });

  it('has the lowest values on a cluster: under the entry, its rendered values and its overrides', () => {
    const overrides = [
      { clusters: { names: ['eu'] }, values: { all: 'first', c: 'first', d: 'first' } },
      { clusters: { names: ['eu'] }, values: { all: 'second', d: 'second' } },
    ];
    const below = { all: 'template', a: 'template', b: 'template', c: 'template', d: 'template', e: 'template' };
    const entry = { values: { all: 'entry', a: 'entry', b: 'entry', c: 'entry', d: 'entry' }, overrides };
    const { application: app } = resolved([selecting({ env: 'prod' }, undefined, entry)], { ...CHART, values: below });
    const expansion = expand(draftsOf(app), 'shop', inventory([own('eu', { env: 'prod' })]));
    if ('violation' in expansion) throw new Error(expansion.violation.message);
    const [draft] = withOverrides(expansion.drafts, 'shop').drafts;
    const rendered = { all: 'rendered', b: 'rendered', c: 'rendered', d: 'rendered' };
    expect(draft?.values && createCompose()(draft.values, rendered)?.values).toEqual({
      all: 'second',
      a: 'entry',
      b: 'rendered',
      c: 'first',
      d: 'second',
      e: 'template',
    });
  });

  it('changes no identity: names and releases are those of the entry', () => {
    const entries = [deploy('eu', 'eu'), deploy('us', 'us', { releaseName: 'x' })];
    const names = (app: Resolved['application']) => entriesOf(app).map(({ childName }) => childName);
    expect(names(resolved(entries, CHART).application)).toEqual(names(application(entries)));
  });

  it('that cannot be found is a violation of the whole Application', () => {
    const found = resolveTemplates(using([deploy('eu')], 'other'), seeing(CHART), { allowCrossNamespace: true });
    expect(found).toMatchObject({ violation: { reason: 'TemplateNotFound' } });
  });

  it('of files is that of one entry, and only that entry is flawed without it', () => {
    const app = application([]);
    const kustomization = [{ template: 'base', destination: {}, wait: true }, { template: 'gone' }, { path: './own' }];
    const flux = { ...app.spec.fluxApp!.spec, config: { kustomization } };
    const files = { ...app, spec: { ...app.spec, fluxApp: { spec: flux } } };
    expect(templateUses(files).map(({ path }) => path.slice(-26))).toEqual([
      'nfig.kustomization[0].template'.slice(-26),
      'nfig.kustomization[1].template'.slice(-26),
    ]);
    const spec = { sourceRef: SOURCE, path: './base', deploy: { wait: false, force: true } };
    const found = resolveTemplates(files, seeing(spec), { allowCrossNamespace: true }) as Resolved;
    expect([...found.violations]).toMatchObject([
      ['spec.fluxApp.spec.config.kustomization[1]', { reason: 'TemplateNotFound' }],
    ]);
    const [first, , third] = specsOf(found);
    expect(first).toMatchObject({ sourceRef: SOURCE, path: './base', wait: true, force: true, prune: true });
    expect(third).toMatchObject({ path: './own', sourceRef: { kind: 'HelmRepository', name: 'charts' } });

    const templates = [inUse('base', 1), inUse('gone', 4), inUse('x', 1)];
    const used = resolveTemplates({ ...files, status: { templates } }, seeing(spec), { allowCrossNamespace: true });
    expect(used).toMatchObject({ inUse: [{ name: 'base' }, inUse('gone', 4)] });
  });

  it('never wins over an entry', () => {
    const value = fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(fc.integer(), fc.array(fc.integer())), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(value, value, (below, above) => {
        const [spec] = specsOf(resolved([deploy('eu', 'eu', { values: above })], { ...CHART, values: below }));
        expect(spec?.['values']).toEqual({ ...below, ...above });
      }),
    );
  });
});
