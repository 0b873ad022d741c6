/** A part of a text of values: as it stands, or an expression. */
export type Part = { readonly text: string } | { readonly expression: string };

/** A text of values with expressions, or why it is none. */
export type ParsedText = { readonly parts: readonly Part[] } | { readonly problem: string };

const OPEN = '${{';
const ESCAPED = '$${{';
const CLOSE = '}}';

/** The end of a string of CEL that starts at `start`; it may be in three quotes. */
function endOfString(text: string, start: number): number {
  const quote = text.charAt(start);
  const fence = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  let index = start + fence.length;
  while (index < text.length && !text.startsWith(fence, index)) index += text.charAt(index) === '\\' ? 2 : 1;
  return index + fence.length;
}

/** Where the `}}` of an expression begins that starts at `start`: not in a string, and not in a map. -1: nowhere. */
function closeOf(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"' || character === "'") index = endOfString(text, index) - 1;
    else if (depth === 0 && text.startsWith(CLOSE, index)) return index;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
  }
  return -1;
}

/** True for a text that may hold an expression, or an escaped one. */
export function mayHoldExpression(text: string): boolean {
  return text.includes(OPEN);
}

/** Splits a text at its `${{ }}`; `$${{` stands for `${{` as it is. */
export function parseText(text: string): ParsedText {
  const parts: Part[] = [];
  let literal = '';
  let index = 0;
  while (index < text.length) {
    if (text.startsWith(ESCAPED, index)) {
      literal += OPEN;
      index += ESCAPED.length;
    } else if (text.startsWith(OPEN, index)) {
      const close = closeOf(text, index + OPEN.length);
      if (close < 0)
        return { problem: `"${OPEN}" has no "${CLOSE}": close it, or write "${ESCAPED}" for the text itself` };
      if (literal !== '') parts.push({ text: literal });
      literal = '';
      parts.push({ expression: text.slice(index + OPEN.length, close).trim() });
      index = close + CLOSE.length;
    } else {
      literal += text.charAt(index);
      index += 1;
    }
  }
  return { parts: literal === '' ? parts : [...parts, { text: literal }] };
}
