import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RULES } from './rules.js';
import { SILENT } from './silent.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const plain = (text: string): string => text.replaceAll(/\]\([^)]*\)/g, '').replaceAll(/[\s[]+/g, ' ');

/** The text below a heading, up to the next heading of any level. */
function section(file: string, heading: string): string {
  const parts = readFileSync(path.join(ROOT, file), 'utf8').split(/^#+ /m);
  return plain(parts.filter((part) => part.startsWith(`${heading}\n`) || part.includes(`. ${heading}\n`)).join('\n'));
}

const PARTS = /^(docs\/\S+\.md) > ([^:]+): (.+)$/s;

describe('the model quotes the documentation', () => {
  test.each(Object.entries(RULES))('in rule %s', (_name, text) => {
    const [, file = '', heading = '', quote = ''] = PARTS.exec(text) ?? [];
    expect(section(file, heading)).toContain(plain(quote));
  });

  test.each(SILENT)('and names a place for: %s', (text) => {
    const [, file = '', heading = ''] = PARTS.exec(text) ?? [];
    expect(section(file, heading)).not.toBe('');
  });
});
