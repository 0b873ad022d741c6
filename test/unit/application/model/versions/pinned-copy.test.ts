import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit.js';
import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { DRY_RUN_ANNOTATION, LOCK_ANNOTATION, PINNED_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { printVersions } from '#controllers/application/model/spec/resolved-versions.js';
import {
  requestedCopy,
  copiesOf,
  copiesOfRevision,
  copyAt,
  copyPlace,
  copySpec,
  stagedSources,
  foundRevision,
  isSameSpec,
  type SourceOf,
} from '#controllers/application/model/sources/pinned-copy.js';
import { sourceText } from '#controllers/application/model/spec/flux-spec.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { filed } from './builders.js';

const A = 'a'.repeat(40);
const D = `sha256:${'d'.repeat(64)}`;
const FLEET = { kind: 'GitRepository', namespace: 'shop', name: 'fleet' };
const WEB = { kind: 'OCIRepository', namespace: 'shop', name: 'web' };
const PINNED = { source: FLEET, revision: `main@sha1:${A}` };
const GIT = {
  url: 'https://git.invalid/fleet',
  interval: '10m',
  ref: { branch: 'main' },
  secretRef: { name: 'login' },
};
const OCI = { url: 'oci://registry.invalid/web', interval: '10m', ref: { semver: '1.x' } };

/** A source that was fetched, unless `status` says otherwise. */
function live(place: typeof FLEET, spec: object, revision: string, status: object = {}): Child {
  const labels = place.name.startsWith('pinned-') ? { labels: { [PINNED_SOURCE_LABEL]: place.name } } : {};
  const metadata = { name: place.name, namespace: place.namespace, generation: 2, ...labels };
  const ready = {
    type: 'Ready',
    status: 'True' as const,
    reason: 'Succeeded',
    message: 'gone',
    lastTransitionTime: '',
  };
  const base = { observedGeneration: 2, conditions: [ready], artifact: { revision } };
  return { apiVersion: '', kind: place.kind, metadata, spec: { ...spec }, status: { ...base, ...status } };
}

function world(...objects: Child[]): SourceOf {
  const found = new Map(
    objects.map((each) => {
      const { name, namespace = '' } = each.metadata;
      return [sourceText({ kind: each.kind, namespace, name }), each] as const;
    }),
  );
  return (place) => found.get(sourceText(place));
}

const USERS = live(FLEET, GIT, PINNED.revision);
const COPY = live(copyPlace(PINNED), copySpec(PINNED, GIT)?.spec ?? {}, PINNED.revision);
const FAILED = [
  { type: 'Ready', status: 'False' as const, reason: 'Failed', message: 'no such commit', lastTransitionTime: '' },
];

describe('the spec of a copy', () => {
  it.each<[string, object, string, object | undefined]>([
    ['has the commit and the branch', { branch: 'main' }, `main@sha1:${A}`, { commit: A, branch: 'main' }],
    ['has no branch that the commit is not of', { branch: 'next' }, `main@sha1:${A}`, { commit: A }],
    ['has no branch for a tag', { tag: 'v1' }, `v1@sha1:${A}`, { commit: A }],
    ['has no branch that a name goes before', { branch: 'main', name: 'main' }, `main@sha1:${A}`, { commit: A }],
    ['has a commit that is named', { commit: A }, `sha1:${A}`, { commit: A }],
    ['has a long commit', {}, `main@sha256:${'b'.repeat(64)}`, { commit: 'b'.repeat(64) }],
    ['is nothing for junk', {}, 'main', undefined],
    ['is nothing for an option', {}, 'main@sha1:--upload-pack=x', undefined],
  ])('%s', (_name, ref, revision, expected) => {
    const asked = copySpec({ source: FLEET, revision }, { ...GIT, suspend: true, ref });
    expect(asked?.spec['ref']).toEqual(expected);
    if (asked !== undefined) expect(asked.spec).toEqual({ ...GIT, ref: expected });
  });

  it('has the digest of an artifact, whatever its tag was', () => {
    const asked = copySpec({ source: WEB, revision: `1.2.0@${D}` }, OCI);
    expect(asked).toEqual({ kind: 'OCIRepository', spec: { ...OCI, ref: { digest: D } } });
    expect(copySpec({ source: WEB, revision: D }, OCI)).toEqual(asked);
    expect(copySpec({ source: WEB, revision: '1.2.0' }, OCI)).toBeUndefined();
  });

  it('is no longer the same when a field goes', () => {
    const asked = copySpec(PINNED, GIT);
    if (asked === undefined) throw new Error('it has a commit');
    expect(isSameSpec(COPY, asked)).toBe(true);
    expect(isSameSpec(COPY, { ...asked, spec: omit(asked.spec, 'secretRef') })).toBe(false);
  });
});

describe('what a source means', () => {
  const place = sourceText(copyPlace(PINNED)).replace(/^GitRepository\//, '');
  const next = PINNED.revision;
  it.each<[string, SourceOf, object]>([
    ['is the revision whose copy was fetched', world(USERS, COPY), { resolved: next }],
    ['comes with its copy', world(USERS), { problem: `GitRepository ${place} does not exist yet`, next }],
    [
      'comes once the copy is fetched',
      world(USERS, { ...COPY, status: { observedGeneration: 1 } }),
      { problem: `GitRepository ${place} is not ready yet`, next },
    ],
    [
      'waits for a copy that fails',
      world(USERS, { ...COPY, status: { ...COPY.status, conditions: FAILED } }),
      { problem: `GitRepository ${place} is not ready: no such commit`, next },
    ],
    [
      'is nothing that somebody else put there',
      world(USERS, { ...COPY, metadata: { ...COPY.metadata, labels: { [PINNED_SOURCE_LABEL]: 'other' } } }),
      { problem: `GitRepository ${place} exists, and Fairlead did not create it: delete it`, next },
    ],
    [
      'is nothing that was edited',
      world(USERS, { ...COPY, spec: { ...COPY.spec, url: 'https://evil.invalid' } }),
      { problem: `GitRepository ${place} is not up to date yet`, next },
    ],
    ['is unknown without the source', world(COPY), { problem: 'GitRepository shop/fleet does not exist' }],
    [
      'is unknown while it fails',
      world(live(FLEET, GIT, PINNED.revision, { conditions: FAILED }), COPY),
      { problem: 'GitRepository shop/fleet is not ready: no such commit' },
    ],
    [
      'is what a suspended source has',
      world(live(FLEET, { ...GIT, suspend: true }, PINNED.revision, { observedGeneration: 1 }), COPY),
      { resolved: next },
    ],
    [
      'cannot be kept where tags are verified',
      world(live(FLEET, { ...GIT, verify: { mode: 'TagAndHEAD' } }, PINNED.revision), COPY),
      { unresolvable: 'spec.verify.mode is TagAndHEAD, and a commit has no tag' },
    ],
    [
      'cannot be kept where it includes others',
      world(live(FLEET, { ...GIT, include: [{ repository: { name: 'x' } }] }, PINNED.revision), COPY),
      { unresolvable: 'spec.include has files of other sources' },
    ],
    [
      'cannot be kept without a commit',
      world(live(FLEET, GIT, 'main')),
      { unresolvable: 'its revision main names no commit or digest' },
    ],
  ])('%s', (_name, sourceAt, expected) => expect(foundRevision(FLEET, 'shop', sourceAt)).toEqual(expected));

  it('cannot be kept elsewhere, whether there is a source or not: nothing is told of it', () => {
    const unresolvable = 'it is in another namespace';
    expect(foundRevision(FLEET, 'other', world(USERS, COPY))).toEqual({ unresolvable });
    expect(foundRevision(FLEET, 'other', world())).toEqual({ unresolvable });
    expect(foundRevision({ ...FLEET, kind: 'Bucket' }, 'shop', world())).toEqual({
      unresolvable: 'a Bucket cannot be fetched as it was',
    });
  });
});

describe('a copy', () => {
  const NEXT = { source: FLEET, revision: `main@sha1:${'b'.repeat(40)}` };
  const app = filed(
    { kind: 'GitRepository', name: 'fleet' },
    { sources: [{ ...FLEET, revision: PINNED.revision, available: NEXT.revision }] },
  );

  it('is asked for by the status of an Application', () => {
    expect(copiesOf(app)).toEqual([PINNED, NEXT]);
    expect(stagedSources(app)).toEqual([FLEET]);
    expect(requestedCopy(app, copyPlace(PINNED), world(USERS))).toEqual({ kind: 'GitRepository', spec: COPY.spec });
    expect(requestedCopy(app, { ...copyPlace(PINNED), name: 'fleet' }, world(USERS))).toBeUndefined();
    expect(requestedCopy(app, copyPlace(PINNED), world())).toBeUndefined();
  });

  it('is asked for by nobody who goes, tries, or is of another namespace', () => {
    const marked = (more: object): Application => ({ ...app, metadata: { ...app.metadata, ...more } });
    const others = [
      marked({ deletionTimestamp: '2026-01-01T00:00:00Z' }),
      marked({ annotations: { [DRY_RUN_ANNOTATION]: 'true' } }),
      marked({ namespace: 'other' }),
    ];
    for (const each of others) expect(requestedCopy(each, copyPlace(PINNED), world(USERS))).toBeUndefined();
    expect(copiesOf(marked({ namespace: 'other' }))).toEqual([]);
  });

  it('is not made of what must not be held', () => {
    const floating = live(FLEET, { ...GIT, include: [{ repository: { name: 'x' } }] }, PINNED.revision);
    expect(copyAt([PINNED], copyPlace(PINNED), world(floating))).toBeUndefined();
  });

  it('is needed by a revision that is kept, in its own namespace only', () => {
    const kept = (namespace: string, text: string): KubeObject => ({
      ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision' },
      metadata: { name: 'x', namespace, annotations: { [LOCK_ANNOTATION]: text } },
    });
    const lock = printVersions(
      new Map([
        [sourceText(FLEET), PINNED.revision],
        ['HelmRepository/shop/charts podinfo 6.x', '6.7.1'],
        ['Bucket/shop/files', 'x'],
      ]),
    );
    expect(copiesOfRevision(kept('shop', lock))).toEqual([PINNED]);
    expect(copiesOfRevision(kept('other', lock))).toEqual([]);
    expect(copiesOfRevision(kept('shop', 'junk'))).toEqual([]);
    expect(copyAt(copiesOfRevision(kept('shop', lock)), copyPlace(PINNED), world(USERS))?.spec).toEqual(COPY.spec);
  });
});
