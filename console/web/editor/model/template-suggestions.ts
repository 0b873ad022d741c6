import type { TemplateView } from '#queries/views/template-view.js';
import { valueAt } from '../../model/yaml-edit.js';

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

type Known = Pick<TemplateView, 'kind' | 'state' | 'chart' | 'version' | 'path' | 'revision'>;

interface Named extends Asked {
  readonly template: string;
}

/** The one that an Application names; undefined if the user may read none of that name. */
export function namedTemplate<T extends Pick<TemplateView, 'kind' | 'namespace' | 'name'>>(
  templates: readonly T[],
  { kind, namespace, template }: Named,
): T | undefined {
  const [named = ''] = template.split('@');
  const [name = '', other = namespace] = named.split('/').reverse();
  return templates.find((each) => each.kind === kind && each.namespace === other && each.name === name);
}

/** What the field says to stay at one of these revisions, the newest first; a server answers anything. */
export function pinnedSuggestions(template: string, answer: unknown): string[] {
  const [named = ''] = template.split('@');
  const items = valueAt(answer, ['items']);
  const revisions = (Array.isArray(items) ? items : []).map((item) => valueAt(item, ['revision']));
  const numbers = revisions.filter((each) => typeof each === 'number').sort((one, other) => other - one);
  return numbers.map((revision) => `${named}@${revision}`);
}

/** What is known of the template that an Application names. */
export function templateHint(found: Known | undefined): string {
  if (found === undefined) return '';
  const { kind, state, chart, version, path, revision } = found;
  const files = path === '' ? 'the root of its source' : `files in ${path}`;
  const what = kind === 'HelmTemplate' ? `chart ${chart}${version === '' ? '' : ` ${version}`}` : files;
  return `${state}: ${what}, ${revision === 0 ? 'no revision yet' : `revision ${revision}`}.`;
}
