import { describe, expect, it } from '@jest/globals';
import { shownCluster } from '#api/v1alpha1/cluster-name.js';
import { ABANDON_ANNOTATION, PIN_CLUSTERS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { abandonRequest, endAbandonRequest } from '#queries/views/requests.js';
import { releaseRequest, rollbackRequest } from '#queries/views/rollback-requests.js';
import { selectDestinations } from '#queries/views/tree-view.js';
import { application } from '../../../support/application.js';

const TWINS = ['Cluster/twin', 'Secret/shop/twin'];
const BOTH = '"twin" is the name of 2 clusters: use one of Cluster/twin, Secret/shop/twin';

describe('the cluster that users name', () => {
  it.each([
    ['eu', ['eu', 'us'], 'eu'],
    ['Secret/shop/eu', ['eu', 'us'], 'eu'],
    ['Secret/fleet/eu', ['eu', 'fleet/eu'], 'fleet/eu'],
    ['fleet/eu', ['Secret/fleet/eu', 'us'], 'Secret/fleet/eu'],
    ['Cluster/twin', TWINS, 'Cluster/twin'],
    ['ClusterProfile/shop/twin', TWINS, undefined],
    ['asia', ['eu'], undefined],
    ['twin', TWINS, { problem: BOTH }],
  ])('by %s, of %j, is %j', (name, shown, meant) => {
    expect(shownCluster(name, shown, 'shop')).toEqual(meant);
  });
});

const rows = [...TWINS, 'eu'].map((cluster) => `{ name: a, cluster: ${cluster}, state: Unreachable }`);

function web(annotations: Record<string, string> = {}) {
  const metadata = `{ uid: u, annotations: ${JSON.stringify(annotations)} }`;
  return application('web', `{ destinations: [${rows.join(', ')}], history: { revision: 2 } }`, metadata);
}

describe('a name that two clusters have', () => {
  it('selects no destination', () => {
    expect(selectDestinations(web(), 'twin')).toEqual({ problem: BOTH });
    expect(selectDestinations(web(), 'Cluster/twin')).toMatchObject({ destinations: [{ cluster: 'Cluster/twin' }] });
    expect(selectDestinations(web(), 'Secret/shop/eu')).toMatchObject({ destinations: [{ cluster: 'eu' }] });
  });

  it('is not pinned; the full name takes the place of another one of its cluster', () => {
    const back = (cluster: string, pins = '') =>
      rollbackRequest({ application: web({ [PIN_CLUSTERS_ANNOTATION]: pins }), kept: [2, 1], cluster });
    expect(back('twin')).toEqual({ problem: BOTH });
    expect(back('Cluster/twin')).toMatchObject({ annotations: { [PIN_CLUSTERS_ANNOTATION]: 'Cluster/twin=1' } });
    const again = back('Secret/shop/eu', 'eu=2,us=1');
    expect(again).toMatchObject({ annotations: { [PIN_CLUSTERS_ANNOTATION]: 'us=1,Secret/shop/eu=1' } });
    const pinned = web({ [PIN_CLUSTERS_ANNOTATION]: 'Secret/shop/eu=1' });
    expect(releaseRequest({ application: pinned, cluster: 'eu' })).toMatchObject({
      annotations: { [PIN_CLUSTERS_ANNOTATION]: null },
    });
  });

  it('is not abandoned', () => {
    expect(abandonRequest(web(), 'twin')).toEqual({ problem: BOTH });
    const annotations = { [ABANDON_ANNOTATION]: 'Cluster/twin' };
    expect(abandonRequest(web(), 'Cluster/twin')).toMatchObject({ annotations });
    const both = web({ [ABANDON_ANNOTATION]: 'Cluster/twin,Secret/shop/eu' });
    expect(abandonRequest(both, 'eu')).toMatchObject({ problem: 'cluster eu is abandoned already' });
    expect(endAbandonRequest(both, 'eu')).toMatchObject({ annotations });
  });
});
