/**
 * Patterns of `.sourceignore` in the reading of Flux (go-git's gitignore on top of Go's `filepath.Match`). Names are
 * read as Go has them, byte by byte: texts here are UTF-8, one character for each byte. Takes no more time than
 * in proportion to the product of pattern and path, because anyone who may push can write a pattern.
 */

/** Where the rest of a name begins, behind one step of a pattern; undefined where the step does not fit. */
type Step = (name: string, at: number) => number | undefined;

/** A part of a pattern without `*`. */
interface Chunk {
  /** A `*` stands before it. */
  readonly star: boolean;
  readonly steps: readonly Step[];
}

interface Rune {
  readonly code: number;
  readonly next: number;
}

const NO_RUNE = 0xfffd;

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function runeAt(bytes: string, at: number): Rune {
  const lead = bytes.charCodeAt(at);
  if (lead < 0x80) return { code: lead, next: at + 1 };
  if (lead < 0xc0) return { code: NO_RUNE, next: at + 1 };
  const next = at + (lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
  const text = Buffer.from(bytes.slice(at, next), 'latin1').toString();
  return { code: text.codePointAt(0) ?? NO_RUNE, next };
}

/** An end of a range; undefined when it is no valid one. */
function boundAt(pattern: string, at: number): Rune | undefined {
  const first = pattern[at];
  if (first === undefined || first === '-' || first === ']') return undefined;
  const from = first === '\\' ? at + 1 : at;
  const rune = from < pattern.length ? runeAt(pattern, from) : undefined;
  return rune === undefined || rune.next >= pattern.length ? undefined : rune;
}

interface ReadStep {
  readonly step: Step;
  /** Where the pattern goes on. */
  readonly next: number;
}

/** `[a-z]` or `[^a-z]`. */
function classAt(pattern: string, start: number): ReadStep | undefined {
  const negated = pattern[start + 1] === '^';
  const ranges: (readonly [low: number, high: number])[] = [];
  let at = start + (negated ? 2 : 1);
  while (pattern[at] !== ']' || ranges.length === 0) {
    const low = boundAt(pattern, at);
    const high = low !== undefined && pattern[low.next] === '-' ? boundAt(pattern, low.next + 1) : low;
    if (low === undefined || high === undefined) return undefined;
    ranges.push([low.code, high.code]);
    at = high.next;
  }
  const step: Step = (name, from) => {
    const { code, next } = runeAt(name, from);
    return ranges.some(([low, high]) => low <= code && code <= high) === negated ? undefined : next;
  };
  return { step, next: at + 1 };
}

function stepAt(pattern: string, at: number): ReadStep | undefined {
  if (pattern[at] === '[') return classAt(pattern, at);
  if (pattern[at] === '?') return { step: (name, from) => runeAt(name, from).next, next: at + 1 };
  const from = pattern[at] === '\\' ? at + 1 : at;
  const wanted = pattern[from];
  if (wanted === undefined) return undefined;
  return { step: (name, start) => (name[start] === wanted ? start + 1 : undefined), next: from + 1 };
}

/** Undefined when the pattern is not valid, and fits nothing. */
function chunksOf(pattern: string): Chunk[] | undefined {
  const chunks: Chunk[] = [];
  let at = 0;
  while (at < pattern.length) {
    const star = pattern[at] === '*';
    while (pattern[at] === '*') at += 1;
    const steps: Step[] = [];
    while (at < pattern.length && pattern[at] !== '*') {
      const read = stepAt(pattern, at);
      if (read === undefined) return undefined;
      steps.push(read.step);
      at = read.next;
    }
    chunks.push({ star, steps });
  }
  return chunks;
}

function fit(steps: readonly Step[], name: string, start: number): number | undefined {
  let at: number | undefined = start;
  for (const step of steps) {
    if (at === undefined || at >= name.length) return undefined;
    at = step(name, at);
  }
  return at;
}

/** Where a chunk ends in a name, at the first place where it fits; the last one must reach the end. */
function reach({ star, steps }: Chunk, name: string, start: number, isLast: boolean): number | undefined {
  if (isLast && star && steps.length === 0) return name.length;
  for (let from = start; from <= (star ? name.length : start); from += 1) {
    const end = fit(steps, name, from);
    if (end !== undefined && (!isLast || end === name.length)) return end;
  }
  return undefined;
}

type Matches = (name: string) => boolean;

/** One name of a path. */
function parseName(pattern: string): Matches | undefined {
  const chunks = chunksOf(pattern);
  return (
    chunks &&
    ((name) => {
      let at: number | undefined = 0;
      for (const [index, chunk] of chunks.entries()) {
        at = reach(chunk, name, at, index === chunks.length - 1);
        if (at === undefined) return false;
      }
      return at === name.length;
    })
  );
}

/** A part of a pattern between slashes: any folders (`**`), or one name. */
type Part = 'folders' | Matches;

/** Undefined when one of them is not valid. */
function partsOf(names: readonly string[]): Part[] | undefined {
  const parts: Part[] = [];
  for (const [index, name] of names.entries()) {
    if (name === '') {
      // As in go-git: no folders may come between two slashes.
      while (parts.at(-1) === 'folders') parts.pop();
      continue;
    }
    const isAny = name === '**';
    // What comes behind is whatever there is.
    if (isAny && index === names.length - 1) break;
    const part = isAny ? 'folders' : name.includes('**') ? undefined : parseName(name);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

/** How many names of a path the parts take; undefined if they do not fit. The first name that fits is taken. */
function taken(parts: readonly Part[], path: readonly string[]): number | undefined {
  let at = 0;
  let skips = false;
  for (const part of parts) {
    if (part === 'folders') {
      skips = true;
      continue;
    }
    const from = at;
    const found = path.findIndex((name, index) => (skips ? index >= from : index === from) && part(name));
    if (found < 0) return undefined;
    at = found + 1;
    skips = false;
  }
  return at;
}

/** A pattern with a slash is bound to where it stands; no part of it may be a name of its own. */
function parseBound(body: string, onlyFolders: boolean): (path: readonly string[]) => boolean {
  const parts = partsOf(body.split('/'));
  return (path) => {
    const count = parts === undefined || parts.every((part) => part === 'folders') ? undefined : taken(parts, path);
    return count !== undefined && !(onlyFolders && count === path.length);
  };
}

/** A pattern without one fits any name of a path; that of a folder is none of its last. */
function parseFree(body: string, onlyFolders: boolean): (path: readonly string[]) => boolean {
  const matches = parseName(body);
  return (path) => {
    const found = matches === undefined ? -1 : path.findIndex((name) => matches(name));
    return found >= 0 && !(onlyFolders && found === path.length - 1);
  };
}

/** A matcher for paths of files, relative to where the pattern stands, with `/`. */
export function parseGlob(pattern: string): (path: string) => boolean {
  const onlyFolders = pattern.endsWith('/');
  const body = bytesOf(onlyFolders ? pattern.slice(0, -1) : pattern);
  const matches = body.includes('/') ? parseBound(body, onlyFolders) : parseFree(body, onlyFolders);
  return (path) => matches(bytesOf(path).split('/'));
}
