import { isMap, type PlainMap } from '#lib/plain.js';

/** Stands for what a Secret holds. */
export const MASK = '*****';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** What says nothing of its content. */
const OPEN: readonly string[] = ['apiVersion', 'kind', 'type', 'immutable'];
/** Other annotations may be copies of the whole, as some tools keep one. */
const OPEN_ANNOTATION = /^(?:meta\.)?helm\.sh\//;

/** A reference to one has only a name. */
function isSecret(map: PlainMap): boolean {
  return map['kind'] === 'Secret' && ['metadata', 'data', 'stringData'].some((key) => key in map);
}

function mapped(map: PlainMap, change: (key: string, value: unknown) => unknown): PlainMap {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(key, value)]));
}

/** The keys are shown, as kubectl describes a Secret. */
function masked(value: unknown): unknown {
  return isMap(value) ? mapped(value, () => MASK) : value === null ? null : MASK;
}

function withoutCopies(metadata: unknown): unknown {
  if (!isMap(metadata)) return masked(metadata);
  return mapped(metadata, (key, value) => {
    if (key !== 'annotations') return value;
    return isMap(value) ? mapped(value, (name, text) => (OPEN_ANNOTATION.test(name) ? text : MASK)) : masked(value);
  });
}

function maskedSecret(secret: PlainMap): PlainMap {
  return mapped(secret, (key, value) => {
    if (key === 'metadata') return withoutCopies(value);
    return OPEN.includes(key) ? value : masked(value);
  });
}

function maskedItem(item: unknown): unknown {
  return isMap(item) ? maskedSecret(item) : masked(item);
}

/**
 * The same with all that Secrets hold masked, wherever they stand: alone, in lists, in fields of others, and in what
 * kubectl keeps of them. Throws a RangeError for what nests too deep.
 */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isMap(value)) return value;
  if (isSecret(value)) return maskedSecret(value);
  const isList = value['kind'] === 'SecretList';
  return mapped(value, (key, each) => {
    if (key === LAST_APPLIED) return MASK;
    return isList && key === 'items' && Array.isArray(each) ? each.map(maskedItem) : withoutSecrets(each);
  });
}
