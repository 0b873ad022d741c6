import get from 'lodash/get.js';
import { defined, isMap } from '#lib/plain.js';
import type { Cluster } from '../../../cluster/model/cluster.js';
import type { ReferredObjects } from '../../../cluster/model/references.js';
import { stableObject } from '../../../cluster/model/fields.js';
import type { Layer } from '../child/layers.js';
import { actionsOf } from './template-text.js';

/** What renders differently each time would be released again in each reconciliation. */
const CHANGING = [
  ...['now', 'ago', 'date', 'dateInZone', 'date_in_zone', 'htmlDate', 'htmlDateInZone', 'durationRound'],
  ...['uuidv4', 'randAlpha', 'randAlphaNum', 'randAscii', 'randNumeric', 'randBytes', 'randInt', 'shuffle'],
  ...['genPrivateKey', 'genCA', 'genCAWithKey', 'genSelfSignedCert', 'genSelfSignedCertWithKey'],
  ...['genSignedCert', 'genSignedCertWithKey', 'bcrypt', 'htpasswd', 'encryptAES'],
];
/** What reads more than the facts of the cluster, or hides what is called. */
const CLOSED = ['lookup', 'getHostByName', 'env', 'expandenv', 'tpl'];
/** They list a map in any order. */
const UNORDERED = ['keys', 'values'];

/** The verb that prints where something is in memory, with its flags. */
const ADDRESS_VERB = /%[^a-zA-Z%]*p/;
/** A character by its number, which may be any. */
const NUMBERED = /^".*\\[xuU0-7]/s;

/** Why printf must not be used with one of these formats. */
function formatProblem(formats: readonly (string | undefined)[]): string | undefined {
  for (const format of formats) {
    if (format === undefined || NUMBERED.test(format)) {
      return 'printf needs its format as a string behind it, without numbers of characters: nothing else shows what it prints';
    }
    if (ADDRESS_VERB.test(format.replaceAll('%%', ''))) {
      return '%p of printf returns something else each time, so the release would be upgraded in each reconciliation: remove it';
    }
  }
  return undefined;
}

/** Why a text must not be rendered; undefined if it may. */
export function templateProblem(text: string): string | undefined {
  for (const { words, formats } of actionsOf(text)) {
    const format = formatProblem(formats);
    if (format !== undefined) return format;
    const changing = words.find((word) => CHANGING.includes(word));
    if (changing !== undefined) {
      return `${changing} returns something else each time, so the release would be upgraded in each reconciliation: remove it`;
    }
    const closed = words.find((word) => CLOSED.includes(word));
    if (closed !== undefined)
      return `${closed} is not available here: values are made from the facts of the cluster only`;
    const unordered = words.find((word) => UNORDERED.includes(word));
    if (unordered !== undefined && !words.includes('sortAlpha')) {
      return `${unordered} lists a map in another order each time: add "| sortAlpha"`;
    }
  }
  return undefined;
}

/** What a template reads. */
export type TemplateContext = Readonly<Record<string, unknown>>;

function clusterObject({ id, labels, annotations, facts }: Cluster): unknown {
  const { namespace, name } = id;
  const whole = facts['cluster'];
  if (isMap(whole)) return whole;
  return { metadata: { name, ...defined({ namespace }), labels, annotations } };
}

/** The facts that a template reads of a cluster, without the objects that it refers to. */
export function templateContext(cluster: Cluster): TemplateContext {
  const { id, labels, annotations, kubernetesVersion } = cluster;
  const object = clusterObject(cluster);
  return {
    ClusterName: id.name,
    ClusterNamespace: id.namespace ?? '',
    ClusterLabels: labels,
    ClusterAnnotations: annotations,
    Cluster: object,
    ClusterValues: { Cluster: object, ...defined({ KubernetesVersion: kubernetesVersion }) },
  };
}

/** Objects that a Cluster of Cluster API refers to, by their names in templates. */
const REFERRED = { ControlPlane: 'controlPlane', InfraCluster: 'infraCluster' } as const;
export type ReferredName = keyof typeof REFERRED;

/** The objects that a text names: they must be read before it is rendered. */
export function referredNames(text: string): ReferredName[] {
  const names: readonly ReferredName[] = ['ControlPlane', 'InfraCluster'];
  return names.filter((name) => new RegExp(`[."\`]${name}\\b`).test(text));
}

/** Why these objects must not be read for an Application of this namespace; undefined if they may. */
export function referredProblem(
  [name]: readonly ReferredName[],
  { id }: Cluster,
  namespace: string,
): string | undefined {
  if (name === undefined || id.namespace === namespace) return undefined;
  return `.${name} is only available for clusters in namespace ${namespace}, because it may hold credentials: read .Cluster`;
}

