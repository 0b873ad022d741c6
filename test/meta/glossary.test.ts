import { describe, expect, test } from '@jest/globals';
import { filesBelow, literalsIn, sourceFiles, textOf } from './repository.js';

const PAGE = 'docs/glossary.md';

/** The words that the glossary lists after `title`. */
function listedAfter(title: string): string[] {
  const lists = [...textOf(PAGE).matchAll(new RegExp(`${title}:((?:\\s+\`[^\`]+\`,?)+)`, 'g'))];
  return lists.flatMap(([, list = '']) =>
    [...list.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word.replaceAll(/\s+/g, ' ')),
  );
}

function uses(text: string, word: string): boolean {
  return new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'i').test(text.replaceAll(/\s+/g, ' '));
}

const ROOT_PAGES = ['README.md', 'CHANGELOG.md', 'api/README.md', 'sandbox/README.md', 'runtime/README.md'];
const PAGES = [...ROOT_PAGES, ...['docs', 'samples'].flatMap(filesBelow)].filter(
  (file) => file.endsWith('.md') && file !== PAGE,
);

describe('the glossary', () => {
  const words = listedAfter('Not');

  test('names words that we do not use', () => expect(words.length).toBeGreaterThan(20));

  test.each(words)('keeps "%s" out of the docs', (word) => {
    expect(PAGES.filter((page) => uses(textOf(page), word))).toEqual([]);
  });

  test.each(words)('keeps "%s" out of messages and descriptions', (word) => {
    const found = sourceFiles().flatMap((file) =>
      literalsIn(textOf(file))
        .filter((text) => text.includes(' ') && uses(text, word))
        .map((text) => `${file}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  test.each([...words, ...listedAfter('No\\s+file')])('keeps "%s" out of the names of files', (word) => {
    const name = new RegExp(`(^|[/.-])${word.replaceAll(' ', '-')}([/.-]|$)`, 'i');
    expect(sourceFiles().filter((file) => name.test(file))).toEqual([]);
  });

  test.each(listedAfter('No\\s+type'))('keeps "%s" out of the names of types', (name) => {
    const declaration = new RegExp(`\\b(interface|class|type) ${name}\\b`);
    expect(sourceFiles().filter((file) => declaration.test(textOf(file)))).toEqual([]);
  });
});
