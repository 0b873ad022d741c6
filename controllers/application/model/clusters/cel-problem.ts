import { cut } from '#controllers/runtime/pure/cut.js';

/** Of an expression in a message. */
const MOST_SHOWN = 200;
const FACTS = ['name', 'namespace', 'labels', 'annotations', 'kubernetesVersion'];
/** Those that a cluster may lack. */
const OPTIONAL_FACTS = ['namespace', 'kubernetesVersion'];
const MISSING_KEY = /^No such key: (.*)$/;

function shown(expression: string): string {
  return cut(expression, MOST_SHOWN);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** True if the expression reads this key of a map of the cluster: `cluster.labels.zone` or `cluster.labels["zone"]`. */
function reads(expression: string, map: string, key: string): boolean {
  const start = `cluster.${map}`;
  const texts = [`${start}[${quoted(key)}]`, `${start}['${key}']`];
  if (texts.some((text) => expression.includes(text))) return true;
  const dotted = expression.indexOf(`${start}.${key}`);
  return dotted >= 0 && !/\w/.test(expression.charAt(dotted + start.length + 1 + key.length));
}

/** What to do about a key that is missing. */
function missingKey(expression: string, key: string): string {
  const map = ['labels', 'annotations'].find((each) => reads(expression, each, key));
  if (map !== undefined) {
    const what = map === 'labels' ? 'label' : 'annotation';
    return `the cluster has no ${what} ${quoted(key)}: add it, or write \${{ cluster.${map}[?${quoted(key)}].orValue("a") }} for a default`;
  }
  if (expression.includes(`cluster.${key}`)) {
    if (OPTIONAL_FACTS.includes(key))
      return `the cluster has no ${key}: write \${{ cluster.?${key}.orValue("a") }} for a default`;
    return `cluster has no ${key}: there are ${FACTS.join(', ')}`;
  }
  return `there is no key ${quoted(key)}: correct it, or read it with [?${quoted(key)}].orValue("a") for a default`;
}

function wayOut(expression: string, problem: string): string {
  const key = MISSING_KEY.exec(problem)?.[1];
  if (key !== undefined && !key.startsWith('index out of bounds')) return missingKey(expression, shown(key));
  if (problem.startsWith('it takes')) return `${problem}: make it simpler`;
  if (problem.startsWith('inside of a text')) return `${problem}: convert it, or let it be the whole text`;
  if (problem.startsWith('it returns')) return `${problem}: convert it, e.g. with string()`;
  return `${problem.replace(MISSING_KEY, '$1')}: correct the expression, or what it reads of the cluster`;
}

/** Why an expression has no value on a cluster, with the way out. `problem`: what the evaluation said. */
export function expressionProblem(expression: string, problem: string): string {
  return `\${{ ${shown(expression)} }}: ${wayOut(expression, problem)}`;
}

/** Why an expression is none, with the way out. `problem` names it. */
export function compileProblem(problem: string): string {
  if (/ has no "}}"/.test(problem)) return problem;
  const known = / Unknown variable: /.test(problem) ? `; expressions read cluster, with ${FACTS.join(', ')}` : '';
  return `${problem}${known}: correct it, or write "$\${{" for the text itself`;
}
