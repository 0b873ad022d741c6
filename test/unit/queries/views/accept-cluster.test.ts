import { expect, test } from '@jest/globals';
import {
  acceptCommand,
  acceptedCluster,
  acceptedText,
  clusterObjectText,
  replacedClusters,
} from '#queries/views/accept-cluster.js';
import { viewOf } from '#queries/views/application-view.js';
import { application } from '../../../support/application.js';

const SECRET = 'object: { kind: Secret, namespace: shop, name: eu }';
const ROWS = [
  `{ name: a, cluster: eu, state: Failed, replaced: { ${SECRET}, recorded: old, found: new } }`,
  '{ name: b, cluster: us, state: Ready }',
  `{ name: c, cluster: eu, state: Deleting, replaced: { ${SECRET}, recorded: older, found: new } }`,
  '{ name: d, cluster: eu, state: Failed, replaced: { object: { apiGroup: x.io, kind: Cluster, name: eu }, found: one } }',
];
const { destinations } = viewOf(application('web', `{ destinations: [${ROWS.join(', ')}] }`));

test('each object of replaced clusters is there once, with its destinations and what they are for', () => {
  const found = replacedClusters(destinations).map(({ object, recorded, found: uid, destinations: rows }) => [
    clusterObjectText(object),
    recorded,
    uid,
    rows.map(({ name }) => name),
  ]);
  expect(found).toEqual([
    ['Cluster.x.io eu', [], 'one', ['d']],
    ['Secret shop/eu', ['old', 'older'], 'new', ['a', 'c']],
  ]);
  expect(replacedClusters(viewOf(application('new', '{}')).destinations)).toEqual([]);
});

test('what was seen is accepted, and what comes of it is said', () => {
  const accepted = acceptedCluster(destinations, { object: 'Secret shop/eu', clusterUid: 'new' });
  if ('problem' in accepted) throw new Error(accepted.problem);
  expect(acceptedText(accepted)).toMatch(
    /^Secret shop\/eu accepts the cluster with the UID new: 2 destinations of this .* what is to be removed is uninstalled; /,
  );
});

test.each([
  ['another UID', 'Secret shop/eu', 'old', /^the cluster of Secret shop\/eu that answers has the UID new by now/],
  [
    'another namespace',
    'Secret fleet/eu',
    'new',
    /^no destination waits .*, only for Cluster.x.io eu, Secret shop\/eu$/,
  ],
  ['another group', 'Cluster eu', 'one', /^no destination waits/],
  ['the name alone', 'eu', 'new', /^no destination waits/],
])('%s is not accepted', (_, object, clusterUid, refused) => {
  expect(acceptedCluster(destinations, { object, clusterUid })).toEqual({ problem: expect.stringMatching(refused) });
});

const UID = 'gitops.kubesphere.io/accept-cluster-uid=b-1';

test.each([
  [
    { kind: 'Secret', namespace: 'shop', name: 'eu' },
    'b-1',
    `kubectl annotate --overwrite secret eu --namespace shop ${UID}`,
  ],
  [{ apiGroup: 'x.io', kind: 'Cluster', name: 'eu' }, 'b-1', `kubectl annotate --overwrite cluster.x.io eu ${UID}`],
  [{ kind: 'Secret', namespace: 'shop', name: 'eu' }, '$(reboot)', ''],
  [{ kind: 'Secret', namespace: 'shop', name: 'eu' }, '-b', ''],
  [{ kind: 'Secret', namespace: 'shop', name: 'eu;reboot' }, 'b-1', ''],
  [{ kind: 'Secret', namespace: '', name: 'eu' }, 'b-1', ''],
])('the command for %j and %s is %s', (object, found, command) => {
  expect(acceptCommand({ object, found })).toBe(command);
});
