/** Which template is meant. */
export interface TemplateNames {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/** Its path in the API. */
export function templateApiPath({ namespace, kind, name }: TemplateNames): string {
  const [ofNamespace, ofKind, ofName] = [namespace, kind, name].map(encodeURIComponent);
  return `/api/v1/namespaces/${ofNamespace}/templates/${ofKind}/${ofName}`;
}

/** Where the Helm template is that an Application names, in the order in which the controller looks. */
export function usedTemplatePaths({ namespace, template }: { readonly namespace: string; readonly template: string }) {
  const [named = '', revision] = template.split('@');
  const [name = '', other] = named.split('/').reverse();
  if (namespace === '' || name === '') return [];
  const names = other === undefined ? [name, `${namespace}-${name}`] : [name];
  const below = revision === undefined ? '' : `/revisions/${encodeURIComponent(revision)}`;
  const paths = names.map((each) =>
    templateApiPath({ namespace: other ?? namespace, kind: 'HelmTemplate', name: each }),
  );
  return paths.map((path) => `${path}${below}`);
}
