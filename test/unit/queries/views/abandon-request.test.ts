import { expect, test } from '@jest/globals';
import { ABANDON_ANNOTATION } from '#api/v1alpha1/labels.js';
import { abandonRequest, endAbandonRequest, stuckClusters } from '#queries/views/requests.js';
import { application } from '../../../support/application.js';

const ROWS = [
  ...['{ name: a, cluster: us, state: Unreachable }', '{ name: b, cluster: eu, state: Deleting }'],
  ...['{ name: c, cluster: host, state: Deleting }', '{ name: d, cluster: "true", state: Deleting }'],
  ...[
    '{ name: e, cluster: ap, state: Ready }',
    '{ name: f, state: Deleting }',
    '{ name: g, cluster: eu, state: Ready }',
  ],
];

const web = (abandoned?: string) => {
  const annotations = abandoned === undefined ? '' : `, annotations: { ${ABANDON_ANNOTATION}: "${abandoned}" }`;
  return application('web', `{ destinations: [${ROWS.join(', ')}] }`, `{ uid: u${annotations} }`);
};

test('the clusters that may be given up are those where something waits, and never the host', () => {
  expect(stuckClusters(web())).toEqual(['eu', 'true', 'us']);
  expect(stuckClusters(application('new', '{}'))).toEqual([]);
});

test.each([
  [undefined, 'eu', 'eu'],
  ['us', 'eu', 'us,eu'],
  [' us , , us,gone', 'eu', 'us,gone,eu'],
])('to %j, %s is added: %s', (before, cluster, after) => {
  const requested = abandonRequest(web(before), cluster);
  expect(requested).toMatchObject({
    annotations: { [ABANDON_ANNOTATION]: after },
    done: expect.stringContaining('without an uninstall'),
  });
});

test.each([
  ['a cluster that is well', undefined, 'ap', /^on cluster ap nothing is being deleted or unreachable, only on eu/],
  ['the host', undefined, 'host', /^on cluster host nothing/],
  ['an unknown one', undefined, 'asia', /^on cluster asia nothing/],
  ['no cluster', undefined, undefined, /^say which cluster/],
  ['one whose name means all', undefined, 'true', /called true cannot be abandoned by its name/],
  ['one that is given up', 'us, eu', 'eu', /^cluster eu is abandoned already/],
  ['one of all that are', 'true', 'eu', /^all its clusters are abandoned already/],
])('%s is not given up', (_, before, cluster, refused) => {
  expect(abandonRequest(web(before), cluster)).toEqual({ problem: expect.stringMatching(refused) });
});

test.each([
  ['eu', 'eu', null],
  ['us,eu,ap', 'eu', 'us,ap'],
  ['true', 'true', null],
])('of %j, %s is taken away: %j', (before, cluster, after) => {
  expect(endAbandonRequest(web(before), cluster)).toMatchObject({ annotations: { [ABANDON_ANNOTATION]: after } });
});

test.each([
  [undefined, 'eu', /^cluster eu is not abandoned/],
  ['eu', undefined, /^say which cluster/],
])('of %j, %s is not', (before, cluster, refused) => {
  expect(endAbandonRequest(web(before), cluster)).toEqual({ problem: expect.stringMatching(refused) });
});
