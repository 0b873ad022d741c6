import { expect, it } from '@jest/globals';
import { treeText } from '#cli/inspect/model/tree-text.js';
import { widthOf } from '#cli/output/model/text.js';
import {
  destinationsOn,
  objectTree,
  treeView,
  type FoundObject,
  type MemberFindings,
  type OwnedObject,
} from '#queries/views/tree-view.js';
import type { Application } from '#api/v1alpha1/application.js';
import { application, deploy } from '../../application/model/builders.js';

function found(kind: string, name: string, more: Partial<FoundObject> = {}): FoundObject {
  return {
    apiVersion: 'v1',
    kind,
    namespace: 'prod',
    name,
    uid: name,
    containers: [],
    state: 'Ready',
    message: '',
    ...more,
  };
}

function owned(kind: string, name: string, owner: string, more: Partial<OwnedObject> = {}): OwnedObject {
  return { ...found(kind, name), ownerUids: [owner], isBetween: false, ...more };
}

const WEB: MemberFindings = {
  objects: [
    found('Deployment', 'web', { state: 'Progressing', message: 'Available: 0/1' }),
    found('ConfigMap', 'web-config'),
  ],
  owned: [
    owned('Pod', 'web-1', 'web-rs', { state: 'Failed', message: 'container web: ImagePullBackOff' }),
    owned('Pod', 'web-0', 'web-rs'),
    owned('ReplicaSet', 'web-rs', 'web', { isBetween: true }),
    owned('Pod', 'of-somebody-else', 'other'),
  ],
  problem: '',
  more: 0,
};

const CHILD = { kind: 'HelmRelease', name: 'web-eu' };

function withRows(more: object = {}): Application {
  const row = { namespace: 'prod', release: 'web', child: CHILD };
  const destinations = [
    { ...row, name: 'eu', cluster: 'eu', state: 'Progressing', message: 'Helm upgrade runs' },
    { ...row, name: 'us', cluster: 'us', state: 'Ready', message: 'fine', child: { ...CHILD, name: 'web-us' } },
    { ...row, name: 'ap', cluster: 'ap', state: 'Pending', message: 'waits for a stage', child: undefined },
  ];
  return { ...application([deploy('prod')]), status: { destinations, ...more } } as Application;
}

const FOUND = new Map<string, MemberFindings>([
  ['HelmRelease shop/web-eu', WEB],
  ['HelmRelease shop/web-us', { objects: [], owned: [], problem: 'no answer in time', more: 0 }],
]);

it('puts pods below what owns them, without what stands between', () => {
  const [deployment, config] = objectTree(WEB);
  expect(deployment?.owns.map(({ name }) => name)).toEqual(['web-0', 'web-1']);
  expect(config?.owns).toEqual([]);
});

it('ends where owners own each other, and takes no unread object for an owner', () => {
  const loop = [owned('Pod', 'a', 'b'), owned('Pod', 'b', 'a')];
  expect(JSON.stringify(objectTree({ objects: [found('Pod', 'a')], owned: loop })).length).toBeLessThan(2_000);
  const unknown = objectTree({ objects: [found('Deployment', 'x', { uid: '' })], owned: [owned('Pod', 'p', '')] });
  expect(unknown[0]?.owns).toEqual([]);
});

it('shows each object once, however many owners it names', () => {
  const names = Array.from({ length: 300 }, (_, index) => `rs-${index}`);
  const crowd = names.map((name) =>
    owned('ReplicaSet', name, 'web', { ownerUids: ['web', ...names], isBetween: true }),
  );
  const pods = [owned('Pod', 'p', 'web', { ownerUids: [...names, ...names] })];
  const [deployment] = objectTree({ objects: [found('Deployment', 'web')], owned: [...crowd, ...pods] });
  expect(deployment?.owns.map(({ name }) => name)).toEqual(['p']);
});

it('selects the destinations of a cluster', () => {
  expect(destinationsOn(withRows(), 'eu').map(({ name }) => name)).toEqual(['eu']);
  expect(destinationsOn(withRows(), undefined)).toHaveLength(3);
});

it('shows what was read, what was not, and what is not there yet', () => {
  const app = withRows({ truncated: true });
  const view = treeView(app, destinationsOn(app, undefined), FOUND);
  const terminal = { columns: undefined, hasColors: false, hasSymbols: false };
  expect(treeText(view, { wide: false, terminal })).toBe(
    [
      'Application shop/web  Pending',
      'no controller has reconciled it yet',
      '├─ HelmRelease shop/web-eu on eu  Progressing',
      '│  Helm upgrade runs',
      '│  ├─ Deployment prod/web  Progressing',
      '│  │  Available: 0/1',
      '│  │  ├─ Pod prod/web-0  Ready',
      '│  │  └─ Pod prod/web-1  Failed',
      '│  │     container web: ImagePullBackOff',
      '│  └─ ConfigMap prod/web-config  Ready',
      '├─ HelmRelease shop/web-us on us  Ready',
      '│  └─ not read: no answer in time',
      '├─ ap on ap  Pending',
      '│  waits for a stage',
      '└─ the status lists no more destinations',
    ].join('\n'),
  );
});

it('is no wider than a terminal of 40 columns, and shows no control character of a stranger', () => {
  const app = withRows();
  const evil = { ...WEB, objects: [found('Deployment', 'a\u001b[2Jb\n'.repeat(20))] };
  const view = treeView(app, destinationsOn(app, 'eu'), new Map([['HelmRelease shop/web-eu', evil]]));
  const terminal = { columns: 40, hasColors: false, hasSymbols: true };
  const lines = treeText(view, { wide: false, terminal }).split('\n');
  expect(lines.filter((line) => widthOf(line) > 40)).toEqual([]);
  expect(lines.join('')).not.toContain('\u001b');
});

it('names the containers of pods, and the one to blame', () => {
  const blamed = { container: 'sidecar', isRestarting: true };
  const pod = owned('Pod', 'web-0', 'web', { containers: ['app', 'sidecar'], blamed });
  const [web] = objectTree({ objects: [found('Deployment', 'web')], owned: [pod] });
  expect(web?.containers).toEqual([]);
  expect(web).not.toHaveProperty('blamed');
  expect(web?.owns).toMatchObject([{ containers: ['app', 'sidecar'], blamed }]);
});
