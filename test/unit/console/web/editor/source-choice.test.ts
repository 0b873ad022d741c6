import { expect, test } from '@jest/globals';
import type { SourceItem } from '#queries/answers/clusters.js';
import {
  chartSuggestions,
  NO_SOURCES,
  type KnownSources,
  sourceHint,
  sourceSuggestions,
  versionSuggestions,
} from '#console/web/editor/model/suggestions.js';

function item(kind: string, name: string, more: Partial<SourceItem> = {}): SourceItem {
  const of = {
    namespace: 'shop',
    state: 'Ready' as const,
    message: 'stored',
    revision: '',
    url: '',
    chart: '',
    source: '',
  };
  return { kind, name, ...of, ...more };
}

const SOURCES = {
  ...NO_SOURCES,
  items: [
    item('HelmRepository', 'charts', { url: 'https://example.com', revision: 'sha256:1' }),
    item('HelmRepository', 'lost', { state: 'Failed', message: 'no such host' }),
    item('GitRepository', 'fleet'),
    item('HelmChart', 'a', { chart: 'web', source: 'HelmRepository/charts', revision: '1.2.0' }),
    item('HelmChart', 'b', { chart: 'web', source: 'HelmRepository/charts', revision: '1.10.0' }),
    ...['x', 'main@sha1:0', '1.3.0', '1.10.0-rc.1', '1.2.0'].map((revision) =>
      item('HelmChart', revision, { chart: 'web', source: 'HelmRepository/charts', revision }),
    ),
    item('HelmChart', 'c', { chart: 'db', source: 'HelmRepository/other' }),
  ],
};
const charts = { kind: 'HelmRepository', name: 'charts' };

test('offers sources of a kind, their charts that are in use, and versions of these', () => {
  expect(sourceSuggestions(SOURCES, 'HelmRepository')).toEqual(['charts', 'lost']);
  expect(chartSuggestions(SOURCES, charts)).toEqual(['web']);
  expect(versionSuggestions(SOURCES, charts, 'web')).toEqual([
    ...['1.10.0', '1.10.0-rc.1', '1.3.0', '1.2.0', 'main@sha1:0', 'x'],
  ]);
  expect(versionSuggestions(SOURCES, charts, 'db')).toEqual([]);
});

test.each<[string, KnownSources, string, string]>([
  ['one that is ready', SOURCES, 'charts', 'Ready; https://example.com; sha256:1'],
  ['one that failed', SOURCES, 'lost', 'Failed: no such host'],
  ['one that is not there', SOURCES, 'none', 'There is no HelmRepository of this name.'],
  ['no name', SOURCES, '', ''],
  ['one that he may not read', { ...SOURCES, unread: ['HelmRepository'] }, 'none', ''],
  ['one of too many', { ...SOURCES, truncated: ['HelmRepository'] }, 'none', ''],
  ['one of an unknown namespace', NO_SOURCES, 'none', ''],
])('the hint for %s', (_, sources, name, hint) => {
  expect(sourceHint(sources, { kind: 'HelmRepository', name })).toBe(hint);
});
