import { expect, test } from '@jest/globals';
import { pathWithin } from '#controllers/source/model/paths.js';

test.each([
  ['./charts/web', ['charts', 'web']],
  ['/charts//web/', ['charts', 'web']],
  ['../../etc/passwd', ['etc', 'passwd']],
  ['a/../../b', ['b']],
  ['.', []],
])('the path %j stays below its root', (path, parts) => expect(pathWithin(path)).toEqual(parts));
