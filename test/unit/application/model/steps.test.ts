import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import {
  application,
  applied,
  CHART,
  deploy,
  files,
  filesApplication,
  leaving,
  legacyChild,
  suspended,
  work,
  workApproved,
  type Deploy,
} from './builders.js';

const eu = deploy('prod', 'eu');
const made = (...entries: Deploy[]): Child[] => applied([], work(application(entries)).steps);
const [child] = made(eu);
const fresh: Child = child!;
const edited = (spec: Child['spec']): Child => ({ ...fresh, spec: { ...fresh.spec, ...spec } });
const withAnnotation = (text: string): Child => {
  const annotations = { ...fresh.metadata.annotations, 'gitops.kubesphere.io/namespace-metadata': text };
  return { ...fresh, metadata: { ...fresh.metadata, annotations } };
};
/** As the engine reports what it made of `fresh`. */
const running = (each: Child): Child => {
  const latest = { name: fresh.spec.releaseName, namespace: 'prod', chartName: 'podinfo', chartVersion: '1.0.0' };
  return { ...each, status: { storageNamespace: 'prod', history: [latest] } as Child['status'] & object };
};
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
      'that wants other labels for its namespace',
      application([{ ...eu, namespaceLabels: { a: '1' } }]),
      [fresh],
      ['update: changed labels and annotations'],
    ],
    [
      'whose labels for its namespace somebody edited',
      application([eu]),
      [withAnnotation('{"labels":{"a":"1"}}')],
      ['update: changed by another writer: labels and annotations'],
    ],
    [
      'whose labels for its namespace are being taken back',
      application([eu]),
      [withAnnotation('{}')],
      ['keep: unchanged'],
    ],
    [
      'that somebody edited',
      application([eu]),
      [running(edited({ interval: '1h', releaseName: 'other' }))],
      ['update: changed by another writer: interval, releaseName'],
    ],
    [
      'whose label somebody removed',
      application([eu]),
      [{ ...fresh, metadata: { ...fresh.metadata, labels: {} } }],
      ['update: changed by another writer: labels and annotations'],
    ],
    ['with fields of others', application([eu]), [edited({ suspend: true, postRenderers: [] })], ['keep: unchanged']],
    ['whose child we suspended before it was to go', application([eu]), [suspended(fresh)], ['update: needed again']],
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
  const us = application([deploy('prod', 'us', { releaseName: 'other' })]);
  it.each<[string, Child[], boolean, string]>([
    ['deletes it', [fresh], true, 'delete: no entry specifies it any more'],
    ['spares it on an incomplete read', [fresh], false, 'spare: the list of children may be incomplete'],
    ['leaves it when it goes already', [leaving(fresh)], true, 'spare: it is being deleted'],
  ])('%s', (_, children, complete, expected) => {
    expect(work(us, children, { complete }).steps.map(text)).toEqual(['create: new destination', expected]);
  });

  it('deletes it, and no neighbor', () => {
    const { steps } = work(application([deploy('prod', 'us')]), made(eu, deploy('prod', 'us')));
    const on = (name: string): object => ({ live: { spec: { kubeConfig: { secretRef: { name } } } } });
    expect(steps).toMatchObject([
      { op: 'keep', ...on('us') },
      { op: 'delete', ...on('eu') },
    ]);
  });
});

