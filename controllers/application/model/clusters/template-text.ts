/** An action of a Go template, `{{ … }}`: what it calls and reads. */
interface Action {
  /** Names of keywords, functions and literals, in order. */
  readonly words: readonly string[];
  /** What each printf has for a format: a string as it is written, with its quotes; undefined for anything else. */
  readonly formats: readonly (string | undefined)[];
  /** Fields that it reads of the data, each with its keys from the top; `$.a.b` and, where it is the same, `.a.b`. */
  readonly fields: readonly (readonly string[])[];
}

const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const CHAIN = /(?:\.[A-Za-z_][A-Za-z0-9_]*)+/y;
const VARIABLE = /\$[A-Za-z0-9_]*/y;
const OPENS = ['if', 'range', 'with', 'define', 'block'];
/** In their bodies, the dot is something else. */
const MOVES_DOT = ['range', 'with', 'define', 'block'];
/** In their bodies, `$` is something else, too. */
const MOVES_ROOT = ['define', 'block'];

/** Go's own parser refuses what does not end: all of it belongs to the string. */
function endOfString(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let index = start + 1; index < text.length; index += 1) {
    if (text.charAt(index) === quote) return index + 1;
    if (text.charAt(index) === '\\' && quote !== '`') index += 1;
  }
  return text.length;
}

function matchAt(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
}

interface Token {
  readonly type: 'word' | 'chain' | 'root-chain' | 'string' | 'other';
  readonly text: string;
}

function nextToken(text: string, index: number): Token {
  const character = text.charAt(index);
  if ('"\'`'.includes(character)) return { type: 'string', text: text.slice(index, endOfString(text, index)) };
  const word = matchAt(WORD, text, index);
  if (word !== undefined) return { type: 'word', text: word };
  const chain = matchAt(CHAIN, text, index);
  if (chain !== undefined) return { type: 'chain', text: chain };
  const variable = matchAt(VARIABLE, text, index);
  if (variable === undefined) return { type: 'other', text: character };
  const below = matchAt(CHAIN, text, index + variable.length) ?? '';
  return { type: variable === '$' ? 'root-chain' : 'other', text: variable + below };
}

/** The tokens of an action that starts behind its `{{`, and where it ends. */
function tokensOf(text: string, start: number): { readonly tokens: readonly Token[]; readonly end: number } {
  const tokens: Token[] = [];
  let index = start;
  while (index < text.length && !text.startsWith('}}', index)) {
    const token = nextToken(text, index);
    const isPart = text.charAt(index - 1) === ')' && token.type === 'chain';
    if (!isPart) tokens.push(token);
    index += token.text.length;
  }
  return { tokens, end: index + 2 };
}

function keysOf(chain: string): readonly string[] {
  return chain.split('.').slice(1);
}

/** What is open around an action. */
type Blocks = readonly string[];

function blocksAfter(blocks: Blocks, [first]: readonly string[]): Blocks {
  if (first === 'end') return blocks.slice(0, -1);
  return first !== undefined && OPENS.includes(first) ? [...blocks, first] : blocks;
}

function formatsIn(tokens: readonly Token[]): (string | undefined)[] {
  const written = tokens.filter(({ text }) => text.trim() !== '');
  return written.flatMap(({ type, text }, index) => {
    if (type !== 'word' || text !== 'printf') return [];
    const next = written[index + 1];
    return [next?.type === 'string' ? next.text : undefined];
  });
}

function actionOf(tokens: readonly Token[], blocks: Blocks): Action {
  const isDotRoot = !blocks.some((block) => MOVES_DOT.includes(block));
  const isRoot = !blocks.some((block) => MOVES_ROOT.includes(block));
  const fields = tokens.flatMap(({ type, text }) => {
    const isRead = (type === 'chain' && isDotRoot) || (type === 'root-chain' && isRoot);
    return isRead ? [keysOf(text)] : [];
  });
  return {
    words: tokens.flatMap(({ type, text }) => (type === 'word' ? [text] : [])),
    formats: formatsIn(tokens),
    fields,
  };
}

/** Where a comment ends that begins behind the `{{` at `start`; undefined: there is none. */
function endOfComment(text: string, start: number): number | undefined {
  const opening = /-?\s*\/\*/y;
  opening.lastIndex = start;
  if (opening.exec(text) === null) return undefined;
  const close = text.indexOf('*/', opening.lastIndex);
  return close < 0 ? text.length : close + 2;
}

/** The actions of a Go template in order, as far as Go could read it. Linear in its length; never throws. */
export function actionsOf(text: string): Action[] {
  const actions: Action[] = [];
  let blocks: Blocks = [];
  let open = text.indexOf('{{');
  while (open >= 0) {
    const start = open + 2;
    const comment = endOfComment(text, start);
    const { tokens, end } = comment === undefined ? tokensOf(text, start) : { tokens: [], end: comment };
    const action = actionOf(tokens, blocks);
    actions.push(action);
    blocks = blocksAfter(blocks, action.words);
    open = text.indexOf('{{', end);
  }
  return actions;
}
