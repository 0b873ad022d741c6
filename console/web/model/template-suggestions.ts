import type { TemplateView } from '#controllers/read-model/template-view.js';

/** What the field `template` of an Application says for each Helm template: another namespace has to be named. */
export function templateSuggestions(
  templates: readonly Pick<TemplateView, 'kind' | 'namespace' | 'name'>[],
  namespace: string,
): string[] {
  const charts = templates.filter(({ kind }) => kind === 'HelmTemplate');
  return charts.map((each) => (each.namespace === namespace ? each.name : `${each.namespace}/${each.name}`)).sort();
}

type Known = Pick<TemplateView, 'kind' | 'namespace' | 'name' | 'state' | 'chart' | 'version' | 'revision'>;

/** What is known of the template that an Application names; empty if the user may read none of that name. */
export function templateHint(
  templates: readonly Known[],
  { namespace, template }: { readonly namespace: string; readonly template: string },
): string {
  const [named = ''] = template.split('@');
  const [name = '', other = namespace] = named.split('/').reverse();
  const isIt = (each: Known): boolean => each.kind === 'HelmTemplate' && each.namespace === other && each.name === name;
  const found = templates.find(isIt);
  if (found === undefined) return '';
  const { state, chart, version, revision } = found;
  return `${state}: chart ${chart}${version === '' ? '' : ` ${version}`}, revision ${revision}.`;
}
