import { describe, expect, it } from '@jest/globals';
import {
  claimOfHidden,
  claimOfLiving,
  claimOfLost,
  claimOfNamesake,
  claimOfOrphaned,
  timeLeft,
  waitForOrphaned,
} from '#controllers/helmrelease/model/claim.js';
import type { ObjectMeta } from '#api/meta.js';
import { snapshot } from './builders.js';
import type { ReleaseInfo } from '#controllers/helmrelease/model/release.js';

const claim = {
  releaseName: 'web',
  storageNamespace: 'apps',
  last: { origin: 'team/old', secretName: 'sh.helm.release.v1.web.v3' },
};
const orphaned = { ...claim, hadIt: false, replaces: undefined };

describe('a release of another HelmRelease', () => {
  it('is left to one that exists, and nobody is told to delete it as it is', () => {
    expect(claimOfLiving(claim)).toBe(
      'release web belongs to HelmRelease team/old: set another spec.releaseName. Deleting that HelmRelease uninstalls ' +
        'the release; to hand it over, first set spec.suspend: true there, and then delete it',
    );
  });

  it('is left to one that may not be asked for, with a way out for who may write the release', () => {
    const message = claimOfHidden(claim);
    expect(message).toContain('belongs to HelmRelease team/old of another namespace');
    expect(message).toContain(
      'remove the labels helm.toolkit.fluxcd.io/name and helm.toolkit.fluxcd.io/namespace from Secret ' +
        'apps/sh.helm.release.v1.web.v3 of its cluster',
    );
  });

  it('is taken over from one that no longer exists', () => {
    expect(claimOfOrphaned(orphaned)).toBeUndefined();
  });

  it.each([
    ['that took it away: it may be on another host', { hadIt: true }, 'another host may manage the release now'],
    ['whose chart is another', { replaces: 'chart name db -> web' }, 'is another one (chart name db -> web)'],
    ['that took it away, with another chart', { hadIt: true, replaces: 'chart name db -> web' }, 'another host'],
  ])('is not taken over from one that no longer exists %s', (_name, change, message) => {
    expect(claimOfOrphaned({ ...orphaned, ...change })).toContain(message);
  });
});

describe('a release of a HelmRelease of the same name', () => {
  const restored = '2026-03-01T00:00:00Z';
  const made = '2026-01-01T00:00:00Z';
  const history = [snapshot({ lastDeployed: '2026-02-01T00:00:00Z' })];
  const metadata = { name: 'web', namespace: 'team', uid: 'uid', creationTimestamp: made };
  it.each<[string, { originUid?: string; release?: Partial<ObjectMeta>; status?: object }, string]>([
    ['is its own', { originUid: 'uid' }, 'own'],
    ['is its own, as far as older versions say', {}, 'own'],
    ['that nothing is known of yet is its own, as far as older versions say', { status: {} }, 'own'],
    ['is continued after a restore', { originUid: 'other', status: { uid: 'other', history } }, 'continued'],
    ['is continued after a restore, also of a younger object', { status: { uid: 'other', history } }, 'continued'],
    ['of an older version is continued after a restore', { release: { creationTimestamp: restored } }, 'continued'],
    [
      'is continued after a restore of a status of an older version',
      { originUid: 'other', release: { creationTimestamp: restored } },
      'continued',
    ],
    ['is continued by one that was created again', { originUid: 'other', status: {} }, 'continued'],
    ['is lost to the one that was restored elsewhere', { originUid: 'other', status: { uid: 'uid', history } }, 'lost'],
    [
      'is lost, also by one that was restored before',
      { originUid: 'other', status: { uid: 'uid', history }, release: { creationTimestamp: restored } },
      'lost',
    ],
    ['is lost, as times say', { originUid: 'other' }, 'lost'],
  ])('%s', (_name, { originUid, release = {}, status = { history } }, expected) => {
    const found = claimOfNamesake({
      release: { metadata: { ...metadata, ...release }, status },
      last: { originUid },
    });
    expect(found).toBe(expected);
  });

  it('says what the ways out are', () => {
    const message = claimOfLost(claim);
    expect(message).toContain('another HelmRelease team/old continues release web');
    expect(message).toContain('delete this one, or the Application that made it, which leaves the release as it is');
    expect(message).toContain(
      'remove the label gitops.kubesphere.io/helmrelease-uid from all Secrets of the release, on its cluster: ' +
        'kubectl label secrets -n apps -l owner=helm,name=web gitops.kubesphere.io/helmrelease-uid-',
    );
  });
});

describe('an action of somebody else', () => {
  const nowMs = 1_000_000_000_000;
  const at = (ageMs: number): string => new Date(nowMs - ageMs).toISOString();
  it.each<[string, ReleaseInfo, number | undefined]>([
    ['that began now has its whole time', { status: 'pending-upgrade', last_deployed: at(0) }, 60_000],
    ['that began a while ago has the rest', { status: 'pending-install', last_deployed: at(20_000) }, 40_000],
    ['that had its time has none', { status: 'pending-rollback', last_deployed: at(60_000) }, undefined],
    [
      'that uninstalls counts from its own beginning',
      { status: 'uninstalling', last_deployed: at(900_000), deleted: at(1_000) },
      59_000,
    ],
    ['that has ended has none', { status: 'deployed', last_deployed: at(0) }, undefined],
    ['that failed has none', { status: 'failed', last_deployed: at(0) }, undefined],
    ['without a time has none', { status: 'pending-upgrade' }, undefined],
    ['of a far future has none', { status: 'pending-upgrade', last_deployed: at(-900_000) }, undefined],
  ])('%s', (_name, info, expected) => {
    expect(timeLeft({ info, nowMs, timeoutMs: 60_000 })).toBe(expected);
  });

  it('is named by what is waited for', () => {
    const running = { info: { status: 'pending-upgrade' as const }, nowMs, timeoutMs: 300_000 };
    expect(waitForOrphaned(claim, running)).toBe(
      'release web is pending-upgrade, and HelmRelease team/old, to which it belongs, does not exist: that action is ' +
        'given 5m0s to end before the release is taken over',
    );
  });
});
