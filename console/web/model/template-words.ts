import type { TemplateItem } from '../../shared/template-item.js';

/** What a template deploys, by the title of that. */
export function chartText({ kind, chart, version, path }: TemplateItem): Record<string, string> {
  if (kind === 'KustomizationTemplate') return { Path: path === '' ? '.' : path };
  return { Chart: chart, Version: version === '' ? 'newest' : version };
}

/** Who may use it besides its own namespace. */
export function sharedText({ sharedWith, moreSharedWith }: TemplateItem): string {
  const more = moreSharedWith === 0 ? [] : [`${moreSharedWith} more`];
  return [...sharedWith, ...more].join(', ');
}
