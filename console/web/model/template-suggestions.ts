import type { TemplateView } from '#controllers/read-model/template-view.js';

/** Which template is asked for, from an Application of a namespace. */
interface Asked {
  readonly kind: TemplateView['kind'];
  readonly namespace: string;
}

/** What a field `template` says for each of a kind: another namespace has to be named. */
export function templateSuggestions(
  templates: readonly Pick<TemplateView, 'kind' | 'namespace' | 'name'>[],
  { kind, namespace }: Asked,
): string[] {
  const usable = templates.filter((each) => each.kind === kind);
  return usable.map((each) => (each.namespace === namespace ? each.name : `${each.namespace}/${each.name}`)).sort();
}

type Known = Pick<TemplateView, 'kind' | 'namespace' | 'name' | 'state' | 'chart' | 'version' | 'path' | 'revision'>;

/** What is known of the template that an Application names; empty if the user may read none of that name. */
export function templateHint(
  templates: readonly Known[],
  { kind, namespace, template }: Asked & { readonly template: string },
): string {
  const [named = ''] = template.split('@');
  const [name = '', other = namespace] = named.split('/').reverse();
  const isIt = (each: Known): boolean => each.kind === kind && each.namespace === other && each.name === name;
  const found = templates.find(isIt);
  if (found === undefined) return '';
  const { state, chart, version, path, revision } = found;
  const files = path === '' ? 'the root of its source' : `files in ${path}`;
  const what = kind === 'HelmTemplate' ? `chart ${chart}${version === '' ? '' : ` ${version}`}` : files;
  return `${state}: ${what}, ${revision === 0 ? 'no revision yet' : `revision ${revision}`}.`;
}
