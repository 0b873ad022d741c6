import { stripVTControlCharacters } from 'node:util';
import { printJson } from '#lib/json/lossless-json.js';
import { parseYaml } from '#lib/yaml/yaml.js';

const ASCII = /^[ -~]*$/;
const WITHOUT_WIDTH = /[\p{M}\u200d]/u;
const TWO_CELLS =
  /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

function cellsOf(character: string): number {
  if (WITHOUT_WIDTH.test(character)) return 0;
  return TWO_CELLS.test(character) ? 2 : 1;
}

/** Cells that a line takes on a terminal; colours take none. */
export function widthOf(line: string): number {
  if (ASCII.test(line)) return line.length;
  return Array.from(stripVTControlCharacters(line)).reduce((sum, character) => sum + cellsOf(character), 0);
}

export function padded(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - widthOf(line)));
}

/** A text of several lines without what `oneLine` removes; blanks stay. */
export function plainLines(text: string): string {
  const plain = (line: string): string => line.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ');
  return text.split('\n').map(plain).join('\n');
}

/** A word in parts of at most `width` cells, or of one character where not even that fits. */
function parts(word: string, width: number): string[] {
  const found: string[] = [];
  let [part, cells] = ['', 0];
  for (const character of word) {
    const more = cellsOf(character);
    if (part !== '' && cells + more > width) {
      found.push(part);
      [part, cells] = ['', 0];
    }
    part += character;
    cells += more;
  }
  return part === '' ? found : [...found, part];
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** What JSON and YAML may have as it is, and a terminal obeys. */
const OBEYED = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** JSON that means the same, with what a terminal obeys escaped: JSON itself only asks for that below U+0020. */
export function harmlessJson(json: string): string {
  return json.replace(OBEYED, escaped);
}

/** One document of YAML, or JSON that means the same if a terminal would obey something of it. */
export function harmlessYaml(text: string): string {
  return text.search(OBEYED) < 0 ? text : harmlessJson(printJson(parseYaml(text), 2));
}

/** A text after a beginning that nothing else stands below, on lines of at most `width` cells as far as one fits. */
export function hanging(start: string, text: string, width = Infinity): string[] {
  const [first = '', ...more] = wrap(text, Math.max(1, width - widthOf(start)));
  return [start + first, ...more.map((line) => padded('', widthOf(start)) + line)];
}

/** The words of one line on lines of at most `width` cells; only a word that is longer than a line is split. */
export function wrap(line: string, width: number): string[] {
  if (width === Infinity) return line === '' ? [] : [line];
  const lines: string[] = [];
  let [current, cells] = ['', 0];
  for (const word of line.split(' ')) {
    const more = widthOf(word);
    if (current !== '' && cells + 1 + more <= width) {
      current += ` ${word}`;
      cells += 1 + more;
      continue;
    }
    if (current !== '') lines.push(current);
    const [last = '', ...before] = more <= width ? [word] : parts(word, width).reverse();
    lines.push(...before.reverse());
    [current, cells] = [last, widthOf(last)];
  }
  return current === '' ? lines : [...lines, current];
}
