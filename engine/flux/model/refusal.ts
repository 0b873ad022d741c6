import { isSecret } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import { apiStatusOf, ConflictError, TransientError, type ApiStatus } from '#lib/errors.js';
import { listed } from '#lib/text/text.js';
import { maskedField, type IsPublic } from '../../dry-run/public-names.js';

const MOST_NAMED = 5;

/** The missing namespace of an object, if that is what the server did not find. */
function missingNamespace(error: unknown, { metadata }: Unstructured): string | undefined {
  const status = apiStatusOf(error);
  return status?.code === 404 && status.subject?.resource === 'namespaces' ? metadata.namespace : undefined;
}

/** True for an object that was copied from a cluster, and can only be applied to its very version. */
export function isPinned({ metadata }: Unstructured): boolean {
  return metadata.resourceVersion !== undefined || metadata.uid !== undefined;
}

/** What is not told of an object. */
export interface Hiding {
  /** Its values may come from a Secret, and the names of its fields as well. */
  readonly hidesValues?: boolean;
  /** The names that are shown nevertheless. Default: none. */
  readonly isPublic?: IsPublic;
}

/** Reason and fields only: the server's own words may quote values. */
function withoutValues(
  { code, reason, causes }: ApiStatus,
  { kind }: Unstructured,
  { hidesValues = false, isPublic = () => false }: Hiding,
): TransientError {
  const shown = causes.map(({ field }) => (hidesValues ? maskedField(field, isPublic) : field));
  const fields = [...new Set(shown)].filter((field) => field !== '');
  const where = fields.length === 0 ? '' : `: see ${listed(fields, MOST_NAMED)}`;
  const why = reason === '' ? `HTTP ${code}` : reason;
  const message = `the server refuses this ${kind} (${why})${where}; "kubectl apply --server-side --dry-run=server" says why`;
  const status = { code, reason, causes: causes.map(({ field }) => ({ field, message: '' })) };
  return new TransientError(message, { status });
}

/**
 * Why the server refused to apply an object, with the way out. A conflict over the object is its failure: only one over
 * the Kustomization itself ends a pass. Of a Secret no value is told, nor of an object with values that are hidden.
 */
export function refusalOf(error: unknown, object: Unstructured, hiding: Hiding = {}): unknown {
  const options = { cause: error, status: apiStatusOf(error) };
  const namespace = missingNamespace(error, object);
  if (namespace !== undefined) {
    return new TransientError(`namespace ${namespace} does not exist: create it, or add it to the source`, options);
  }
  if (error instanceof ConflictError) {
    const wayOut = isPinned(object) ? ': remove metadata.resourceVersion and metadata.uid from the source' : '';
    return new TransientError(`${error.message}${wayOut}`, options);
  }
  const { status } = options;
  // What refuses the account says nothing of the object.
  const isOfObject = status !== undefined && status.code !== 401;
  return isOfObject && (hiding.hidesValues === true || isSecret(object))
    ? withoutValues(status, object, hiding)
    : error;
}
