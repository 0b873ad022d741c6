import { describe, expect, it } from '@jest/globals';
import type { Template } from '#api/v1alpha1/template.js';
import {
  findTemplate,
  isSharedWith,
  templatePlaces,
  type TemplateView,
} from '#controllers/application/model/spec/template-lookup.js';

const OPEN = { allowCrossNamespace: true };
const CLOSED = { allowCrossNamespace: false };
const SPEC = {
  sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: 'shop' },
  chart: { chart: 'web' },
} as const;
const READY = { type: 'Ready', status: 'True', reason: 'Valid', message: 'ok', lastTransitionTime: '' } as const;

function template(namespace: string, name: string, more: Partial<Template> = {}): Template {
  const status = { observedGeneration: 1, revision: 3, conditions: [READY] };
  const metadata = { namespace, name, uid: `${namespace}/${name}` };
  return {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'HelmTemplate',
    metadata,
    spec: SPEC,
    status,
    ...more,
  } as Template;
}

function view(templates: readonly Template[], more: Partial<TemplateView> = {}): TemplateView {
  return {
    template: (kind, place) =>
      templates.find(
        ({ metadata, ...each }) =>
          each.kind === kind && metadata.namespace === place.namespace && metadata.name === place.name,
      ),
    revision: (_template, revision) => (revision <= 3 ? SPEC : undefined),
    legacyChart: () => undefined,
    namespaceLabels: () => ({ team: 'blue' }),
    ...more,
  };
}

function find(text: string, seen: TemplateView, rules = OPEN) {
  return findTemplate({ use: { kind: 'HelmTemplate', text, path: 'template', namespace: 'shop' }, view: seen, rules });
}

describe('a template', () => {
  it('is looked up by its name, then with the namespace as prefix, and in other namespaces only if stated', () => {
    expect(templatePlaces({ text: 'web@2', namespace: 'shop' })).toEqual([
      { namespace: 'shop', name: 'web' },
      { namespace: 'shop', name: 'shop-web' },
    ]);
    expect(templatePlaces({ text: 'b/web', namespace: 'shop' })).toEqual([{ namespace: 'b', name: 'web' }]);
    const both = view([template('shop', 'shop-web'), template('shop', 'web')]);
    expect(find('web', both)).toMatchObject({ inUse: { name: 'web', revision: 3 }, spec: SPEC });
    expect(find('web', view([template('shop', 'shop-web')]))).toMatchObject({ inUse: { name: 'shop-web' } });
  });

  it('may be pinned, also while its newest spec is broken', () => {
    const broken = template('shop', 'web', {
      status: { observedGeneration: 2, revision: 3, conditions: [{ ...READY, status: 'False', message: 'no range' }] },
    });
    expect(find('web@2', view([broken]))).toMatchObject({ inUse: { revision: 2 } });
    expect(find('web', view([broken]))).toMatchObject({
      violation: { reason: 'TemplateInvalid', message: expect.stringContaining('no range') },
    });
  });

  it('is a HelmChart of ks-devops when there is no other', () => {
    const legacy = view([], { legacyChart: () => SPEC });
    expect(find('web', legacy)).toEqual({ inUse: { kind: 'HelmChart', namespace: 'shop', name: 'web' }, spec: SPEC });
    expect(find('web@1', legacy)).toMatchObject({ violation: { reason: 'TemplateNotFound' } });
    expect(find('b/web', legacy)).toMatchObject({ violation: { reason: 'AccessDenied' } });
  });

  it.each<[string, string, TemplateView, [string, RegExp]]>([
    ['is not there', 'web', view([]), ['TemplateNotFound', /no HelmTemplate shop\/web nor shop\/shop-web/]],
    ['is no reference', 'a/b/c', view([]), ['TemplateNotFound', /"a\/b\/c" is not a template reference/]],
    ['has no such revision', 'web@9', view([template('shop', 'web')]), ['TemplateNotFound', /no revision 9/]],
    ['is not shared', 'b/web', view([template('b', 'web')]), ['AccessDenied', /not shared with shop: .*sharedWith/]],
  ])('that %s is a violation that says why', (_name, text, seen, [reason, message]) => {
    expect(find(text, seen)).toEqual({ violation: { reason, message: expect.stringMatching(message) } });
  });

  it('of another namespace that is not shared is no other than one that is not there', () => {
    expect(find('b/web', view([template('b', 'web')]))).toEqual(find('b/web', view([])));
    expect(find('b/web@7', view([template('b', 'web')]))).toEqual(find('b/web@7', view([])));
  });

  it('of another namespace needs a grant, and no rule against it', () => {
    const shared = template('b', 'web', {
      spec: { ...SPEC, sharedWith: { namespaces: ['shop'] } },
    });
    expect(find('b/web', view([shared]))).toMatchObject({ inUse: { namespace: 'b' } });
    expect(find('b/web', view([shared]), CLOSED)).toMatchObject({
      violation: { reason: 'AccessDenied', message: expect.stringMatching(/--no-cross-namespace-refs .*copy it/) },
    });
  });

  it('without a status is waited for', () => {
    expect(find('web', view([{ ...template('shop', 'web'), status: {} }]))).toBe('pending');
  });

  it.each([
    [undefined, false],
    [{}, false],
    [{ selector: {} }, true],
    [{ selector: { matchLabels: { team: 'blue' } } }, true],
    [{ selector: { matchLabels: { team: 'red' } } }, false],
    [{ selector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['red', 'blue'] }] } }, true],
    [{ selector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['blue'] }] } }, false],
    [{ selector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] } }, true],
    [{ namespaces: ['shop'], selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] } }, true],
  ] as const)('shared with %j reaches the namespace: %s', (sharedWith, expected) => {
    expect(isSharedWith(sharedWith as Parameters<typeof isSharedWith>[0], 'shop', { team: 'blue' })).toBe(expected);
  });
});
