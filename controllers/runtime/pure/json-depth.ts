const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPENING, CLOSING] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

/** The index of the quote that ends a string, or the end of the text. */
function stringEnd(text: string, start: number): number {
  let index = start;
  while (index < text.length && text.charCodeAt(index) !== QUOTE) {
    index += text.charCodeAt(index) === BACKSLASH ? 2 : 1;
  }
  return index;
}

/** True when lists and maps of a JSON text are nested deeper than `most`: told without a call per level. */
export function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = stringEnd(text, index + 1);
    else if (CLOSING.has(code)) depth -= 1;
    else if (OPENING.has(code) && ++depth > most) return true;
  }
  return false;
}