describe('a rejected entry', () => {
  const path = 'spec.fluxApp.spec.config.helmRelease.deploy';
  const spared = (index: number): string => `spare: ${path}[${index}] is rejected and may refer to it`;
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
  ])('spares the child that it may refer to when %s', (_, mistaken) => {
    const { steps } = work(application([us, mistaken]), made(eu, us));
    expect(steps.filter(({ op }) => op === 'delete')).toEqual([]);
    expect(steps.map(({ op }) => op)).toContain('wait');
    expect(steps.map(text)).toContain(spared(mistaken === us ? 0 : 1));
  });

  it('spares the child that it left for a release of somebody else', () => {
    const otherOwnerOf = (): string => 'HelmRelease shop/other';
    const { steps, rejected } = work(application([{ ...eu, releaseName: 'taken' }]), [fresh], { otherOwnerOf });
    expect(rejected).toMatchObject([{ violation: { reason: 'ReleaseConflict' } }]);
    expect(steps.map(({ op }) => op)).toEqual(['wait', 'spare']);
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

describe('a new entry whose kubeconfig may be misspelt', () => {
  const path = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';
  const name = `HelmRelease shop/${fresh.metadata.name}`;
  const us = deploy('prod', 'us');
  const atKey = (key: string): Deploy => ({
    destination: { targetNamespace: 'prod', kubeConfig: { secretRef: { name: 'eu', key } } },
  });
  const [old] = made(atKey('old'));
  const kept: Child = old!;

  it.each<[string, Deploy, Child[]]>([
    ['its Secret does not exist', deploy('prod', 'eu-prd'), [fresh]],
    ['its release is also another one', deploy('test', 'eu-prd', { releaseName: 'new' }), [fresh]],
    ['its key is another one', atKey('new'), [kept]],
  ])('waits and spares the child that it may refer to when %s', (_, mistaken, children) => {
    const { steps } = work(application([mistaken]), children, { missing: ['eu-prd'] });
    expect(steps.map(({ op }) => op)).toEqual(['wait', 'spare']);
    expect(steps.map(text).join()).toContain(`may refer to HelmRelease shop/${children[0]!.metadata.name}`);
  });

  it('says what is wrong with it', () => {
    const { steps } = work(application([deploy('prod', 'eu-prd')]), [fresh], { missing: ['eu-prd'] });
    expect(steps.map(text)).toEqual([
      `wait: waiting: it may refer to ${name}`,
      `spare: ${path} refers to a Secret that does not exist and may refer to it`,
    ]);
  });

  it('spares every child when the destination of all entries is misspelt', () => {
    const children = made(eu, deploy('test', 'eu'));
    const mistaken = [deploy('prod', 'eu-prd'), deploy('test', 'eu-prd')];
    const { steps } = work(application(mistaken), children, { missing: ['eu-prd'] });
    expect(steps.map(({ op }) => op)).toEqual(['wait', 'wait', 'spare', 'spare']);
  });

  it.each<[string, Deploy[], Child[], string[]]>([
    ['its Secret exists', [deploy('prod', 'ap')], [fresh], ['wait', 'delete']],
    ['nothing else is without an entry', [eu, us], [fresh], ['keep', 'create']],
    ['it has a child already', [us], made(eu, us), ['keep', 'delete']],
    ['only its release is another one', [{ ...atKey('old'), releaseName: 'new' }], [kept], ['wait', 'delete']],
    ['it was removed', [], [kept], ['delete']],
    [
      'the other child goes already',
      [deploy('test', 'us', { releaseName: 'new' })],
      [leaving(fresh)],
      ['create', 'spare'],
    ],
  ])('does not wait when %s', (_, entries, children, expected) => {
    expect(workApproved(application(entries), children, { missing: ['us'] }).steps.map(({ op }) => op)).toEqual(
      expected,
    );
  });
});

describe('a replacement', () => {
  const name = `HelmRelease shop/${fresh.metadata.name}`;
  it('waits for its predecessor on the same cluster and namespace', () => {
    const renamed = application([{ ...eu, releaseName: 'new' }]);
    expect(workApproved(renamed, [fresh]).steps.map(text)).toEqual([
      `wait: waiting until ${name} is deleted`,
      expect.stringMatching(/^delete: no entry specifies it any more, and \S+ specifies release new .*instead$/),
    ]);
    expect(work(renamed, [leaving(fresh)]).steps.map(text)).toEqual([
      `wait: waiting until ${name} is deleted`,
      'spare: it is being deleted',
    ]);
    expect(work(renamed, []).steps[0]?.op).toBe('create');
  });

  it('waits for what has the same release under another kubeconfig, which may be one of the same cluster', () => {
    const renamed = application([deploy('prod', 'eu-2')]);
    const why = `waiting until ${name}, which may have release prod/web on that cluster, is deleted`;
    expect(work(renamed, [fresh]).steps.map(text)).toEqual([`wait: ${why}`, 'delete: no entry specifies it any more']);
    expect(work(renamed, [leaving(fresh)]).steps[0]).toMatchObject({ op: 'wait', why });
    expect(work(renamed, []).steps[0]?.op).toBe('create');
  });

  it('waits for its predecessor in another namespace: both have the same cluster-wide objects', () => {
    const moved = application([deploy('test', 'eu')]);
    expect(workApproved(moved, [fresh]).steps.map(text)[0]).toBe(`wait: waiting until ${name} is deleted`);
    expect(work(moved, []).steps[0]?.op).toBe('create');
  });

  it('does not wait for a child of another cluster or namespace and of another name', () => {
    for (const [namespace, cluster] of [
      ['prod', 'us'],
      ['test', 'eu'],
    ] as const) {
      const entry = deploy(namespace, cluster, { releaseName: 'other' });
      expect(workApproved(application([entry]), [fresh]).steps[0]?.op).toBe('create');
    }
  });
});

describe('a release that another child of the Application holds', () => {
  const named = (name: string, releaseName: string): Deploy => deploy('prod', 'eu', { name, releaseName });
  const nameOf = (each: Child | undefined): string => `HelmRelease shop/${each?.metadata.name ?? ''}`;
  /** As Flux reports a release that it made. */
  const running = (each: Child): Child => ({
    ...each,
    status: { storageNamespace: 'prod', history: [{ name: each.spec.releaseName ?? '', chartVersion: '1.0.0' }] },
  });

  it('stays when an entry comes to it whose own release is given up', () => {
    const [a, b] = made(named('a', 'r1'), named('b', 'r2'));
    const { steps } = work(application([named('a', 'r2')]), [a!, b!]);
    expect(steps).toMatchObject([
      { op: 'update', live: b, object: { spec: { releaseName: 'r2' } } },
      { op: 'delete', live: a },
    ]);
  });

  it('is neither left nor taken while a chain of entries moves along', () => {
    const [a, b] = made(named('a', 'r1'), named('b', 'r2'));
    const { steps } = workApproved(application([named('a', 'r2'), named('b', 'r3')]), [a!, b!]);
    expect(steps.map(({ op }) => op)).toEqual(['update', 'wait', 'delete']);
    expect(steps[0]).toMatchObject({ live: b, object: { spec: { releaseName: 'r2' } } });
  });

  it('goes over to the unnamed entry that wants it when the named one leaves', () => {
    const [a] = made(named('a', 'r1'));
    const { steps } = work(application([named('a', 'r2'), deploy('prod', 'eu', { releaseName: 'r1' })]), [a!]);
    expect(steps).toMatchObject([
      { op: 'create', object: { spec: { releaseName: 'r2' } } },
      { op: 'update', live: a, object: { spec: { releaseName: 'r1' } } },
    ]);
  });

  it('is waited for until the engine has left it', () => {
    const [a] = made(named('a', 'r1')).map(running);
    const [update] = workApproved(application([named('a', 'r2')]), [a!]).steps;
    if (update?.op !== 'update') throw new Error('expected an update');
    const moving = { ...update.object, status: a!.status };
    const both = application([named('a', 'r2'), named('b', 'r1')]);
    expect(work(both, [moving as Child]).steps.map(text)).toEqual([
      'keep: unchanged',
      `wait: waiting until ${nameOf(a)} has left release prod/r1`,
    ]);
    expect(work(both, [running(moving as Child)]).steps[1]?.op).toBe('create');
  });

  it('is waited for by an update as well', () => {
    const [a, b] = made(named('a', 'r1'), named('b', 'r2'));
    const { steps } = work(application([named('b', 'r1')]), [leaving(a!), b!]);
    expect(steps[0]).toMatchObject({ op: 'wait', live: a });
  });

  it('is not taken over from the child of a rejected entry', () => {
    const client = { install: { serverSideApply: false } };
    const [a, b] = made(named('a', 'r1'), named('b', 'r2'));
    const mistaken = { ...named('a', 'r9'), ...client };
    const { steps } = work(application([mistaken, named('b', 'r1')]), [a!, b!]);
    // b takes over what runs where it is wanted; what b had may be what the mistaken entry means.
    expect(steps.map(({ op }) => op)).toEqual(['update', 'wait', 'spare']);
  });
});

describe('a child of ks-devops that no entry has', () => {
  const spec = { targetNamespace: 'prod', kubeConfig: { secretRef: { name: 'eu' } }, releaseName: 'web' };
  const one = legacyChild('web7x', 'eu-prod', spec);
  const two = legacyChild('web9z', 'eu-prod', spec);
  const asked = (app: Application): Application => ({
    ...app,
    metadata: { ...app.metadata, annotations: { 'gitops.kubesphere.io/prune-legacy': 'true' } },
  });
  const other = application([deploy('prod', 'us', { releaseName: 'other' })]);

  it('is left unchanged, and says how to have it removed', () => {
    const [, spared] = work(other, [one]).steps;
    expect(spared?.op).toBe('spare');
    expect(spared?.why).toContain('annotate the Application with gitops.kubesphere.io/prune-legacy=true');
  });

  it('goes when that was asked for', () => {
    expect(work(asked(other), [one]).steps.map(({ op }) => op)).toEqual(['create', 'delete']);
  });

  it('goes without that once an entry had taken it over', () => {
    const [update] = work(application([eu]), [one]).steps;
    if (update?.op !== 'update') throw new Error('expected an update');
    const adopted = { ...update.object, metadata: { ...one.metadata, ...update.object.metadata } };
    expect(work(other, [adopted]).steps[1]?.op).toBe('delete');
  });

  it('is suspended first when another child has its release, so that the delete uninstalls nothing', () => {
    const app = asked(application([eu]));
    expect(work(application([eu]), [one, two]).steps.map(({ op }) => op)).toEqual(['update', 'spare']);
    expect(work(app, [one, two]).steps).toMatchObject([
      { op: 'update', live: one },
      { op: 'suspend', live: two, why: expect.stringContaining('HelmRelease shop/web7x') },
    ]);
    const suspended = { ...two, spec: { ...spec, suspend: true } };
    expect(work(app, [one, suspended]).steps).toMatchObject([{ op: 'update' }, { op: 'delete', live: suspended }]);
  });
});

describe('a child with the work of another one that stays', () => {
  it('is suspended first, whatever created it', () => {
    const twin = { ...fresh, metadata: { ...fresh.metadata, name: 'web-twin' } };
    expect(work(application([eu]), [fresh, twin]).steps).toMatchObject([
      { op: 'keep', live: fresh },
      { op: 'suspend', live: twin },
    ]);
  });

  it('is suspended first when an entry of files comes to the directory of several', () => {
    const [one, two] = [
      files('prod', 'eu', { name: 'one', path: './1' }),
      files('prod', 'eu', { name: 'two', path: './2' }),
    ];
    const children = applied([], work(filesApplication([one, two])).steps);
    const first = children.find(({ spec }) => spec['path'] === './1')!;
    const twin = { ...first, metadata: { ...first.metadata, name: 'web-twin' } };
    const { steps } = work(filesApplication([{ ...two, path: './1' }]), [...children, twin]);
    expect(steps).toMatchObject([
      { op: 'update', live: { spec: { path: './2' } }, object: { spec: { path: './1' } } },
      { op: 'suspend', live: { spec: { path: './1' } } },
      { op: 'suspend', live: { spec: { path: './1' } } },
    ]);
  });

  it.each<[string, Parameters<typeof files>[2], Parameters<typeof files>[2]]>([
    ['variables', { postBuild: { substitute: { tenant: 'a' } } }, { postBuild: { substitute: { tenant: 'b' } } }],
    ['prefixes', { namePrefix: 'a-' }, { namePrefix: 'b-' }],
    ['components', {}, { components: ['../b'] }],
    ['patches', {}, { patches: [{ patch: '{}', target: { kind: 'Service' } }] }],
  ])('is nobody with the same directory and other %s: its objects are pruned', (_, a, b) => {
    const one = files('prod', 'eu', { ...a, name: 'one', path: './app' });
    const two = files('prod', 'eu', { ...b, name: 'two', path: './app' });
    const children = applied([], work(filesApplication([one, two])).steps);
    const { steps } = work(filesApplication([one]), children);
    expect(steps).toMatchObject([
      { op: 'keep', live: children[0] },
      { op: 'delete', live: children[1] },
    ]);
  });
});
