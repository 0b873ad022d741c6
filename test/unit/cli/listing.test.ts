import { expect, test } from '@jest/globals';
import { inFormat } from '#cli/output/listing.js';
import { parseYaml } from '#lib/yaml/yaml.js';

const LISTED = { message: 'red \u202e nekorb', more: { '\u2028key': 'a\u009b31m', big: [1, '1', null] } };
const table = (): string => 'a table';

test.each(['json', 'yaml'] as const)('%s has nothing that a terminal obeys, and means the same', (output) => {
  const text = inFormat({ output }, LISTED, table);
  expect(text).not.toMatch(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(parseYaml(text)).toEqual(LISTED);
});

test('YAML without such a thing is in blocks', () => {
  expect(inFormat({ output: 'yaml' }, { name: 'web', ports: [80] }, table)).toBe('name: web\nports:\n  - 80');
});
