import { describe, expect, it } from '@jest/globals';
import { filesOf, foundSourceFiles, sourceFilesArgument, unusedFiles } from '#cli/render/manifest-flags.js';

const app = { kind: 'GitRepository', namespace: 'shop', name: 'app' };

function parsed(...texts: readonly string[]) {
  return texts.reduce(
    (before, text) => sourceFilesArgument(text, before),
    sourceFilesArgument(texts[0] ?? '').slice(1),
  );
}

describe('sourceFilesArgument', () => {
  it.each([
    ['app=.', { name: 'app', path: '.' }],
    ['gitrepository/app=../a=b', { kind: 'GitRepository', name: 'app', path: '../a=b' }],
    ['Bucket/shop/app=/files', { kind: 'Bucket', namespace: 'shop', name: 'app', path: '/files' }],
  ])('reads %s', (text, expected) => {
    expect(sourceFilesArgument(text)).toEqual([{ ...expected, text }]);
  });

  it.each(['app', 'app=', '=.', 'GitRepository/=.', '/app=.', 'GitRepository/a/b/c=.'])('refuses %s', (text) => {
    expect(() => sourceFilesArgument(text)).toThrow('must be [KIND/[NAMESPACE/]]NAME=PATH, e.g.');
  });

  it('refuses a kind that is none', () => {
    expect(() => sourceFilesArgument('HelmChart/app=.')).toThrow(/the kinds are HelmRepository, GitRepository, /);
  });
});

describe('filesOf', () => {
  it.each([
    [['app=a'], 'a'],
    [['GitRepository/app=a'], 'a'],
    [['GitRepository/shop/app=a'], 'a'],
    [['app=a', 'GitRepository/app=b'], 'b'],
    [['Bucket/app=a'], undefined],
    [['GitRepository/other/app=a'], undefined],
    [['ap=a'], undefined],
  ])('of %j are %s', (texts, expected) => {
    expect(filesOf(parsed(...texts), app)?.path).toBe(expected);
  });
});

it('unusedFiles are those that no source has', () => {
  expect(unusedFiles(parsed('app=a', 'charts=b'), [app]).map(({ text }) => text)).toEqual(['charts=b']);
});

it('foundSourceFiles names the path that is not there, and the flag', async () => {
  await expect(foundSourceFiles(parsed('app=/nowhere/at/all'), '--source')).rejects.toThrow(
    /^cannot read \/nowhere\/at\/all: .*; choose another path with --source$/,
  );
});
