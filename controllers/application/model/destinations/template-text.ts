import { cut } from '#lib/text/text.js';

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

/** Why helm failed: about one cluster, or about the text. */
export interface TemplateFailure {
  readonly index: number | undefined;
  /** True: the text is no template, for whichever cluster. */
  readonly isSyntax: boolean;
  /** With the line, the action, and the way out. */
  readonly problem: string;
}

const MAX_PROBLEM = 500;
/** Fields of the data, as an action names them: `.Cluster.spec.a`. */
const NIL_CHAIN = /<\$?((?:\.[A-Za-z_]\w*)+)>: nil pointer/;

/** A chain of fields with a default for whatever of it is missing. */
function withDefault(chain: string): string {
  const [root = '', ...keys] = chain.split('.').slice(1);
  return keys.length === 0 ? `{{ .${root} }}` : `{{ dig ${keys.map((key) => `"${key}" `).join('')}"a" .${root} }}`;
}

/** The error of helm about an action, and the way out; undefined: the text says it itself, by `fail` or `required`. */
function wayOut(problem: string, isSyntax: boolean): string | undefined {
  const missing = NIL_CHAIN.exec(problem)?.[1];
  if (missing !== undefined) return `add it to the cluster, or write ${withDefault(missing)} for a default`;
  if (problem.includes('nil pointer')) return 'add it to the cluster, or test for it with "if" or "dig"';
  if (/function "[^"]*" not defined/.test(problem)) return 'correct its name: there are those of Sprig and Helm';
  if (isSyntax) return 'correct the template';
  return /^line \d+: </.test(problem) ? 'correct the action, or what it reads of the cluster' : undefined;
}

function bounded(text: string): string {
  return cut(text, MAX_PROBLEM);
}

/** The error of helm about the user's text, without the files around it. `name`: that of the chart. */
export function readFailure(name: string, stderr: string): TemplateFailure {
  const place = new RegExp(`${name}/templates/c(\\d+)\\.yaml`).exec(stderr);
  const own = new RegExp(`${name}/templates/_text\\.tpl(:\\d.*)`, 's').exec(stderr);
  const text = (own?.[1] ?? stderr)
    .replaceAll(new RegExp(`${name}/templates/(?:_text\\.tpl|c\\d+\\.yaml)`, 'g'), 'valuesTemplate')
    .replaceAll('executing "valuesTemplate" at ', '')
    .replaceAll(/\s+/g, ' ')
    .replace(/ ?Use --debug flag.*$/, '')
    // For fail and required: where the chart that we make includes the text.
    .replace(/^Error: execution error at \(valuesTemplate:[\d:]+\): /, '')
    .replace(/^:(\d+)(?::\d+)?[):]*/, 'line $1:')
    .trim();
  const isSyntax = /parse error/.test(stderr);
  const way = wayOut(text, isSyntax);
  const problem = way === undefined ? bounded(text) : `${bounded(text)}: ${way}`;
  return { index: place === null ? undefined : Number(place[1]), isSyntax, problem };
}
