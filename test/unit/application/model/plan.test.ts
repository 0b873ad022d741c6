import { describe, expect, it } from '@jest/globals';
import type { Application } from '../../../../api/v1alpha1/application.js';
import type { Child, Step } from '../../../../controllers/application/model/types.js';
import {
  application,
  applied,
  CHART,
  deploy,
  files,
  filesApplication,
  leaving,
  work,
  type Deploy,
} from './builders.js';

const eu = deploy('prod', 'eu');
const made = (...entries: Deploy[]): Child[] => applied([], work(application(entries)).steps);
const [child] = made(eu);
const fresh: Child = child!;
const edited = (spec: Child['spec']): Child => ({ ...fresh, spec: { ...fresh.spec, ...spec } });
const text = ({ op, why }: Step): string => `${op}: ${why}`;

function withChart(version: string): Application {
  const app = application([eu]);
  const helmRelease = { chart: { ...CHART, version }, deploy: [eu] };
  const spec = { ...app.spec.fluxApp!.spec, config: { helmRelease } };
  return { ...app, spec: { ...app.spec, fluxApp: { spec } } };
}

describe('the step for a destination', () => {
  it.each<[string, Application, Child[], string[]]>([
    ['that is new', application([eu]), [], ['create: new destination']],
    ['that is as desired', application([eu]), [fresh], ['keep: unchanged']],
    [
      'whose entry was edited',
      application([{ ...eu, timeout: '1m', values: { a: 1 } }]),
      [fresh],
      ['update: changed timeout, values'],
    ],
    ['whose chart moved', withChart('2.x'), [fresh], ['update: changed chart version 1.x -> 2.x']],
    ['that got a name', application([{ ...eu, name: 'main' }]), [fresh], ['update: changed labels and annotations']],
    [
      'that somebody edited',
      application([eu]),
      [edited({ interval: '1h' })],
      ['update: changed by someone else: interval'],
    ],
    [
      'whose label somebody removed',
      application([eu]),
      [{ ...fresh, metadata: { ...fresh.metadata, labels: {} } }],
      ['update: changed by someone else: labels and annotations'],
    ],
    ['with fields of others', application([eu]), [edited({ suspend: true, postRenderers: [] })], ['keep: unchanged']],
    [
      'whose child is going',
      application([eu]),
      [leaving(fresh)],
      [`wait: HelmRelease shop/${fresh.metadata.name} is being deleted`],
    ],
  ])('%s', (_, app, children, expected) => {
    expect(work(app, children).steps.map(text)).toEqual(expected);
  });
});

describe('the step for a child that was orphaned', () => {
  it('takes it over', () => {
    const orphan = { ...fresh, metadata: { ...fresh.metadata, ownerReferences: [] } };
    expect(work(application([eu]), [], { adoptable: [orphan] }).steps.map(text)).toEqual(['update: taken over']);
  });
});

describe('the step for a child that no entry has', () => {
  const us = application([deploy('prod', 'us')]);
  it.each<[string, Child[], boolean, string]>([
    ['deletes it', [fresh], true, 'delete: no entry wants it any more'],
    ['spares it on an incomplete read', [fresh], false, 'spare: the list of children may be incomplete'],
    ['leaves it when it goes already', [leaving(fresh)], true, 'spare: it is being deleted'],
  ])('%s', (_, children, complete, expected) => {
    expect(work(us, children, { complete }).steps.map(text)).toEqual(['create: new destination', expected]);
  });
});

describe('a rejected entry', () => {
  const path = 'spec.fluxApp.spec.config.helmRelease.deploy';
  const spared = (index: number): string => `spare: ${path}[${index}] is rejected and may have meant it`;
  const us = deploy('prod', 'us');
  // What is left of a kubeConfig whose secretRef the server pruned: the schema has no such type.
  const empty = { destination: { targetNamespace: 'prod', kubeConfig: {} } } as unknown as Deploy;

  it.each<[string, Deploy]>([
    ['its namespace is misspelt', deploy('Prod', 'eu')],
    ['its namespace ends in a space', deploy('prod ', 'eu')],
    ['its release name is misspelt', { ...eu, releaseName: 'Not Valid' }],
    ['its storage namespace is misspelt', { ...eu, storageNamespace: 'a.b' }],
    ['its kubeConfig is empty', empty],
    ['its destination is missing', {}],
    ['it means what another entry means', us],
  ])('spares the child that it may have meant when %s', (_, mistaken) => {
    const { steps } = work(application([us, mistaken]), made(eu, us));
    expect(steps.filter(({ op }) => op === 'delete')).toEqual([]);
    expect(steps.map(text)).toContain(spared(mistaken === us ? 0 : 1));
  });

  it('spares the child that it left for a release of somebody else', () => {
    const rivalOf = (): string => 'HelmRelease shop/other';
    const { steps } = work(application([{ ...eu, releaseName: 'taken' }]), [fresh], { rivalOf });
    expect(steps.map(text)[1]).toBe(spared(0));
  });

  it('holds back no deletion of another entry when its own child is known', () => {
    const mistaken = deploy('prod', 'us', { install: { serverSideApply: false } });
    const { steps } = work(application([mistaken]), made(eu, us));
    expect(steps.map(({ op }) => op)).toEqual(['wait', 'delete']);
  });

  it('holds back no deletion of another kind of child', () => {
    const app = filesApplication([files('Prod', 'eu')]);
    expect(work(app, [fresh]).steps.map(({ op }) => op)).toEqual(['wait', 'delete']);
  });
});

describe('a replacement', () => {
  const name = `HelmRelease shop/${fresh.metadata.name}`;
  it('waits for its predecessor on the same cluster and namespace', () => {
    const renamed = application([{ ...eu, releaseName: 'new' }]);
    const gone = 'no entry wants it any more';
    expect(work(renamed, [fresh]).steps.map(text)).toEqual([`wait: waits until ${name} is gone`, `delete: ${gone}`]);
    expect(work(renamed, [leaving(fresh)]).steps.map(text)).toEqual([
      `wait: waits until ${name} is gone`,
      'spare: it is being deleted',
    ]);
  });

  it('does not wait for a child of another cluster or namespace', () => {
    for (const entry of [deploy('prod', 'us'), deploy('test', 'eu')]) {
      expect(work(application([entry]), [fresh]).steps[0]?.op).toBe('create');
    }
  });
});
