import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { configMapResource, crdResource } from '#api/core.js';
import type { KubeObject, ResourceType, Unstructured } from '#api/meta.js';
import { printJson, RawNumber } from '#lib/json/lossless-json.js';
import { eventually } from '../../support/world.js';
import { useHarness, type Harness } from './harness.js';

/**
 * Texts and numbers of every kind on all ways into a release, beside the real helm with the same chart. Helm applies on
 * the client here: on the server, it sends JSON that is read as YAML, and loses U+0085 and blanks behind U+2028.
 */
const CASES = 1_000;
const SEED = 20_261;
const PER_OBJECT = 100;

const sheet: ResourceType = {
  group: 'texts.fairlead.dev',
  version: 'v1',
  kind: 'Sheet',
  plural: 'sheets',
  namespaced: true,
};
const SHEET_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sheets.texts.fairlead.dev' },
  spec: {
    group: sheet.group,
    scope: 'Namespaced',
    names: { kind: sheet.kind, plural: sheet.plural },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const odd = fc.constantFrom(
  ...'\u0085\u2028\u2029\u007f\u0081\u00a0\ufeff\ufffe\uffff\u0000\u001b\t\r\n"\'\\:#{}~-'.split(''),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(fc.oneof(odd, fc.constantFrom(' ', '  ', 'x', '漢', '🚢', 'yes', '0644')), { maxLength: 10 })
    .map((it) => it.join('')),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => numberOf(String(value))),
);
const scalar = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: number });
const entry = fc.record({ key: text, value: scalar });

/** As parseJson has it. */
function numberOf(digits: string): number | RawNumber {
  return String(Number(digits)) === digits ? Number(digits) : new RawNumber(digits);
}

/** As the server has it. */
function wellFormed(value: string): string {
  return Buffer.from(value).toString();
}

interface Case {
  readonly key: string;
  readonly value: unknown;
}

const cases: readonly Case[] = fc.sample(entry, { numRuns: CASES, seed: SEED }).map(({ key, value }) => ({
  key: wellFormed(key),
  value: typeof value === 'string' ? wellFormed(value) : value,
}));

/** Each text in the ways that charts print texts, where Go's YAML reader takes what they print; numbers as the template engine prints them. */
const MAPS = `{{- $unprintable := "[\\\\x{7f}-\\\\x{84}\\\\x{86}-\\\\x{9f}\\\\x{fffe}\\\\x{ffff}]" }}
{{- range $at, $some := chunk ${PER_OBJECT} .Values.cases }}
{{- $texts := dict }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $.Release.Name }}-{{ $at }}
data:
  {{- range $index, $case := $some }}
  quoted-{{ $index }}: {{ $case.value | toString | quote }}
  {{- if not (regexMatch $unprintable (toString $case.value)) }}
  json-{{ $index }}: {{ $case.value | toString | toJson }}
  {{- $_ := set $texts (printf "case-%d" $index) (toString $case.value) }}
  {{- end }}
  all-{{ $index }}: {{ dict $case.key $case.value | toJson | quote }}
  {{- end }}
---
{{ $metadata := dict "name" (printf "%s-yaml-%d" $.Release.Name $at) -}}
{{ dict "apiVersion" "v1" "kind" "ConfigMap" "metadata" $metadata "data" $texts | toYaml }}
{{- end }}
`;

/** Numbers are numbers here, and some stand in the template itself. */
const SHEET = `apiVersion: texts.fairlead.dev/v1
kind: Sheet
metadata:
  name: {{ .Release.Name }}
numbers:
  {{- range .Values.cases }}
  {{- if not (kindIs "string" .value) }}
  - {{ .value }}
  {{- end }}
  {{- end }}
own: [${cases.flatMap(({ value }) => (typeof value === 'string' ? [] : [printJson(value)])).join(', ')}]
`;

const FILES = { 'templates/maps.yaml': MAPS, 'templates/sheet.yaml': SHEET };

/** JSON with these characters as escapes; beyond the basic plane YAML knows no escape of JSON's. */
function jsonEscaping(value: unknown, characters: RegExp): string {
  const escaped = (found: string): string => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return printJson(value).replace(characters, escaped);
}

