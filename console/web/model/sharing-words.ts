import { shareRequest } from '#controllers/read-model/template-request.js';
import type { Template } from '#api/v1alpha1/template.js';

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

/** Why a namespace cannot be added; empty if it can. What the server says then counts. */
export function addingRefused(template: Pick<Template, 'metadata' | 'spec'>, namespace: string): string {
  if (namespace === '') return 'Type the name of a namespace first.';
  if (!LABEL.test(namespace)) return 'It must be the name of a namespace: lower-case letters, digits and -.';
  const requested = shareRequest({ template: template as Template, add: [namespace], remove: [] });
  return 'refused' in requested ? `It cannot be added: ${requested.refused}.` : '';
}
