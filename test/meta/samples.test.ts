import { describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dump } from 'js-yaml';
import type { Condition, KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { TEMPLATE_KINDS, TEMPLATE_RESOURCES, type Template } from '#api/v1alpha1/template.js';
import { readManifests } from '#cli/install/package.js';
import { backendFor } from '#controllers/application/model/backends/index.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import { planSaving } from '#controllers/application/model/spec/saved-template.js';
import type { TemplateView } from '#controllers/application/model/spec/template-lookup.js';
import { resolveTemplates } from '#controllers/application/model/destinations/template-use.js';
import { allSamples, sandboxSamples } from '../support/samples.js';
import { entriesOf } from '../unit/application/model/builders.js';
import { ROOT, textOf } from './repository.js';

/** The UID that the expected objects show; a real one comes from the API server. */
const UID = '00000000-0000-0000-0000-000000000000';

const SAMPLES = allSamples();

async function objectsOf<T extends KubeObject>(sample: string, kinds: readonly string[]): Promise<T[]> {
  const objects = await readManifests(path.join(ROOT, 'samples', sample));
  // The API server takes the explicit nulls out; JSON in the samples has no other meaning for them.
  return objects.filter(({ kind }) => kinds.includes(kind)).map((object) => withoutNulls(object) as T);
}

const applicationsOf = (sample: string): Promise<Application[]> => objectsOf<Application>(sample, ['Application']);

/** The templates that the Applications of a sample save. */
function savedBy(applications: readonly Application[]): Template[] {
  const plans = applications.flatMap((each) => TEMPLATE_KINDS.map((kind) => planSaving(each, kind, undefined)));
  return plans.flatMap((plan) => (plan.op === 'write' ? plan.object : []));
}

/** A namespace in which all of the samples were applied. */
async function everySample(): Promise<TemplateView> {
  const written = await Promise.all(SAMPLES.map((sample) => objectsOf<Template>(sample, TEMPLATE_KINDS)));
  const saved = savedBy((await Promise.all(SAMPLES.map(applicationsOf))).flat());
  const conditions: Condition[] = [
    { type: 'Ready', status: 'True', reason: 'Valid', message: '', lastTransitionTime: '' },
  ];
  const status = { observedGeneration: 1, revision: 1, conditions };
  const templates = [...written.flat(), ...saved].map((template) => ({ ...template, status }));
  return {
    template: (kind, { namespace, name }) =>
      templates.find(
        (each) => each.kind === kind && each.metadata.namespace === namespace && each.metadata.name === name,
      ),
    revision: ({ spec }) => spec,
    legacyChart: () => undefined,
    namespaceLabels: () => ({}),
  };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}

function textsOf(objects: readonly KubeObject[]): string {
  return objects.map((object) => dump(object, { noRefs: true, lineWidth: -1 })).join('---\n');
}

function childrenOf(application: Application, view: TemplateView): string {
  const owned = { ...application, metadata: { ...application.metadata, uid: UID } };
  const resolved = resolveTemplates(owned, view, { allowCrossNamespace: true });
  if (resolved === 'pending' || 'violation' in resolved) throw new Error(JSON.stringify(resolved));
  const entries = entriesOf(resolved.application);
  expect(resolved.violations.size).toBe(0);
  return textsOf(entries.map((entry) => desiredChild(resolved.application, entry, undefined).object));
}

/** UPDATE_GOLDEN=1 writes the file. */
function expectFile(file: string, text: string): void {
  if (process.env['UPDATE_GOLDEN'] === '1' || !existsSync(file)) {
    expect(process.env['UPDATE_GOLDEN']).toBe('1');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  expect(textOf(file)).toBe(text);
}

/** What names a place of a repository in a HelmRelease or Kustomization. */
interface ChildSpec {
  readonly path?: string;
  readonly chart?: { readonly spec: ChartSpec };
}

interface ChartSpec {
  readonly chart: string;
  readonly valuesFiles?: readonly string[];
  readonly sourceRef: { readonly kind: string };
}

/** Files that a chart of a Git repository is made of. */
function chartPlaces(spec: ChartSpec | undefined): string[] {
  if (spec?.sourceRef.kind !== 'GitRepository') return [];
  return [path.join(spec.chart, 'Chart.yaml'), ...(spec.valuesFiles ?? [])];
}

describe('samples', () => {
  test.each(SAMPLES)('%s says what it is for', (sample) => {
    const lines = textOf(`samples/${sample}/README.md`).trim().split('\n');
    expect(lines[0]).toMatch(/^# /);
  });

  // For the others, an inventory is needed, and the real helm: see test/apiserver/cluster-samples.test.ts.
  test.each(sandboxSamples())('%s becomes the children in its folder expected', async (sample) => {
    const applications = await applicationsOf(sample);
    const view = await everySample();
    const kinds = new Set(applications.map((each) => backendFor(each).resource.plural));
    expect(kinds.size).toBe(1);
    const text = applications.map((each) => childrenOf(each, view)).join('---\n');
    expectFile(`samples/${sample}/expected/${[...kinds].join('')}.yaml`, text);
  });

  test.each(SAMPLES)('%s saves the templates in its folder expected, and no other', async (sample) => {
    const saved = savedBy(await applicationsOf(sample));
    for (const { kind, plural } of TEMPLATE_RESOURCES) {
      const file = `samples/${sample}/expected/${plural}.yaml`;
      const own = saved.filter((each) => each.kind === kind);
      if (own.length === 0) expect(existsSync(file)).toBe(false);
      else expectFile(file, textsOf(own));
    }
  });

  test.each(SAMPLES)('%s names only places that the repository of the sandbox has', async (sample) => {
    const folder = path.join('sandbox', 'repo');
    const children = await readManifests(path.join(ROOT, 'samples', sample, 'expected'));
    const places = children.flatMap(({ spec }: KubeObject & { spec?: ChildSpec }) => [
      ...(spec?.path === undefined ? [] : [path.join(folder, spec.path, 'kustomization.yaml')]),
      ...chartPlaces(spec?.chart?.spec).map((file) => path.join(folder, file)),
    ]);
    expect(places.filter((place) => !existsSync(path.join(ROOT, place)))).toEqual([]);
  });
});
