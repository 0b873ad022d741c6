import { describe, expect, it, test } from '@jest/globals';
import { fluxObjectIn } from '#cli/command/flux-object.js';
import { lookIntoObjects, objectCommands } from '#cli/status/look-further.js';
import { fluxTable, needsTable } from '#cli/status/model/flux-table.js';
import type { FluxObjectView, NeedView } from '#queries/answers/flux-object.js';

const CAUSE = 'timeout waiting for: [Deployment/shop/web: InProgress]';

function view(fields: Partial<FluxObjectView>): FluxObjectView {
  const base = { application: '', cluster: 'host', targetNamespace: 'shop', release: 'web', reason: '', revision: '' };
  return { kind: 'HelmRelease', namespace: 'shop', name: 'web', ...base, state: 'Ready', message: '', ...fields };
}

const BROKEN = view({
  state: 'Failed',
  revision: '1.4.2',
  message: `Helm upgrade failed for release shop/web with chart web@1.5.0: ${CAUSE}`,
});
const FILES = { kind: 'Kustomization', name: 'apps', targetNamespace: '', release: '', message: 'Applied revision' };
const VIEWS = [BROKEN, view({ ...FILES, revision: 'main@sha1:0123' })];

const NEEDS: NeedView[] = [
  need({ kind: 'HelmRepository', name: 'charts', state: 'Failed', field: 'spec.chart.spec.sourceRef', message: '404' }),
  need({ kind: 'Secret', name: 'values', state: 'Missing', field: 'spec.valuesFrom[0]', message: 'create it' }),
  need({ kind: 'HelmRelease', namespace: 'infra', name: 'db', field: 'spec.dependsOn[0]' }),
];

function need(fields: Partial<NeedView>): NeedView {
  return { field: '', kind: '', namespace: 'shop', name: '', state: 'Ready', message: '', ...fields };
}

function options(columns: number | undefined, { wide = false, allNamespaces = false } = {}) {
  return { allNamespaces, wide, terminal: { columns, hasColors: false, hasSymbols: columns !== undefined } };
}

describe('fluxTable', () => {
  it('has one line per object in a pipe, with the cause first, and nothing of what is Ready', () => {
    expect(`\n${fluxTable(VIEWS, options(undefined))}\n`).toBe(`
KIND            NAME   CLUSTER   NAMESPACE   RELEASE   STATE    REVISION         MESSAGE
HelmRelease     web    host      shop        web       Failed   1.4.2            ${CAUSE} (Helm upgrade failed for release shop/web with chart web@1.5.0)
Kustomization   apps   host      -           -         Ready    main@sha1:0123   -
`);
  });

  it('has namespaces and whole messages if these are wanted', () => {
    const [title, , files] = fluxTable(VIEWS, options(undefined, { wide: true, allNamespaces: true })).split('\n');
    expect(title).toMatch(/^PROJECT +KIND +NAME /);
    expect(files).toMatch(/^shop +Kustomization .* Applied revision$/);
  });

  it('is no wider than a terminal of 60 columns', () => {
    const lines = fluxTable(VIEWS, options(60)).split('\n');
    expect(lines.filter(({ length }) => length > 60)).toEqual([]);
    expect(lines[0]).toBe('KIND            NAME   CLUSTER   STATE      REVISION');
  });
});

test('needsTable names each object with its field, and why it is not Ready', () => {
  expect(`\n${needsTable({ ...view({}), needs: NEEDS }, options(undefined))}\n`).toBe(`
NEEDS                   STATE     FIELD                       MESSAGE
HelmRepository charts   Failed    spec.chart.spec.sourceRef   404
Secret values           Missing   spec.valuesFrom[0]          create it
HelmRelease infra/db    Ready     spec.dependsOn[0]           -
`);
});

test('lookIntoObjects names up to three that fail or wait', () => {
  const waiting = ['a', 'b', 'c'].map((name) => view({ name, state: 'Pending' }));
  const unsafe = view({ name: '$(x)', state: 'Failed' });
  expect(lookIntoObjects([unsafe, ...VIEWS, ...waiting])).toEqual([
    'fairlead status helmrelease/web -n shop',
    'fairlead status helmrelease/a -n shop',
    'fairlead status helmrelease/b -n shop',
  ]);
  expect(lookIntoObjects([view({})])).toEqual([]);
});

describe('objectCommands', () => {
  const ready = { ...view({}), needs: [] };
  const broken = { ...BROKEN, needs: NEEDS };

  it('show and adopt what is Ready', () => {
    expect(objectCommands(ready, true)).toEqual([
      'fairlead tree helmrelease/web -n shop',
      'fairlead adopt helmrelease/web -n shop',
    ]);
  });

  it('look first into what a broken one needs', () => {
    expect(objectCommands(broken, false)).toEqual([
      'kubectl -n shop describe helmrepository charts',
      'kubectl -n shop describe helmrelease web',
      'fairlead tree helmrelease/web -n shop',
    ]);
  });

  it('lead to the Application that has it', () => {
    expect(objectCommands({ ...ready, application: 'store' }, false)).toContain('fairlead status store -n shop');
  });

  it('have no name that is none', () => {
    expect(objectCommands({ ...broken, name: '$(x)' }, true)).toEqual([]);
  });
});

describe('fluxObjectIn', () => {
  it.each([
    ['hr/web', 'HelmRelease'],
    ['HR/web', 'HelmRelease'],
    ['helmreleases/web', 'HelmRelease'],
    ['HelmRelease/web', 'HelmRelease'],
    ['ks/web', 'Kustomization'],
    ['Kustomization/web', 'Kustomization'],
  ])('%s', (text, kind) => {
    expect(fluxObjectIn(text)).toMatchObject({ name: 'web', resource: { kind } });
  });

  it.each([undefined, 'web', ''])('%p names no object of Flux', (text) => {
    expect(fluxObjectIn(text)).toBeUndefined();
  });

  it.each(['Deployment/web', 'hr/', '/web', 'hr/shop/web'])('%s is refused', (text) => {
    expect(() => fluxObjectIn(text)).toThrow(
      `"${text}" is neither the name of an Application nor KIND/NAME; the kinds are HelmRelease and Kustomization`,
    );
  });
});
