import { describe, expect, test } from '@jest/globals';
import { parseModules, submodulesOf } from '#controllers/source/git/model/tree.js';

const ID = 'a'.repeat(40);
const BASE = 'https://host/group/app.git';

function entry(path: string, mode = '160000') {
  return { path, mode, id: ID, size: 0 };
}

function urlFrom(url: string, base = BASE): unknown {
  const found = submodulesOf([entry('lib')], new Map([['lib', url]]), base);
  return 'problem' in found ? found.problem : found[0]?.url;
}

test('the URLs of .gitmodules by path; what is not whole is left out', () => {
  const lines = [
    'submodule.a.path\nlib/a',
    'submodule.a.url\n../a',
    'submodule.b.c.path\nlib/b\nc',
    'submodule.b.c.url\nhttps://old/b',
    'submodule.b.c.url\nhttps://host/b',
    'submodule.d.path\nlib/d',
    'submodule.a.update\n!sh -c x',
    'core.sshcommand\nsh -c x',
    '',
  ];
  expect(parseModules(lines.join('\0'))).toEqual(
    new Map([
      ['lib/a', '../a'],
      ['lib/b\nc', 'https://host/b'],
    ]),
  );
});

test('only what is a submodule in the tree is one', () => {
  const modules = new Map([
    ['lib', '../lib'],
    ['file', '../file'],
    ['nothing', '../nothing'],
  ]);
  expect(submodulesOf([entry('lib'), entry('file', '100644')], modules, BASE)).toEqual([
    { path: 'lib', url: 'https://host/group/lib', commit: ID },
  ]);
});

describe('the URL of a submodule', () => {
  test.each([
    ['../lib.git', 'https://host/group/lib.git'],
    ['./lib', 'https://host/group/app.git/lib'],
    ['../../other/lib', 'https://host/other/lib'],
    ['http://elsewhere/lib', 'http://elsewhere/lib'],
    ['https://HOST:443/lib', 'https://host/lib'],
    ['git@elsewhere:group/lib.git', 'ssh://git@elsewhere/group/lib.git'],
  ])('%s', (url, absolute) => expect(urlFrom(url)).toBe(absolute));

  test('is relative to an ssh URL, too', () =>
    expect(urlFrom('../lib', 'ssh://git@host:22/group/app')).toBe('ssh://git@host:22/group/lib'));

  test.each([
    ['../../../../x', 'leads out of the host'],
    ['../..', 'leads out of the host'],
    ['/etc', 'is not an http, https or ssh URL'],
    ['file:///etc', 'is not an http, https or ssh URL'],
    ['ext::sh -c x', 'is not an http, https or ssh URL'],
    ['--upload-pack=x', 'is not an http, https or ssh URL'],
    ['-u./payload', 'is not an http, https or ssh URL'],
    ['ssh://-oProxyCommand=x/a', 'is not an http, https or ssh URL'],
    [String.raw`https://host\@evil.test/x`, 'is not an http, https or ssh URL'],
    [String.raw`https:\\evil.test/x`, 'is not an http, https or ssh URL'],
    ['https:evil.test/x', 'is not an http, https or ssh URL'],
    ['ssh://git@evil.test%2Fx@host/app', 'is not an http, https or ssh URL'],
    ['git@host:x@[evil.test]/y', 'is not an http, https or ssh URL'],
    ['../x@[evil.test]/y', 'is not an http, https or ssh URL'],
    ['../a\tb', 'is not an http, https or ssh URL'],
    [String.raw`../a\b`, 'is not an http, https or ssh URL'],
    ['https://user:secret@host/a', 'is not an http, https or ssh URL without credentials'],
  ])('%s is refused', (url, problem) => {
    expect(urlFrom(url)).toContain('the submodule "lib": ');
    expect(urlFrom(url)).toContain(problem);
    expect(urlFrom(url)).not.toContain('secret');
  });
});

test.each([
  ['../lib', 'its path is not allowed'],
  ['.git/modules/x', 'its path is not allowed'],
  ['lib/.GIT/hooks', 'its path is not allowed'],
])('the path %s is refused', (path, problem) => {
  expect(submodulesOf([entry(path)], new Map([[path, '../lib']]), BASE)).toEqual({
    problem: `the submodule ${JSON.stringify(path)}: ${problem}`,
  });
});

test('one without a URL is refused', () => {
  expect(submodulesOf([entry('lib')], new Map(), BASE)).toEqual({
    problem: 'the submodule "lib": .gitmodules has no URL for it',
  });
});