/** The context with these objects, or which one is missing. */
export function withReferred(
  cluster: Cluster,
  names: readonly ReferredName[],
  objects: ReferredObjects,
): { readonly context: TemplateContext } | { readonly problem: string } {
  const missing = names.find((name) => objects[REFERRED[name]] === undefined);
  if (missing !== undefined) {
    const field = missing === 'ControlPlane' ? 'controlPlaneRef' : 'infrastructureRef';
    return {
      problem: `.${missing} is missing: spec.${field} of the cluster leads to no object, or to one that is too long`,
    };
  }
  const stable = Object.fromEntries(names.map((name) => [name, stableObject(objects[REFERRED[name]] ?? {})]));
  const { ClusterValues, ...own } = templateContext(cluster);
  return { context: { ...own, ...stable, ClusterValues: { ...(isMap(ClusterValues) && ClusterValues), ...stable } } };
}

/** With one of these, an action says itself what becomes of a missing key. */
const GUARDS = [
  ...['if', 'else', 'with', 'range', 'define', 'block', 'end', 'template', 'break', 'continue'],
  ...['default', 'coalesce', 'ternary', 'empty', 'hasKey', 'dig', 'required', 'and', 'or', 'not'],
];

/** True if only the last key of the path is missing. Helm prints `<no value>` then, or nothing inside quotes. */
function isMissing(context: TemplateContext, path: readonly string[]): boolean {
  const parent: unknown = path.length === 1 ? context : get(context, path.slice(0, -1));
  return isMap(parent) && !Object.hasOwn(parent, path.at(-1) ?? '');
}

/** The keys that a template prints and the cluster lacks, sorted and as the template spells them. */
export function missingKeys(text: string, context: TemplateContext): string[] {
  const read = actionsOf(text).filter(({ words }) => !words.some((word) => GUARDS.includes(word)));
  const paths = read.flatMap(({ fields }) => fields).filter((path) => isMissing(context, path));
  return [...new Set(paths.map((path) => `.${path.join('.')}`))].sort();
}

/** Characters that a template may render to, for one cluster. */
const MAX_RENDERED = 262_144;

/** The files of a chart that renders one text for many clusters; `name` is a secret from the text. */
export function chartFiles(name: string, text: string, count: number): ReadonlyMap<string, string> {
  const file = `${name}/templates/_text.tpl`;
  const calls = Array.from({ length: count }, (_, index) => {
    const render = `{{- $text := include ${JSON.stringify(file)} (index .Values.clusters ${index}) }}`;
    const limit = `{{- if gt (len $text) ${MAX_RENDERED} }}{{ fail "it renders to more than ${MAX_RENDERED} bytes" }}{{ end }}`;
    return [
      `templates/c${index}.yaml`,
      `${render}\n${limit}\n{{ dict "index" ${index} "text" $text | toJson }}\n`,
    ] as const;
  });
  const metadata = `apiVersion: v2\nname: ${name}\nversion: 0.0.0\n`;
  return new Map([['Chart.yaml', metadata], ['templates/_text.tpl', text], ...calls]);
}

/** The texts in the output of helm, by the index of their cluster. */
export function readRendered(output: string): ReadonlyMap<number, string> {
  const lines = output.split('\n').filter((line) => line.startsWith('{"index":'));
  return new Map(
    lines.map((line) => {
      const { index, text } = JSON.parse(line) as { index: number; text: string }; // as the chart prints it
      return [index, text] as const;
    }),
  );
}

/** Go prints these for a missing key. A template that contains them as plain text is rejected as well. */
const MISSING = /<no value>|<nil>/;

/** The values below a value. Keys of a map are included, with the path of the map. */
function valuesBelow(value: unknown, path: string): (readonly [path: string, value: unknown])[] {
  if (Array.isArray(value)) return value.map((each, index) => [`${path}[${index}]`, each]);
  if (!isMap(value)) return [];
  const start = path === '' ? '' : `${path}.`;
  return Object.entries(value).flatMap(([key, each]) => [
    [path, key],
    [`${start}${key}`, each],
  ]);
}

/** Finds a value or key that was rendered from a missing key: its path, such as `a.b[0]`, and what Go printed. */
function missingIn(value: unknown, path = ''): { readonly path: string; readonly printed: string } | undefined {
  const printed = typeof value === 'string' ? MISSING.exec(value)?.[0] : undefined;
  if (printed !== undefined) return { path: path === '' ? 'a key' : path, printed };
  for (const [below, each] of valuesBelow(value, path)) {
    const found = missingIn(each, below);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The values that a template renders to; nothing is an empty map. */
export function renderedMap(
  parsed: unknown,
): { readonly values: Layer } | { readonly problem: string; readonly lacksKey?: boolean } {
  if (parsed === null || parsed === undefined) return { values: {} };
  if (!isMap(parsed)) return { problem: 'it does not render to a YAML map: let it print lines like "key: value"' };
  const missing = missingIn(parsed);
  if (missing === undefined) return { values: parsed };
  const { path, printed } = missing;
  return { problem: `${path} is rendered with "${printed}", which stands for a key that is missing`, lacksKey: true };
}
