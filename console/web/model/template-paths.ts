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
