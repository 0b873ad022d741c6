import { describe, expect, it } from '@jest/globals';
import { targetValues } from '#controllers/application/model/children/same-target.js';
import { application, applied, deploy, observed, seenWorld, work, type Seen } from './builders.js';
import { inventory, own, toClusters } from './clusters/builders.js';
import { before, pinnedTo, PIN } from './revisions/builders.js';

const APP = application([deploy('prod', 'eu')]);
const [LIVE] = applied([], work(APP).steps);

/** The targets that a world looks up. */
function targetsOf(seen: Seen): string[] {
  const targets = { childrenAt: () => [], claimantOf: () => undefined };
  return [...seenWorld({ ...seen, targets }).targets.keys()];
}

describe('a world', () => {
  it('has the targets of its entries, also as earlier revisions have them', () => {
    expect(targetsOf(observed(APP))).toEqual(targetValues(LIVE!));
    const old = before(APP, [
      deploy('prod', 'eu', { storageNamespace: 'prod', values: { a: 1 } }),
      deploy('old', 'eu'),
    ]);
    const revisions = pinnedTo(APP, { [PIN]: '1' }, { 1: old });
    expect(targetsOf({ ...observed(APP), revisions })).toEqual(targetValues(LIVE!));
  });

  it('gives a new child a name that nobody has, and leaves the others theirs', () => {
    const names = (owned: NonNullable<Seen['owned']>, taken: string[]) =>
      seenWorld({ ...observed(APP, owned), isTaken: (name) => taken.includes(name) }).destinations.map(
        ({ name }) => name,
      );
    const { name } = LIVE!.metadata;
    expect(names([], [])).toEqual([name]);
    expect(names([], [name])).not.toEqual([name]);
    expect(names([LIVE!], [name])).toEqual([name]);
  });

  it('knows the clusters of entries and of children, and nothing of others', () => {
    const view = inventory([own('eu'), own('us'), own('asia')]);
    const to = (name: string) => application([toClusters({ clusterRef: { kind: 'Secret', name } })]);
    const seen = (name: string) => ({ ...observed(to(name)), clusters: view });
    const named = { ...LIVE!.metadata, annotations: { 'gitops.kubesphere.io/cluster-id': '/Secret/shop/us' } };
    const world = seenWorld({ ...seen('eu'), owned: [{ ...LIVE!, metadata: named }] });
    expect([...world.clusters.keys()]).toEqual(['/Secret/shop/us']);
  });

  it('only reports the entries of an Application that is invalid as a whole', () => {
    const validation = { violation: { reason: 'DeployEmpty', message: '' } } as const;
    const { destinations, targets } = seenWorld({ ...observed(APP, [LIVE!]), validation, otherOwnerOf: () => 'other' });
    expect(destinations).toMatchObject([{ live: LIVE, owner: undefined }]);
    expect(targets.size).toBe(0);
  });
});
