import { expect, it } from '@jest/globals';
import { templateTable, templateText } from '#cli/template/model/template-table.js';
import type { TemplateDetail } from '#queries/views/template-view.js';
import { generatedPart } from '../../../meta/generated-docs.js';
import { helmTemplate } from '../../template/model/builders.js';

const NOW = Date.parse('2026-01-10T00:00:00Z');

function options(columns: number | undefined, wide = false) {
  return { allNamespaces: false, wide, now: NOW, terminal: { columns, hasColors: false, hasSymbols: true } };
}

const WEB: TemplateDetail = {
  kind: 'HelmTemplate',
  namespace: 'platform',
  name: 'web',
  state: 'Ready',
  message: 'revision 2: chart podinfo 6.x of HelmRepository platform/charts',
  revision: 2,
  chart: 'podinfo',
  version: '6.x',
  path: '',
  source: 'HelmRepository platform/charts',
  usedBy: 12,
  sharedWith: ['shop', 'namespaces with tier=production'],
  savedBy: '',
  createdAt: '2026-01-01T00:00:00Z',
  spec: helmTemplate({ values: { replicas: 2 } }).spec,
  revisions: [
    { revision: 2, createdAt: '2026-01-09T20:00:00Z', changes: ['chart.version'], usedBy: ['shop/cart', 'shop/web'] },
    { revision: 1, createdAt: '2026-01-01T00:00:00Z', changes: [], usedBy: ['shop/old'] },
  ],
  users: ['shop/cart', 'shop/old', 'shop/web'],
};
const BROKEN: TemplateDetail = {
  ...WEB,
  ...{ name: 'cart', state: 'Stalled', usedBy: 0, version: '>>1', revision: 0 },
  message: 'spec.chart.version: ">>1" is neither a valid version nor a valid range',
};
const FILES: TemplateDetail = {
  ...WEB,
  ...{ kind: 'KustomizationTemplate', name: 'base', chart: '', version: '', path: 'overlays/prod', usedBy: 3 },
};

it('is what the docs show on a terminal of 80 columns, the worst first', () => {
  const picture = `\`\`\`\n${templateTable([FILES, WEB, BROKEN], options(80))}\n\`\`\``;
  expect(generatedPart('docs/cli.md', 'template', picture)).toBe(picture);
});

it('has a row in one line with everything when it is wide', () => {
  const lines = templateTable([WEB], options(undefined, true)).split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('HelmRepository platform/charts   shop, namespaces with tier=production   -');
});

it('shows one template with its revisions and its spec', () => {
  const text = templateText(WEB, options(80));
  expect(text).toContain('HelmTemplate platform/web  Ready\n');
  expect(text).toContain('Used by:      shop/cart, shop/old, shop/web\n');
  expect(text).toMatch(/^2 +4h +shop\/cart, shop\/web +chart.version$/m);
  expect(text).toMatch(/^spec:$/m);
  expect(text).toContain('replicas: 2');
});

it('lets nobody write to the terminal', () => {
  const evil = 'a\u001b[31mb\u202ec';
  const spec = helmTemplate({ values: { [evil]: `${evil}\nd: e` } }).spec;
  const hostile = { ...WEB, chart: evil, savedBy: evil, message: `${evil}\nx`, spec, users: [evil] };
  for (const text of [templateTable([hostile], options(80, true)), templateText(hostile, options(80))]) {
    expect(text).not.toMatch(/[\u001b\u202e]/);
  }
});
