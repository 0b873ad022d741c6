import { cut } from '#controllers/runtime/pure/cut.js';

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

/** What helm says of an action, and what to do then; undefined: the text says it itself, by `fail` or `required`. */
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

/** What helm says of the user's text, without the files around it. `name`: that of the chart. */
export function readFailure(name: string, stderr: string): TemplateFailure {
  const place = new RegExp(`${name}/templates/c(\\d+)\\.yaml`).exec(stderr);
  const own = new RegExp(`${name}/templates/_text\\.tpl(:\\d.*)`, 's').exec(stderr);
  const text = (own?.[1] ?? stderr)
    .replaceAll(new RegExp(`${name}/templates/(?:_text\\.tpl|c\\d+\\.yaml)`, 'g'), 'valuesTemplate')
    .replaceAll('executing "valuesTemplate" at ', '')
    .replaceAll(/\s+/g, ' ')
    .replace(/ ?Use --debug flag.*$/, '')
    // Of fail and required: where the chart that we make includes the text.
    .replace(/^Error: execution error at \(valuesTemplate:[\d:]+\): /, '')
    .replace(/^:(\d+)(?::\d+)?[):]*/, 'line $1:')
    .trim();
  const isSyntax = /parse error/.test(stderr);
  const way = wayOut(text, isSyntax);
  const problem = way === undefined ? bounded(text) : `${bounded(text)}: ${way}`;
  return { index: place === null ? undefined : Number(place[1]), isSyntax, problem };
}
