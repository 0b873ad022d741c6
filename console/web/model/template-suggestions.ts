import type { TemplateView } from '#controllers/read-model/template-view.js';

/** What the field `template` of an Application says for each Helm template: another namespace has to be named. */
export function templateSuggestions(
  templates: readonly Pick<TemplateView, 'kind' | 'namespace' | 'name'>[],
  namespace: string,
): string[] {
  const charts = templates.filter(({ kind }) => kind === 'HelmTemplate');
  return charts.map((each) => (each.namespace === namespace ? each.name : `${each.namespace}/${each.name}`)).sort();
}
