const MARK = '…';

/** A part alone: what `slice` returns keeps the whole text in memory for as long as the part is there. */
function part(text: string, from: number, to?: number): string {
  return structuredClone(text.slice(from, to));
}

/** The first `most` UTF-16 code units, without half a character at the end. */
function head(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return part(text, 0, isHalf ? most - 1 : most);
}

/** The last ones, without half a character at the beginning. */
function tail(text: string, most: number): string {
  const from = text.length - most;
  const first = text.charCodeAt(from);
  const isHalf = first >= 0xdc00 && first <= 0xdfff;
  return part(text, isHalf ? from + 1 : from);
}

/** At most `most` characters, as `length` counts them, and behind them the mark of what is left out. */
export function cut(text: string, most: number, mark = MARK): string {
  return text.length <= most ? text : `${head(text, most)}${mark}`;
}

/** The same within `most` characters, with the mark. */
export function cutWithin(text: string, most: number, mark = MARK): string {
  return text.length <= most ? text : cut(text, most - mark.length, mark);
}

/** Begin and end within `most` characters, with the mark between them. */
export function cutMiddle(text: string, most: number, mark: string): string {
  if (text.length <= most) return text;
  const first = Math.floor((most - mark.length) / 2);
  return `${head(text, first)}${mark}${tail(text, most - mark.length - first)}`;
}
