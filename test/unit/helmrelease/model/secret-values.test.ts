import { expect, test } from '@jest/globals';
import { secretDocuments, textsOfChart, textsOfRecord } from '#controllers/helmrelease/model/secret-values.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { record } from './builders.js';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

const SECRET = `---
# Source: web/templates/secret.yaml
apiVersion: v1
kind: Secret
metadata: {name: web}
data: {token: ${encoded('generated')}}
`;
const HOOK = 'apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Secret, stringData: {a: of-a-hook}}]\n';
const CONFIG_MAP = '---\n# Source: a.yaml\napiVersion: v1\nkind: ConfigMap\ndata: {a: plain-text}\n';

test('Secrets are in documents of a manifest and of hooks', () => {
  const hooks = [{ manifest: HOOK, last_run: { phase: '' as const } }];
  const documents = secretDocuments({ manifest: `${CONFIG_MAP}${SECRET}`, hooks });
  expect(documents.map((text) => text.trim())).toEqual([SECRET.slice(4).trim(), HOOK.trim()]);
});

test('values of an earlier revision are masked unless its chart has them', () => {
  const values = { mode: 'default-mode' };
  const template = { name: 'templates/a.yaml', data: encoded('{{ if eq .Values.kind "template-kind" }}') };
  const base = record();
  const chart = { ...base.chart, values, templates: [template], schema: encoded('{"enum": ["from-schema"]}') };
  const secrets = new SecretTexts();
  const config = { mode: 'default-mode', kind: 'template-kind', level: 'from-schema', password: 'hunter22' };
  secrets.add('revision', () => textsOfRecord({ ...base, chart, config }, { doubtful: ['generated'] }));
  const text = 'default-mode template-kind from-schema hunter22 generated';
  expect(secrets.mask(text)).toBe('default-mode template-kind from-schema ***** *****');
});

test('a forged release may have no chart', () => {
  expect(textsOfChart(undefined)).toEqual({ public: ['null', 'null', ''] });
  expect(textsOfChart({})).toEqual({ public: ['null', 'null', ''] });
});

test('a chart without templates, values and schema says its name', () => {
  const { public: texts = [] } = textsOfChart({ ...record().chart, templates: null, values: null, schema: null });
  expect(texts.join('\n')).toContain(record().chart.metadata.name);
});