const VALUES = { cases };
/** What any reader takes as it is meant. */
const PLAIN = jsonEscaping(VALUES, /[\x7f-\uffff]/gu);
/** As somebody may write it: next lines and separators as they are, of which YAML makes something else. */
const RAW = jsonEscaping(VALUES, /[\x7f-\x84\x86-\x9f\ufffe\uffff]/g);

interface Release {
  /** Live objects by kind and the part of their name behind the release's. */
  readonly live: Readonly<Record<string, unknown>>;
  /** What `helm get values --all` says. */
  readonly values: string;
}

const harness = useHarness('texts', { charts: { bare: FILES, full: { ...FILES, 'values.yaml': RAW } } });

async function look(name: string): Promise<Release> {
  const { member, namespace } = harness;
  const found = await Promise.all([
    member.list<Unstructured>(configMapResource, { namespace }),
    member.list<Unstructured>(sheet, { namespace }),
  ]);
  const own = found.flatMap(({ items }) => items.filter(({ metadata }) => metadata.name.startsWith(name)));
  const live = own.map(({ metadata, data, numbers, own: inline }) => [
    metadata.name.slice(name.length),
    { data, numbers, inline },
  ]);
  const values = await harness.helm('get', 'values', name, '--all', '--output=json');
  return { live: Object.fromEntries(live) as Release['live'], values };
}

async function installByHelm(name: string, chart: string, values: string): Promise<Release> {
  const file = path.join(path.dirname(harness.chartFile(chart, '1.0.0')), `${name}.json`);
  await writeFile(file, values);
  await harness.helm('install', name, harness.chartFile(chart, '1.0.0'), '--server-side=false', '--values', file);
  return look(name);
}

async function installByEngine(name: string, chart: string, spec: Parameters<Harness['apply']>[1]): Promise<Release> {
  const source = { kind: 'HelmRepository' as const, name: 'charts' };
  await harness.apply(name, { ...spec, chart: { spec: { chart, version: '1.0.0', sourceRef: source } } });
  await harness.untilReady(name);
  return look(name);
}

beforeAll(async () => {
  await harness.member.apply(crdResource, SHEET_CRD, { fieldManager: 'test', force: true });
  await eventually(() => harness.member.list(sheet));
});

describe(`${CASES} texts and numbers reach the cluster and Helm's record as with the real helm`, () => {
  test('by spec.values, of which no character is changed on the way', async () => {
    // The server reads this JSON as YAML: it is written by the very code that is tested here.
    const ours = await installByEngine('inline', 'bare', { values: VALUES });
    const theirs = await installByHelm('helm-inline', 'bare', PLAIN);
    expect(ours).toEqual(theirs);
    expect(Object.keys(ours.live)).toHaveLength((2 * CASES) / PER_OBJECT + 1);
  });

  test('by valuesFrom', async () => {
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'texts', namespace: harness.namespace },
    };
    await harness.host.create(configMapResource, { ...configMap, data: { 'values.yaml': RAW } } as KubeObject);
    const ours = await installByEngine('from', 'bare', { valuesFrom: [{ kind: 'ConfigMap', name: 'texts' }] });
    expect(ours).toEqual(await installByHelm('helm-from', 'bare', RAW));
  });

  test("by the chart's own values", async () => {
    const ours = await installByEngine('chart', 'full', {});
    expect(ours).toEqual(await installByHelm('helm-chart', 'full', '{}'));
  });

  test('and stay as they are: the next pass writes nothing', async () => {
    const before = await harness.read('inline');
    const annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
    await harness.host.patch(
      { group: 'helm.toolkit.fluxcd.io', version: 'v2', kind: 'HelmRelease', plural: 'helmreleases', namespaced: true },
      before.metadata,
      { type: 'merge', body: { metadata: { annotations } } },
    );
    const after = await harness.until('inline', ({ status }) => {
      expect(status?.lastHandledReconcileAt).toBe('now');
    });
    expect(after.status?.history).toEqual(before.status?.history);
  });
});
