import type { Template } from '#api/v1alpha1/template.js';
import { shareRequest } from '#queries/views/template-request.js';
import type { ReadTemplate } from '../../../shared/template-item.js';

/** A namespace that is to use a template from now on, or not any more. */
export interface SharingChange {
  readonly namespace: string;
  readonly isAdded: boolean;
}

const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** What the server is asked for. */
export function sharingBody({ namespace, isAdded }: SharingChange): object {
  return isAdded ? { add: [namespace] } : { remove: [namespace] };
}

type Shared = Pick<ReadTemplate, 'kind' | 'namespace' | 'name' | 'spec' | 'may'>;

/** Why the user cannot share it, or end that; empty if he can. What the server says then counts. */
export function sharingRefused({ kind, may }: Pick<Shared, 'kind' | 'may'>): string {
  return may.patch ? '' : `You may not do this: it needs \`patch\` of ${kind.toLowerCase()}s.`;
}

/** Why a namespace cannot be added; empty if it can. What the server says then counts. */
export function addingRefused(shared: Shared, namespace: string): string {
  const refused = sharingRefused(shared);
  if (refused !== '') return refused;
  if (namespace === '') return 'Type the name of a namespace first.';
  if (!LABEL.test(namespace)) return 'It must be the name of a namespace: lower-case letters, digits and -.';
  const { name, spec } = shared;
  const template = { metadata: { name, namespace: shared.namespace }, spec } as Template;
  const requested = shareRequest({ template, add: [namespace], remove: [] });
  return 'refused' in requested ? `It cannot be added: ${requested.refused}.` : '';
}
