import { CHOMPING_MODE, EVENT_ID, parseEvents, SCALAR_STYLE, type Event, type ScalarEvent } from 'js-yaml';

/** Line breaks of YAML 1.1, and so of Go's reader, that are ordinary characters in YAML 1.2. */
const ODD_BREAK = /[\u0085\u2028\u2029]/;
const EVERY_ODD_BREAK = /\r?[\u0085\u2028\u2029]/g;
const EVERY_BREAK = /\r\n|[\r\n\u0085\u2028\u2029]/g;
/** What Go's reader refuses wherever it stands, comments included. */
const CONTROL = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;
const EMPTY_LINE = /[ \t]*(?:#.*)?[\r\n]/y;
const DOCUMENT_END = /\.\.\.(?:\s|$)/y;

/** Events of a YAML text and the text that their offsets point into. */
export interface ReadEvents {
  readonly events: Event[];
  readonly source: string;
}

interface Line {
  readonly text: string;
  /** What the break behind it becomes; empty behind the last line. */
  readonly end: string;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const { 0: found, index } of text.matchAll(EVERY_BREAK)) {
    const isKept = found === '\u2028' || found === '\u2029';
    lines.push({ text: text.slice(start, index), end: isKept ? found : '\n' });
    start = index + found.length;
  }
  return [...lines, { text: text.slice(start), end: '' }];
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function withoutIndent(text: string): string {
  let start = 0;
  while (isBlank(text[start])) start += 1;
  return text.slice(start);
}

/** Without trailing blanks, but for one behind a backslash that escapes it. */
function withoutTail(text: string, hasEscapes: boolean): string {
  let end = text.length;
  while (isBlank(text[end - 1])) end -= 1;
  return hasEscapes && end < text.length && endsInEscape(text.slice(0, end))
    ? text.slice(0, end + 1)
    : text.slice(0, end);
}

/** True when the text ends in a backslash that is not itself escaped. */
function endsInEscape(text: string): boolean {
  let start = text.length;
  while (text[start - 1] === '\\') start -= 1;
  return (text.length - start) % 2 === 1;
}

/** The first break of several says whether the lines are joined by a space; one that is kept is not. */
function folded(first: string, others: string): string {
  if (first !== '\n') return first + others;
  return others === '' ? ' ' : others;
}

/** Content and what the breaks behind it become; a backslash before the first of them takes that one away. */
function ended(content: string, [first = '', ...others]: readonly string[], hasEscapes: boolean): string {
  const rest = others.join('');
  return hasEscapes && endsInEscape(content) ? content.slice(0, -1) + rest : content + folded(first, rest);
}

/** A plain or quoted scalar on one line: blanks around breaks go, as Go's reader has it. */
function foldFlow(raw: string, hasEscapes: boolean): string {
  const parts: string[] = [];
  let content: string | undefined;
  let breaks: string[] = [];
  for (const { text, end } of linesOf(raw)) {
    const started = content === undefined ? text : withoutIndent(text);
    const line = end === '' ? started : withoutTail(started, hasEscapes);
    if (line === '' && end !== '' && content !== undefined) {
      breaks.push(end);
      continue;
    }
    if (content !== undefined) parts.push(ended(content, breaks, hasEscapes));
    [content, breaks] = [line, [end]];
  }
  return [...parts, content].join('');
}

function withoutSpaces(text: string, most: number): string {
  let start = 0;
  while (start < most && text[start] === ' ') start += 1;
  return text.slice(start);
}

/** A block scalar; `indent` columns go from the start of each line. */
function blockValue(raw: string, { indent, chomping, style }: ScalarEvent): string {
  let [out, leading, trailing] = ['', '', ''];
  let wasBlank = false;
  for (const { text, end } of linesOf(raw)) {
    const content = withoutSpaces(text, indent);
    if (content === '') {
      trailing += end;
      continue;
    }
    const joins = style === SCALAR_STYLE.FOLDED_BLOCK && !wasBlank && !isBlank(content[0]) && leading === '\n';
    const between = joins ? (trailing === '' ? ' ' : '') : leading;
    wasBlank = isBlank(content[0]);
    out += between + trailing + content;
    [leading, trailing] = [end, ''];
  }
  const tail = chomping === CHOMPING_MODE.STRIP ? '' : leading;
  return out + tail + (chomping === CHOMPING_MODE.KEEP ? trailing : '');
}

/** The scalar as the text between double quotes that means the same to a reader of YAML 1.2. */
function asDoubleQuoted(raw: string, event: ScalarEvent): string {
  const { style } = event;
  if (style === SCALAR_STYLE.DOUBLE_QUOTED) return foldFlow(raw, true).replaceAll('\n', String.raw`\n`);
  const isBlock = style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
  const value = isBlock ? blockValue(raw, event) : foldFlow(raw, false);
  return JSON.stringify(style === SCALAR_STYLE.SINGLE_QUOTED ? value.replaceAll("''", "'") : value).slice(1, -1);
}

function isScalar(event: Event): event is ScalarEvent {
  return event.type === EVENT_ID.SCALAR;
}

function isQuoted({ style }: ScalarEvent): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
}

