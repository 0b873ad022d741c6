import { expect, test } from '@jest/globals';
import { folderParts, isContained } from '#controllers/source/model/paths.js';

test.each(['a', 'lib/a', 'a.git', '..a/b..', 'git~'])('%j stays below its root', (path) =>
  expect(isContained(path)).toBe(true),
);

test.each(['', '.', '..', 'a/../b', '/a', 'a/', 'a//b', '.git', 'a/.GIT/hooks', 'git~1', 'a\\..\\b', 'a\0b'])(
  '%j does not, or is of git itself',
  (path) => expect(isContained(path)).toBe(false),
);

test.each([
  ['./deploy//prod/', ['deploy', 'prod']],
  ['/deploy', ['deploy']],
  ['', []],
  ['./', []],
  ['../x', undefined],
  ['a/../../x', undefined],
  ['.git', undefined],
])('the parts of the folder %j', (text, parts) => expect(folderParts(text)).toEqual(parts));
