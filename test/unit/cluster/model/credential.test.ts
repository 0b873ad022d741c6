import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import omit from 'lodash/omit.js';
import {
  CREDENTIAL_ACCOUNT_ANNOTATION,
  CREDENTIAL_BASIS_ANNOTATION,
  CREDENTIAL_CLUSTER_ANNOTATION,
  CREDENTIAL_GRANT_ANNOTATION,
  CREDENTIAL_LABEL,
  CREDENTIAL_RENEWAL_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import type { Permit } from '#controllers/cluster/model/access.js';
import { clusterIdText } from '#controllers/cluster/model/cluster.js';
import {
  basisOf,
  credentialAnnotations,
  decideCredential,
  isMade,
  renewalOf,
  TOKEN_SECONDS,
  type ObservedCredential,
} from '#controllers/cluster/model/credential.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import { timestamp } from '#lib/kube/conditions.js';
import { kubeSphere } from './builders.js';

const NOW = 1_800_000_000_000;
const EU = kubeSphere('eu');
const NAME = credentialName(EU.id);
const TOKEN: Permit = {
  grant: 'a',
  credential: { type: 'ServiceAccountToken', namespace: 'tenants', name: 'deployer' },
  targetNamespaces: 'any',
};
const SHARED: Permit = { ...TOKEN, credential: { type: 'SharedCredential' } };
const OTHER: Permit = { ...TOKEN, credential: { type: 'ServiceAccountToken', namespace: 'tenants', name: 'other' } };
const BOTH = [EU, kubeSphere('us')];
const SOURCE = 'uid/1';

/** The Secret as it was made for a permit; `due` in milliseconds from now. */
function made(permit: Permit, due = 1_000_000, sourceVersion = SOURCE): NonNullable<ObservedCredential['live']> {
  const renewal = permit.credential.type === 'SharedCredential' ? undefined : NOW + due;
  const all = credentialAnnotations({ cluster: EU, permit, sourceVersion }, renewal);
  const annotations = Object.fromEntries(
    Object.entries(all).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );
  return { metadata: { namespace: 'shop', name: NAME, labels: { [CREDENTIAL_LABEL]: 'true' }, annotations } };
}

function without(name: string, { metadata }: NonNullable<ObservedCredential['live']>) {
  return { metadata: { ...metadata, annotations: omit(metadata.annotations, [name]) } };
}

function renewedAt(renewal: string, { metadata }: NonNullable<ObservedCredential['live']>) {
  return {
    metadata: { ...metadata, annotations: { ...metadata.annotations, [CREDENTIAL_RENEWAL_ANNOTATION]: renewal } },
  };
}

const foreign = { metadata: { namespace: 'shop', name: NAME } };
const planted = { metadata: { ...foreign.metadata, labels: { [CREDENTIAL_LABEL]: 'true' } } };

function observed(more: Partial<ObservedCredential> = {}): ObservedCredential {
  return {
    name: NAME,
    live: undefined,
    isReferred: true,
    isComplete: true,
    isAccessKnown: true,
    isInventoryLost: false,
    clusters: [EU],
    permit: TOKEN,
    sourceVersion: SOURCE,
    ...more,
  };
}

type Op = ReturnType<typeof decideCredential>['op'];

describe('a credential that may be used', () => {
  it.each<[string, Partial<ObservedCredential>, Op]>([
    ['is made', {}, 'issue'],
    ['is kept', { live: made(TOKEN) }, 'keep'],
    ['is renewed when it is due', { live: made(TOKEN, -1) }, 'issue'],
    [
      'is renewed when somebody removed the time',
      { live: without(CREDENTIAL_RENEWAL_ANNOTATION, made(TOKEN)) },
      'issue',
    ],
    ['is renewed when somebody wrote a text for it', { live: renewedAt('never', made(TOKEN)) }, 'issue'],
    ['is renewed when somebody put it off', { live: renewedAt('2999-01-01T00:00:00Z', made(TOKEN)) }, 'issue'],
    ['is made again for another grant', { live: made({ ...TOKEN, grant: 'b' }) }, 'issue'],
    ['is taken back first if it was the credential of the inventory', { live: made(SHARED) }, 'revoke'],
    ['is taken back first if it is of another ServiceAccount', { live: made(OTHER) }, 'revoke'],
    ['also if nobody knows whose it is', { live: without(CREDENTIAL_ACCOUNT_ANNOTATION, made(TOKEN)) }, 'revoke'],
    ['keeps it while grants may be missing', { live: made(SHARED), isAccessKnown: false }, 'undecided'],
    ['is then made again', { live: without(CREDENTIAL_BASIS_ANNOTATION, made(SHARED)) }, 'issue'],
    ['is made again for another credential of the inventory', { live: made(TOKEN, 1_000, 'uid/2') }, 'issue'],
    ['is made again after it was taken back', { live: without(CREDENTIAL_BASIS_ANNOTATION, made(TOKEN)) }, 'issue'],
    ['has no end if it is shared', { permit: SHARED, live: made(SHARED) }, 'keep'],
    ['is not written over a Secret of somebody else', { live: foreign }, 'refuse'],
    ['nor over one with our label only', { live: planted }, 'refuse'],
    ['is not made for two clusters at once', { clusters: BOTH }, 'refuse'],
    ['is not renewed for two clusters at once', { clusters: BOTH, live: made(TOKEN, -1) }, 'refuse'],
    ['is taken back although it would be of two clusters', { clusters: BOTH, live: made(SHARED) }, 'revoke'],
    ['is made without waiting for other clusters', { isInventoryLost: true, isComplete: false }, 'issue'],
  ])('%s', (_title, more, op) => expect(decideCredential(observed(more), NOW).op).toBe(op));

  it('is due when its time says', () => {
    expect(decideCredential(observed({ live: made(TOKEN, 5_000) }), NOW)).toEqual({ op: 'keep', renewInMs: 5_000 });
    expect(decideCredential(observed({ live: made(SHARED), permit: SHARED }), NOW)).toEqual({ op: 'keep' });
  });
});

describe('a credential that may not be used', () => {
  const denied = { permit: undefined };
  it.each<[string, Partial<ObservedCredential>, Op]>([
    ['is not made', denied, 'none'],
    ['loses its token', { ...denied, live: made(TOKEN) }, 'revoke'],
    ['loses the credential of the inventory', { ...denied, live: made(SHARED) }, 'revoke'],
    ['is not written twice', { ...denied, live: without(CREDENTIAL_BASIS_ANNOTATION, made(TOKEN)) }, 'none'],
    ['keeps it while grants may be missing', { ...denied, live: made(TOKEN), isAccessKnown: false }, 'undecided'],
    ['loses it although references may be missing', { ...denied, live: made(TOKEN), isComplete: false }, 'revoke'],
    ['loses it although two clusters would share it', { ...denied, live: made(TOKEN), clusters: BOTH }, 'revoke'],
    ['loses it although its cluster is gone', { ...denied, live: made(TOKEN), clusters: [] }, 'revoke'],
    ['is not taken from a Secret of somebody else', { ...denied, live: foreign }, 'none'],
    ['nor from one with our label only', { ...denied, live: planted }, 'none'],
  ])('%s', (_title, more, op) => expect(decideCredential(observed(more), NOW).op).toBe(op));
});

describe('a credential whose cluster is not in the inventory', () => {
  const gone = { clusters: [] };
  it.each<[string, Partial<ObservedCredential>, Op]>([
    ['is not made', gone, 'none'],
    ['keeps what it has', { ...gone, live: made(TOKEN, -1) }, 'keep'],
    ['loses what the grant does not give any more', { ...gone, live: made(SHARED) }, 'revoke'],
    ['keeps it also if the inventory is lost', { ...gone, live: made(TOKEN), isInventoryLost: true }, 'keep'],
    ['is nothing to us if somebody else made it', { ...gone, live: foreign }, 'none'],
  ])('%s', (_title, more, op) => expect(decideCredential(observed(more), NOW).op).toBe(op));
});

describe('a credential that nothing refers to', () => {
  const unused = { isReferred: false, permit: undefined };
  it.each<[string, Partial<ObservedCredential>, Op]>([
    ['is not made', { ...unused, permit: TOKEN }, 'none'],
    ['is deleted', { ...unused, live: made(TOKEN) }, 'delete'],
    ['is deleted with its cluster', { ...unused, live: made(TOKEN), clusters: [] }, 'delete'],
    ['stays while references may be missing', { ...unused, live: made(TOKEN), isComplete: false }, 'undecided'],
    ['stays while the inventory is lost', { ...unused, live: made(TOKEN), isInventoryLost: true }, 'undecided'],
    ['stays if somebody else made it', { ...unused, live: foreign }, 'none'],
    ['or gave it our label only', { ...unused, live: planted }, 'none'],
  ])('%s', (_title, more, op) => expect(decideCredential(observed(more), NOW).op).toBe(op));
});

it('nothing is ever taken from a Secret that was not made here', () => {
  const live = fc.constantFrom(undefined, foreign, planted);
  const facts = fc.record({
    live,
    ...{ isReferred: fc.boolean(), isComplete: fc.boolean(), isAccessKnown: fc.boolean() },
    ...{ isInventoryLost: fc.boolean(), clusters: fc.constantFrom([], [EU], BOTH) },
    permit: fc.constantFrom(undefined, TOKEN, SHARED),
  });
  fc.assert(
    fc.property(facts, (more) => {
      const { op } = decideCredential(observed(more), NOW);
      expect(op === 'delete' || op === 'revoke').toBe(false);
      expect(op === 'issue' && more.live !== undefined).toBe(false);
    }),
  );
});

describe('a Secret', () => {
  it('was made here if it has our label, and the name of the cluster in it', () => {
    expect(isMade(made(TOKEN))).toBe(true);
    expect([foreign, planted, without(CREDENTIAL_CLUSTER_ANNOTATION, made(TOKEN))].map(isMade)).toEqual([
      false,
      false,
      false,
    ]);
    const { metadata } = made(TOKEN);
    const annotations = { [CREDENTIAL_CLUSTER_ANNOTATION]: clusterIdText(kubeSphere('us').id) };
    expect(isMade({ metadata: { ...metadata, annotations } })).toBe(false);
  });

  it('names its cluster and its grant', () => {
    expect(credentialAnnotations({ cluster: EU, permit: TOKEN, sourceVersion: SOURCE }, NOW)).toEqual({
      [CREDENTIAL_CLUSTER_ANNOTATION]: 'cluster.kubesphere.io/Cluster//eu',
      [CREDENTIAL_GRANT_ANNOTATION]: 'a',
      [CREDENTIAL_ACCOUNT_ANNOTATION]: 'tenants/deployer',
      [CREDENTIAL_BASIS_ANNOTATION]: basisOf(EU, TOKEN, SOURCE),
      [CREDENTIAL_RENEWAL_ANNOTATION]: timestamp(NOW),
    });
  });
});

describe('a token', () => {
  it('is renewed between 56 and 67 percent of the life that it has, at most an hour, at least after ten seconds', () => {
    expect(renewalOf(0, 3_600, 0)).toBe(2_400_000);
    expect(renewalOf(0, 600, 0)).toBe(400_000);
    expect(renewalOf(0, 86_400, 0)).toBe(2_400_000);
    expect(renewalOf(0, 1, 0)).toBe(10_000);
    fc.assert(
      fc.property(
        fc.integer({ min: 60, max: TOKEN_SECONDS }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (life, random) => {
          const part = renewalOf(NOW, life, random) - NOW;
          expect(part).toBeGreaterThanOrEqual(Math.floor(life * 566));
          expect(part).toBeLessThanOrEqual(Math.ceil(life * 667));
        },
      ),
    );
  });
});