/** The ranges between quotes, where a break needs no indentation; none where YAML 1.2 makes nothing of the text. */
function quotedRanges(text: string): readonly ScalarEvent[] {
  try {
    return parseEvents(text.replaceAll(EVERY_ODD_BREAK, blanks), {}).filter(isScalar).filter(isQuoted);
  } catch {
    return [];
  }
}

function blanks(text: string): string {
  return ' '.repeat(text.length);
}

/** As long as the text, with line feeds for the odd breaks, and blanks for those between quotes. */
function withPlainBreaks(text: string): string {
  const ranges = quotedRanges(text);
  let next = 0;
  return text.replaceAll(EVERY_ODD_BREAK, (found, offset: number) => {
    while ((ranges[next]?.valueEnd ?? Infinity) <= offset) next += 1;
    return (ranges[next]?.valueStart ?? Infinity) <= offset ? blanks(found) : '\n'.repeat(found.length);
  });
}

function readOddBreaks(text: string): ReadEvents {
  const plain = withPlainBreaks(text);
  const parts = [plain];
  let length = plain.length;
  const events = parseEvents(plain, {}).map((event): Event => {
    if (!isScalar(event) || !ODD_BREAK.test(text.slice(event.valueStart, event.valueEnd))) return event;
    const quoted = asDoubleQuoted(text.slice(event.valueStart, event.valueEnd), event);
    const [valueStart, valueEnd] = [length, length + quoted.length];
    parts.push(quoted);
    length = valueEnd;
    return { ...event, valueStart, valueEnd, style: SCALAR_STYLE.DOUBLE_QUOTED, fast: false };
  });
  return { events, source: parts.join('') };
}

/**
 * True for the end of a document that did not begin: an empty document in YAML 1.2, refused by Go's reader. Line by line:
 * one pattern for all of them runs out of stack on some million lines.
 */
function endsEarly(text: string): boolean {
  let start = text.startsWith('\ufeff') ? 1 : 0;
  EMPTY_LINE.lastIndex = start;
  while (EMPTY_LINE.test(text)) start = EMPTY_LINE.lastIndex;
  DOCUMENT_END.lastIndex = start;
  return DOCUMENT_END.test(text);
}

/**
 * The events of a YAML text whose line breaks are those of Go's reader: U+0085 is one, and U+2028 and U+2029 are such
 * that stay in the scalar. Throws a SyntaxError for what only Go's reader refuses, such as control characters, and what
 * the parser throws.
 */
export function readEvents(text: string): ReadEvents {
  const control = CONTROL.exec(text);
  if (control !== null) {
    const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    const line = text.slice(0, control.index).split('\n').length;
    throw new SyntaxError(
      `line ${line} contains the control character U+${code}: write it as an escape between double quotes`,
    );
  }
  if (endsEarly(text)) throw new SyntaxError('"..." ends a document that has not begun: remove it');
  return ODD_BREAK.test(text) ? readOddBreaks(text) : { events: parseEvents(text, {}), source: text };
}
