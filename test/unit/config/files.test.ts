import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { generatedFiles } from '#config/files.js';

describe('generated files', () => {
  const files = generatedFiles();

  test.each([...files])('%s is current: npm run generate', (file, content) => {
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  test.each(['config/crd', 'config/rbac', 'config/console', 'docs/api'])(
    '%s holds nothing else: npm run generate',
    (folder) => {
      const expected = [...files.keys()].filter((file) => file.startsWith(`${folder}/`));
      expect(
        readdirSync(folder)
          .map((name) => `${folder}/${name}`)
          .sort(),
      ).toEqual(expected.sort());
    },
  );
});
