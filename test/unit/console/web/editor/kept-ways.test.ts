import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PLACES, WAYS, wayOf, type Way } from '#console/web/editor/model/application-form.js';
import { chooseWay, type KeptWays } from '#console/web/editor/model/ways.js';
import { editYaml, textsIn, valueAt, type Edit } from '#console/web/model/yaml-edit.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';

function read(text: string): PlainMap {
  const value = parseYaml(text);
  if (!isMap(value)) throw new Error('it is no map any more');
  return value;
}

/** One form, with what it keeps. */
class Form {
  readonly #kept: KeptWays = new Map();

  constructor(public text: string) {}

  get value(): PlainMap {
    return read(this.text);
  }

  edit(...edits: readonly Edit[]): this {
    this.text = editYaml(this.text, edits);
    return this;
  }

  choose(...ways: readonly Way[]): this {
    for (const way of ways) {
      const { text, value } = this;
      this.edit(...chooseWay(this.#kept, { value, textAt: textsIn(text, value) }, way));
    }
    return this;
  }
}

const EU = { name: 'eu', destination: { kubeConfig: { secretRef: { name: 'eu-1' } } } };
const US = { destination: { targetNamespace: 'us' } };
const BEGINNINGS = [
  {
    source: { sourceRef: { kind: 'OCIRepository', name: 'charts' } },
    config: {
      helmRelease: { chart: { chart: 'web' }, deploy: [{ ...EU, values: { password: 'eu' } }, US], overrides: [] },
    },
  },
  { config: { helmRelease: { template: 'web@2', deploy: [EU, { ...US, values: { password: 'us' } }] } } },
  { source: { inline: { repo: 'https://charts.example', chart: 'web' } }, config: { helmRelease: { deploy: [US] } } },
  {
    source: { sourceRef: { kind: 'Bucket', name: 'b' } },
    config: {
      kustomization: [
        { ...EU, path: './eu', prune: false },
        { ...US, path: './us', wait: true },
      ],
    },
  },
  {
    config: {
      kustomization: [
        { ...EU, template: 'a@1' },
        { ...US, template: 'b', path: './own' },
      ],
    },
  },
].map((spec) => printYaml({ metadata: { name: 'web' }, spec: { fluxApp: { spec } } }));

const CHART = BEGINNINGS[0] ?? '';
const values = [...PLACES.deploy, 0, 'values'];

it('runs through all ways and loses nothing', () => {
  fc.assert(
    fc.property(fc.constantFrom(...BEGINNINGS), fc.array(fc.constantFrom(...WAYS), { maxLength: 8 }), (text, ways) => {
      const before = read(text);
      const own = wayOf(before);
      if (own === undefined) throw new Error('no form shows it');
      const steps = [...ways, own].filter((way, at, all) => way !== (at === 0 ? own : all[at - 1]));
      expect(new Form(text).choose(...steps).value).toEqual(before);
    }),
  );
});

it('keeps comments in what it puts back', () => {
  const form = new Form(CHART.replace('password: eu', 'password: eu # of the vault'));
  expect(form.choose('files', 'chart').text).toContain('password: eu # of the vault');
});

it('puts nothing into a destination that goes elsewhere now, and takes away no new one', () => {
  const form = new Form(CHART).choose('files');
  const name = [...PLACES.files, 0, 'destination', 'kubeConfig', 'secretRef', 'name'];
  form.edit({ path: name, value: 'other' }, { path: [...PLACES.files, 2], value: { destination: {}, path: './' } });
  const deploy = valueAt(form.choose('chart').value, PLACES.deploy);
  expect(deploy).toEqual([
    { name: 'eu', destination: { kubeConfig: { secretRef: { name: 'other' } } } },
    US,
    { destination: {} },
  ]);
});

it('finds the values that were changed last, whatever the chart was of then', () => {
  const form = new Form(CHART).choose('inline').edit({ path: values, value: { password: 'new' } });
  expect(valueAt(form.choose('files', 'chart').value, values)).toEqual({ password: 'new' });
  expect(valueAt(form.value, PLACES.chart)).toBe('web');
});

it('tells entries apart before it puts anything back', () => {
  const form = new Form(CHART).choose('files');
  form.edit({ path: [...PLACES.files, 2], value: { ...EU, path: './twin' } });
  expect(valueAt(form.choose('chart').value, values)).toBeUndefined();
});
