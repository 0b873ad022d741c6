import { describe, expect, test } from '@jest/globals';
import {
  digestOf,
  ociRevision,
  ociTarget,
  ociTargetProblem,
  ociUrlProblem,
  repositoryOf,
} from '#controllers/source/oci/model/reference.js';

const DIGEST = `sha256:${'0'.repeat(64)}`;

describe('a repository', () => {
  test.each([['oci://ghcr.io/org/app', { host: 'ghcr.io', name: 'org/app' }]])('%s', (url, repository) =>
    expect(repositoryOf(url)).toEqual(repository),
  );

  test.each([
    ['https://host/app', 'is not oci://'],
    ['oci://host', 'is not oci://'],
    ['oci://host/app:1.0', 'tags and digests belong to spec.ref'],
    ['oci://host/app@sha256:12', 'tags and digests belong to spec.ref'],
    ['oci://robot:secret@host/app', 'contains credentials'],
  ])('%s is refused', (url, problem) => {
    expect(ociUrlProblem(url)).toContain(problem);
    expect(ociUrlProblem(url)).not.toContain('secret@');
    expect(() => repositoryOf(url)).toThrow(RangeError);
  });
});

describe('spec.ref', () => {
  test.each([
    ['nothing', {}, { kind: 'tag', tag: 'latest' }],
    ['a tag', { tag: 'main' }, { kind: 'tag', tag: 'main' }],
    ['semver before tag', { semver: '1.x', tag: 'main' }, { kind: 'semver', range: '1.x', filter: undefined }],
    ['a filter', { semver: '1.x', semverFilter: 'rc' }, { kind: 'semver', range: '1.x', filter: 'rc' }],
    ['digest before semver', { digest: DIGEST, semver: '1.x' }, { kind: 'digest', digest: DIGEST }],
    ['empty texts are none', { digest: '', semver: '', tag: '' }, { kind: 'tag', tag: 'latest' }],
  ])('%s', (_title, ref, target) => {
    expect(ociTarget(ref)).toEqual(target);
    expect(ociTargetProblem(ociTarget(ref))).toBeUndefined();
  });

  test.each([
    [{ tag: 'a/b' }, 'spec.ref.tag "a/b" is not a tag'],
    [{ tag: '-x' }, 'spec.ref.tag "-x" is not a tag'],
    [{ tag: 'a'.repeat(129) }, 'is not a tag'],
    [{ semver: 'newest' }, 'spec.ref.semver "newest" is not a version range'],
    [{ digest: 'sha512:00' }, 'spec.ref.digest "sha512:00" is not sha256:'],
    [{ digest: `${DIGEST}/../x` }, 'is not sha256:'],
  ])('%j is refused', (ref, problem) => expect(ociTargetProblem(ociTarget(ref))).toContain(problem));
});

test('a revision has the tag that led to it, if there was one', () => {
  expect(ociRevision('main', DIGEST)).toBe(`main@${DIGEST}`);
  expect(ociRevision(undefined, DIGEST)).toBe(DIGEST);
  expect(digestOf(ociRevision('main', DIGEST))).toBe(DIGEST);
  expect(digestOf(DIGEST)).toBe(DIGEST);
});
