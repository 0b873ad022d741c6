import { expect, it } from '@jest/globals';
import { pathText } from '#lib/text/text.js';

it.each<[path: string[], text: string]>([
  [['a', 'b', '0', 'c'], 'a.b[0].c'],
  [['nodeSelector', 'kubernetes.io/os'], 'nodeSelector["kubernetes.io/os"]'],
])('%j is %s', (path, text) => expect(pathText(path)).toBe(text));
