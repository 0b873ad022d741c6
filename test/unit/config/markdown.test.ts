import { describe, expect, test } from '@jest/globals';
import { bulletList, paragraph } from '#config/markdown.js';

describe('Markdown', () => {
  test('is wrapped at 120 characters, list items with their indent', () => {
    const text = `${'word '.repeat(30)}end`;
    expect(paragraph(text).split('\n')).toEqual([`${'word '.repeat(23)}word`, `${'word '.repeat(6)}end`]);
    expect(bulletList([text, 'other']).split('\n')).toEqual([
      `- ${'word '.repeat(22)}word`,
      `  ${'word '.repeat(7)}end`,
      '- other',
    ]);
  });

  test('never breaks code or a link, and never begins a line with a list marker', () => {
    const before = 'a'.repeat(110);
    expect(paragraph(`${before} \`some code\`, then`)).toBe(`${before}\n\`some code\`, then`);
    expect(paragraph(`${before} [a link](page.md)`)).toBe(`${before}\n[a link](page.md)`);
    expect(paragraph(`${'a'.repeat(119)} - b`)).toBe(`${'a'.repeat(119)} -\nb`);
  });
});
