import { isSecret } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import { apiStatusOf, ConflictError, TransientError, type ApiStatus } from '#lib/errors.js';
import { isMap } from '#lib/plain.js';
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

/** As Go decodes it: groups of four, of which the last one may be filled up; line breaks count for nothing. */
function isBase64(text: string): boolean {
  const joined = text.replaceAll(/[\r\n]/g, '');
  const [digits = ''] = /^[A-Za-z0-9+/]*/.exec(joined) ?? [];
  const padding = joined.slice(digits.length);
  return joined.length % 4 === 0 && ['', '=', '=='].includes(padding);
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}

interface Unreadable {
  readonly field: string;
  readonly problem: string;
}

/** Fields of a Secret that no server can read; it does not name them itself. */
function unreadable({ data, stringData }: Unstructured): Unreadable[] {
  const entriesOf = (map: unknown): [string, unknown][] => (isMap(map) ? Object.entries(map) : []);
  const given = [
    ...entriesOf(data).map(([key, value]) => ({ field: `data[${key}]`, value, isEncoded: true })),
    ...entriesOf(stringData).map(([key, value]) => ({ field: `stringData[${key}]`, value, isEncoded: false })),
  ];
  return given.flatMap(({ field, value, isEncoded }) => {
    if (value === null) return [];
    if (typeof value !== 'string') return [{ field, problem: `is ${typeOf(value)}: make it a text, in quotes` }];
    if (!isEncoded || isBase64(value)) return [];
    return [{ field, problem: 'is not base64: encode it, or set it in stringData' }];
  });
}

/** Reason and fields only: the server's own words may quote values. */
function withoutValues(
  { code, reason, causes }: ApiStatus,
  object: Unstructured,
  { hidesValues = false, isPublic = () => false }: Hiding,
): TransientError {
  const shownField = (field: string): string => (hidesValues ? maskedField(field, isPublic) : field);
  const why = reason === '' ? `HTTP ${code}` : reason;
  const refused = `the server refuses this ${object.kind} (${why})`;
  const bad = isSecret(object) ? unreadable(object) : [];
  const named = bad.map(({ field, problem }) => `${shownField(field)} ${problem}`);
  const fields = [...new Set(causes.map(({ field }) => shownField(field)))].filter((field) => field !== '');
  const where = fields.length === 0 ? '' : `: see ${listed(fields, MOST_NAMED)}`;
  const message =
    named.length > 0
      ? `${refused}: ${listed(named, MOST_NAMED)}`
      : `${refused}${where}; "kubectl apply --server-side --dry-run=server" says why`;
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
