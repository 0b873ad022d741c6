import { expect, it } from '@jest/globals';
import {
  isFailingSource,
  oldWords,
  sourceCommands,
  sourceWords,
  unreadWords,
  usedTemplatePage,
} from '#console/web/application/model/application-source.js';
import { NO_SOURCES } from '#console/web/editor/model/suggestions.js';

const REF = { kind: 'HelmRepository', namespace: 'shop', name: 'charts' };
const ITEM = {
  ...REF,
  state: 'Ready' as const,
  message: 'stored',
  revision: 'sha256:1',
  url: 'https://a',
  chart: '',
  source: '',
};
const NOTHING = { state: '', message: '', revision: '', url: '', note: '' };

it.each([
  ['is ready', [ITEM], {}, { ...NOTHING, state: 'Ready', revision: 'sha256:1', url: 'https://a' }, false],
  [
    'fails',
    [{ ...ITEM, state: 'Failed' as const, message: 'no such host', revision: '' }],
    {},
    { ...NOTHING, state: 'Failed', message: 'no such host', url: 'https://a' },
    true,
  ],
  [
    'is fetched',
    [{ ...ITEM, state: 'Progressing', message: 'fetching' }],
    {},
    { ...NOTHING, state: 'Progressing', message: 'fetching', revision: 'sha256:1', url: 'https://a' },
    false,
  ],
  [
    'does not exist',
    [
      { ...ITEM, name: 'other' },
      { ...ITEM, kind: 'Bucket' },
    ],
    {},
    { ...NOTHING, state: 'Missing', message: 'There is no HelmRepository of this name in namespace shop.' },
    true,
  ],
  [
    'may not be listed',
    [],
    { unread: ['HelmRepository'] },
    { ...NOTHING, note: 'You may not list objects of kind HelmRepository in namespace shop.' },
    false,
  ],
  [
    'is one of too many',
    [],
    { truncated: ['HelmRepository'] },
    {
      ...NOTHING,
      note: 'There are too many of kind HelmRepository in namespace shop: it is not among those that were read.',
    },
    false,
  ],
] as const)('says of a source that it %s', (...[, items, more, words, isFailing]) => {
  const found = sourceWords(REF, { ...NO_SOURCES, items, ...more });
  expect(found).toEqual(words);
  expect(isFailingSource(found)).toBe(isFailing);
});

it('has the commands that show it, without names that a shell would obey', () => {
  expect(sourceCommands(REF).map(({ command }) => command)).toEqual([
    'fairlead source HelmRepository/charts --namespace shop',
    'kubectl --namespace shop describe helmrepository.source.toolkit.fluxcd.io charts',
  ]);
  for (const evil of ['$(reboot)', 'a;b', '-f', '']) {
    expect(sourceCommands({ ...REF, name: evil })).toEqual([]);
    expect(sourceCommands({ ...REF, namespace: evil })).toEqual([]);
    expect(sourceCommands({ ...REF, kind: evil })).toEqual([]);
  }
  expect(sourceCommands(undefined)).toEqual([]);
});

it('says that it is not known, and why', () => {
  expect(unreadWords(undefined)).toEqual({ ...NOTHING, note: 'Reading its state …' });
  const known = { ...NOTHING, state: 'Ready' };
  expect(oldWords(known, 'no answer', '10:00:00')).toEqual({
    ...{ ...known, note: 'Read at 10:00:00. Its state cannot be read: no answer' },
  });
  expect(unreadWords('no answer')).toEqual({ ...NOTHING, note: 'Its state cannot be read: no answer' });
  expect(isFailingSource(unreadWords('no answer'))).toBe(false);
});

it.each([
  ['HelmTemplate', '/templates/team/HelmTemplate/web'],
  ['KustomizationTemplate', '/templates/team/KustomizationTemplate/web'],
  ['HelmChart', undefined],
] as const)('leads from a %s to its page', (kind, page) => {
  expect(usedTemplatePage({ kind, namespace: 'team', name: 'web', revision: 1 })).toBe(page);
});
