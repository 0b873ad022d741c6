import type { Applying } from './types.js';

/**
 * The ServiceAccount, of the object's own namespace, in whose name everything is done on its cluster: that of the
 * spec, else `fallback` (--default-service-account). Undefined: the credential itself.
 */
export function serviceAccountOf({ spec }: Pick<Applying, 'spec'>, fallback: string | undefined): string | undefined {
  return spec.serviceAccountName || fallback || undefined;
}
