/** JSON values, as an API server stores them: never `undefined`, never shared with a writer. */
export type JsonMap = Readonly<Record<string, unknown>>;

export function isJsonMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a server would receive it. */
export function received<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // JSON in, JSON out
}

/** True if both are the same JSON, whatever the order of keys. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSameJson(each, other[index]));
  }
  if (!isJsonMap(one) || !isJsonMap(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key], other[key]));
}

/** RFC 7386. */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (!isJsonMap(patch)) return patch;
  const result: Record<string, unknown> = isJsonMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = mergePatched(result[key], value);
  }
  return result;
}

/** Where a JSON pointer ends: the map or list, and the key in it. */
function parentOf(root: unknown, pointer: string): [parent: unknown, key: string] {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = parts.pop() ?? '';
  const parent = parts.reduce<unknown>(
    (value, part) => (isJsonMap(value) || Array.isArray(value) ? Reflect.get(value, part) : undefined),
    root,
  );
  return [parent, key];
}

/** RFC 6902, for the operations that controllers here send: add, replace and remove of keys of maps. */
export function jsonPatched(target: unknown, operations: readonly object[]): unknown {
  const result = received(target);
  for (const operation of operations as readonly { op: string; path: string; value?: unknown }[]) {
    const [parent, key] = parentOf(result, operation.path);
    if (!isJsonMap(parent)) throw new Error(`the path ${operation.path} does not exist`);
    if (operation.op === 'remove') Reflect.deleteProperty(parent, key);
    else if (operation.op === 'add' || operation.op === 'replace') Reflect.set(parent, key, operation.value);
    else throw new Error(`the operation ${operation.op} is not known here`);
  }
  return result;
}
