import { describe, expect, test } from '@jest/globals';
import {
  commitOf,
  gitRevision,
  gitTarget,
  newestCommit,
  parseRefs,
  refPatterns,
  resolveTarget,
  targetProblem,
} from '#controllers/source/git/model/reference.js';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const C = 'c'.repeat(40);
const REFS = parseRefs(
  [
    `${A}\trefs/heads/main`,
    `${B}\tx/refs/heads/other`,
    `${B}\trefs/tags/v1.2.0`,
    `${A}\trefs/tags/v1.10.0`,
    `${C}\trefs/tags/v1.10.0^{}`,
    `${C}\trefs/tags/v2.0.0-rc.1`,
    '',
  ].join('\n'),
);

describe('the first field given decides: commit, name, tag, semver, branch', () => {
  test.each([
    [undefined, { kind: 'branch', branch: 'master' }],
    [{}, { kind: 'branch', branch: 'master' }],
    [{ branch: 'main' }, { kind: 'branch', branch: 'main' }],
    [
      { branch: 'main', semver: '1.x' },
      { kind: 'semver', range: '1.x' },
    ],
    [
      { branch: 'main', tag: 'v1', semver: '1.x' },
      { kind: 'tag', tag: 'v1' },
    ],
    [
      { semver: '1.x', name: 'refs/pull/1/head' },
      { kind: 'name', name: 'refs/pull/1/head' },
    ],
    [
      { name: 'refs/x', commit: A, branch: 'main' },
      { kind: 'commit', commit: A, branch: 'main' },
    ],
    [
      { commit: '', tag: '', branch: 'main' },
      { kind: 'branch', branch: 'main' },
    ],
  ])('%j', (ref, target) => expect(gitTarget(ref)).toEqual(target));
});

describe('a target is found among the references of the server', () => {
  test.each([
    [{ branch: 'main' }, 'refs/heads/main', A, `main@sha1:${A}`],
    [{ tag: 'v1.2.0' }, 'refs/tags/v1.2.0', B, `v1.2.0@sha1:${B}`],
    [{ tag: 'v1.10.0' }, 'refs/tags/v1.10.0', C, `v1.10.0@sha1:${C}`],
    [{ semver: '^1' }, 'refs/tags/v1.10.0', C, `v1.10.0@sha1:${C}`],
    [{ name: 'refs/tags/v1.2.0' }, 'refs/tags/v1.2.0', B, `refs/tags/v1.2.0@sha1:${B}`],
  ])('%j', (given, ref, commit, revision) => {
    const target = gitTarget(given);
    expect(resolveTarget(target, REFS)).toEqual([{ ref, commit, object: REFS.get(ref) }]);
    expect(gitRevision(target, ref, commit)).toBe(revision);
    expect(commitOf(revision)).toBe(commit);
  });

  test.each([{ branch: 'other' }, { tag: 'main' }, { semver: '^3' }, { name: 'refs/heads/x' }])(
    '%j is not there',
    (ref) => expect(resolveTarget(gitTarget(ref), REFS)).toEqual([]),
  );

  test('only what is needed is asked for', () => {
    expect(refPatterns(gitTarget({ tag: 'v1' }))).toEqual(['refs/tags/v1', 'refs/tags/v1^{}']);
    expect(refPatterns(gitTarget({ semver: '*' }))).toEqual(['refs/tags/*']);
    expect(refPatterns(gitTarget({ commit: A }))).toEqual(['HEAD']);
  });
});

describe('of tags that differ in build metadata alone', () => {
  const refs = parseRefs([`${A}\trefs/tags/1.0.0+9`, `${B}\trefs/tags/1.0.0+10`, `${C}\trefs/tags/0.9.0`].join('\n'));
  const candidates = resolveTarget(gitTarget({ semver: '*' }), refs);

  test('all may be meant', () =>
    expect(candidates).toEqual([
      { ref: 'refs/tags/1.0.0+10', commit: B, object: B },
      { ref: 'refs/tags/1.0.0+9', commit: A, object: A },
    ]));

  test.each([
    ['the one with the newest commit is', `${A} 200\n${B} 100\n`, 'refs/tags/1.0.0+9'],
    ['the highest number is, for commits of one second', `${A} 100\n${B} 100\n`, 'refs/tags/1.0.0+10'],
    ['the highest number is, should there be no time', '', 'refs/tags/1.0.0+10'],
  ])('%s', (_title, times, ref) => expect(newestCommit(candidates, times)?.ref).toBe(ref));
});

test('a commit is its own revision, below its branch if one is given', () => {
  expect(gitRevision(gitTarget({ commit: A }), undefined, A)).toBe(`sha1:${A}`);
  expect(gitRevision(gitTarget({ commit: A, branch: 'main' }), undefined, A)).toBe(`main@sha1:${A}`);
  expect(gitRevision(gitTarget({ branch: 'main' }), 'refs/heads/main', 'd'.repeat(64))).toBe(
    `main@sha256:${'d'.repeat(64)}`,
  );
});

describe('what can never be found is rejected with its field', () => {
  test.each([
    [{ commit: 'abc' }, 'spec.ref.commit'],
    [{ commit: '--upload-pack=x' }, 'spec.ref.commit'],
    [{ semver: 'latest' }, 'spec.ref.semver'],
    [{ name: 'main' }, 'spec.ref.name'],
    [{ branch: 'main:refs/heads/other' }, 'spec.ref.branch'],
    [{ commit: A, branch: 'main:refs/heads/other' }, 'spec.ref.branch'],
    [{ branch: 'a b' }, 'spec.ref.branch'],
    [{ branch: 'a\0b' }, 'spec.ref.branch'],
    [{ tag: '*' }, 'spec.ref.tag'],
    [{ tag: '../x' }, 'spec.ref.tag'],
    [{ name: 'refs/heads/a..b' }, 'spec.ref.name'],
  ])('%j', (ref, field) => expect(targetProblem(gitTarget(ref))).toContain(field));

  test.each([
    { commit: A },
    { semver: '>=1' },
    { name: 'refs/heads/main' },
    { branch: 'x' },
    { branch: 'feature/$(id);`x`|&\'"' },
    { tag: '--upload-pack=x' },
  ])('%j is no problem', (ref) => expect(targetProblem(gitTarget(ref))).toBeUndefined());
});
