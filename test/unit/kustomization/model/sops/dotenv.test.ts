import { expect, test } from '@jest/globals';
import { printDotenv, readDotenv } from '#controllers/kustomization/model/sops/decrypt-file.js';
import { leaf } from '#controllers/kustomization/model/sops/tree.js';

test('lines are values, and those of sops a map', () => {
  expect(readDotenv('#c\nA=1=2\\n3\nsops_age__list_0__map_enc=x\nsops_mac=y\n')).toEqual({
    kind: 'map',
    entries: [
      ['A', leaf('text', '1=2\n3')],
      [
        'sops',
        {
          kind: 'map',
          entries: [
            ['age', { kind: 'list', items: [{ kind: 'map', entries: [['enc', leaf('text', 'x')]] }] }],
            ['mac', leaf('text', 'y')],
          ],
        },
      ],
    ],
  });
});

test('values become lines', () => {
  expect(printDotenv({ kind: 'map', entries: [['A', leaf('text', 'b\nc')]] })).toBe('A=b\\nc\n');
});

test.each(['A', 'sops_a=1\nsops_a__map_b=2'])('%j is refused', (text) => {
  expect(() => readDotenv(text)).toThrow('has ');
});
