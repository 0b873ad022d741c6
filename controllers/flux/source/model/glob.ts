/**
 * Globs of gitignore, matched by walking all readings of a pattern at once: anyone who may push can write a
 * pattern, and a regular expression made from it could run forever.
 */

/** One step of a pattern. */
interface Step {
  readonly accepts: (character: string) => boolean;
  /** Takes any number of characters, none included. */
  readonly repeats: boolean;
  /** May be left at the start of a path segment only. */
  readonly wholeSegments: boolean;
}

const TOKEN = /\*\*\/|\/\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|\\[^]|[^]/g;

function once(accepts: Step['accepts']): Step {
  return { accepts, repeats: false, wholeSegments: false };
}

const notSlash = (character: string): boolean => character !== '/';
const anything = (): boolean => true;
const SEGMENTS: Step = { accepts: anything, repeats: true, wholeSegments: true };

/** `[a-z]`, `[!a-z]`: never a slash. */
function classStep(token: string): Step {
  const negated = /^\[[!^]/.test(token);
  const inner = token.slice(negated ? 2 : 1, -1).replaceAll(/\\([^])/g, '$1');
  const parts = inner.match(/[^]-[^]|[^]/g) ?? [];
  const isIn = (character: string): boolean =>
    parts.some((part) =>
      part.length === 3 ? part.charAt(0) <= character && character <= part.charAt(2) : part === character,
    );
  return once((character) => notSlash(character) && isIn(character) !== negated);
}

function toSteps(token: string): Step[] {
  if (token === '**/') return [SEGMENTS];
  if (token === '/**') {
    return [once((character) => character === '/'), { accepts: anything, repeats: true, wholeSegments: false }];
  }
  if (token.startsWith('*')) return [{ accepts: notSlash, repeats: true, wholeSegments: false }];
  if (token === '?') return [once(notSlash)];
  if (token.startsWith('[') && token.length > 2) return [classStep(token)];
  const literal = token.startsWith('\\') && token.length > 1 ? token.slice(1) : token;
  return [once((character) => character === literal)];
}

/** Adds what can be reached without a character; indexes ascend, so one walk is enough. */
function settle(states: Set<number>, steps: readonly Step[], atSegment: boolean): Set<number> {
  for (const [index, step] of steps.entries()) {
    if (states.has(index) && step.repeats && (atSegment || !step.wholeSegments)) states.add(index + 1);
  }
  return states;
}

function advance(states: ReadonlySet<number>, steps: readonly Step[], character: string): Set<number> {
  const next = new Set<number>();
  for (const index of states) {
    const step = steps[index];
    if (step?.accepts(character) === true) next.add(step.repeats ? index : index + 1);
  }
  return next;
}

function matches(steps: readonly Step[], path: string, onlyFolders: boolean): boolean {
  let states = settle(new Set([0]), steps, true);
  for (const character of path) {
    if (character === '/' && states.has(steps.length)) return true;
    states = settle(advance(states, steps, character), steps, character === '/');
  }
  return !onlyFolders && states.has(steps.length);
}

/**
 * A matcher for paths of files, relative to where the pattern stands, with `/`. A pattern with a slash before its end
 * is bound to that place, any other fits at every depth; it also matches all that is below a folder that it names, and
 * with a slash at its end nothing else. Takes time in proportion to pattern and path.
 */
export function parseGlob(pattern: string): (path: string) => boolean {
  const onlyFolders = pattern.endsWith('/');
  const body = onlyFolders ? pattern.slice(0, -1) : pattern;
  const steps = (body.replace(/^\//, '').match(TOKEN) ?? []).flatMap(toSteps);
  const all = body.includes('/') ? steps : [SEGMENTS, ...steps];
  return (path) => matches(all, path, onlyFolders);
}
