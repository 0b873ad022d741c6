import { describe, expect, it, test } from '@jest/globals';
import type { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { Template, TemplateRevision } from '#api/v1alpha1/template.js';
import type { QueryString } from '#console/shared/list-query.js';
import { selectFrom } from '#console/shared/page-query.js';
import {
  comparedWith,
  revisionAnswer,
  revisionNumber,
  templateAnswer,
  templateItem,
  templateKeysOf,
  templateQueryOf,
  templatesBy,
  templateUser,
} from '#console/shared/template-item.js';
import { helmTemplate, kustomizationTemplate, user } from '../../template/model/builders.js';

const LONG = 'x'.repeat(5_000);
const ALL: readonly Template[] = [
  helmTemplate({}, { metadata: { name: 'web', namespace: 'shop', labels: { tier: 'a' } }, status: { usedBy: 9 } }),
  helmTemplate({ chart: { chart: 'redis' } }, { metadata: { name: 'db', namespace: 'shop' }, status: { usedBy: 10 } }),
  kustomizationTemplate(),
];

test.each<[QueryString, string]>([
  [{}, 'HelmTemplate/db HelmTemplate/web KustomizationTemplate/web'],
  [{ sort: '-usedBy' }, 'HelmTemplate/db HelmTemplate/web KustomizationTemplate/web'],
  [{ search: 'redis' }, 'HelmTemplate/db'],
  [{ fieldSelector: 'kind=HelmTemplate,chart!=redis' }, 'HelmTemplate/web'],
  [{ labelSelector: 'tier=a' }, 'HelmTemplate/web'],
  [{ page: '9' }, ''],
])('%j selects %s', (asked, expected) => {
  const query = templateQueryOf(asked);
  const { items } = selectFrom(templatesBy(ALL, query.sort), query);
  expect(items.map(({ kind, metadata: { name } }) => `${kind}/${name}`).join(' ')).toBe(expected);
});

test('what does not exist cannot be asked for', () => {
  expect(() => templateQueryOf({ cluster: 'eu' })).toThrow('"cluster" is no key of this query');
  expect(() => templateQueryOf({ fieldSelector: 'cluster=eu' })).toThrow('"cluster" is no field of it');
});

describe('an item', () => {
  const namespaces = Array.from({ length: 30 }, (_, index) => `n${index}`);
  const ready = { type: 'Ready', status: 'False', reason: 'x', message: LONG, lastTransitionTime: '' } as const;
  const template = helmTemplate(
    { sharedWith: { namespaces, selector: { matchLabels: { a: LONG } } } },
    { status: { observedGeneration: 2, conditions: [ready] } },
  );

  it('has the beginning of what is long, and says how much is left out', () => {
    const { sharedWith, moreSharedWith, message, uid } = templateItem(template);
    expect([sharedWith.length, moreSharedWith, message.length, uid]).toEqual([20, 11, 1_001, 'template-uid']);
    expect(JSON.stringify(templateItem(template)).length).toBeLessThan(2_000);
  });

  it('ends with a whole character', () => {
    const odd = { ...ready, message: `${'x'.repeat(999)}😀 and more` };
    const { message } = templateItem(helmTemplate({}, { status: { observedGeneration: 2, conditions: [odd] } }));
    expect(message).toBe(`${'x'.repeat(999)}…`);
  });

  it('by itself is whole', () => {
    const answer = templateAnswer(template);
    expect([answer.sharedWith.length, answer.moreSharedWith, answer.message]).toEqual([31, 0, LONG]);
    expect([answer.spec, answer.conditions, answer.chartVersion]).toEqual([template.spec, [ready], '']);
    expect(templateAnswer(helmTemplate({}, { status: { chartVersion: '1.2.3' } })).chartVersion).toBe('1.2.3');
    expect(templateAnswer(kustomizationTemplate())).toMatchObject({ conditions: [], chartVersion: '' });
  });
});

test('an Application is found by each template that it uses, once', () => {
  const used = { kind: 'HelmTemplate', namespace: 'shop', name: 'web' } as const;
  const application = user([
    { ...used, revision: 3 },
    { ...used, revision: 12 },
    { ...used, name: 'db' },
  ]);
  expect(templateKeysOf(application)).toEqual(['HelmTemplate/shop/web', 'HelmTemplate/shop/db']);
  expect(templateUser(application, helmTemplate()).templateRevisions).toEqual([3, 12]);
});

function revision(number: number, spec: Partial<HelmTemplateSpec>): TemplateRevision {
  const metadata = { name: `web-${number}`, creationTimestamp: `2026-01-0${number}T00:00:00Z` };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision: number },
    data: { spec: helmTemplate(spec).spec },
  };
}

describe('a revision', () => {
  const kept = [revision(4, { values: { a: 2 } }), revision(2, { values: { a: 1 } }), revision(1, {})];
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`k${index}`, index]));

  it.each<[number, number | undefined, number, unknown]>([
    [4, undefined, 2, [{ path: '/spec/values/a', old: 1, new: 2 }]],
    [2, 4, 4, [{ path: '/spec/values/a', old: 2, new: 1 }]],
    [1, undefined, 0, []],
  ])('%d compared with %p has the differences from %d', (number, from, before, differences) => {
    expect(revisionAnswer(kept, number, from)).toMatchObject({ revision: number, from: before, differences });
  });

  it('that is not kept is not found, and those that are kept are named', () => {
    expect(() => revisionAnswer(kept, 3, undefined)).toThrow('revision 3 is not kept: kept are 4, 2, 1');
    expect(() => revisionAnswer(kept, 4, 9)).toThrow('revision 9 is not kept: kept are 4, 2, 1');
    expect(() => revisionAnswer([], 1, undefined)).toThrow('revision 1 is not kept: none is');
  });

  it('has the first of many differences', () => {
    const answer = revisionAnswer([revision(2, { values: many }), revision(1, { values: {} })], 2, undefined);
    expect([answer.differences.length, answer.moreDifferences]).toEqual([500, 100]);
  });

  it('is named by its number', () => {
    expect([revisionNumber('12'), comparedWith({}), comparedWith({ from: '3' })]).toEqual([12, undefined, 3]);
    for (const odd of ['0', '-1', '1e3', '', '1'.repeat(20)]) expect(() => revisionNumber(odd)).toThrow('not found');
    for (const odd of ['0', 'x', ['1', '2']]) expect(() => comparedWith({ from: odd })).toThrow(/^from: it must/);
    expect(() => comparedWith({ to: '1' })).toThrow('"to" is no key of this query; choose from from');
  });
});
