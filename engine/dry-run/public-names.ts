import jsonPatch from 'fast-json-patch';

/** Whether readers of a status may know a name: the key of a map may be made of a Secret. */
export type IsPublic = (name: string) => boolean;

/** Characters of the texts that are read: a name that only comes later is not shown. */
const MAX_TEXT = 4 * 1024 * 1024;
/** Between the marks of YAML, JSON and templates. */
const NAMES = /[^\s"'`{}()[\],:=|<>&*!#%@\\;]+/g;
/** What every object may have. */
const OF_OBJECTS = ['metadata', 'labels', 'annotations', 'spec', 'data', 'binaryData', 'stringData'];
/** In a list. */
const PLACE = /^[0-9]+$/;
const MASK = '*****';

function namesIn(texts: readonly string[]): Set<string> {
  const names = new Set<string>();
  let left = MAX_TEXT;
  for (const text of texts) {
    for (const [name] of text.slice(0, left).matchAll(NAMES)) names.add(name);
    left -= text.length;
    if (left <= 0) break;
  }
  return names;
}

/**
 * The names in texts that readers may know, but for those in `secrets`. What is made of a secret is in none of the
 * texts, however it was made. Where the secrets are too long to be read, nothing is public.
 */
export function publicNames(texts: readonly string[], secrets: readonly string[] = []): IsPublic {
  const length = secrets.reduce((sum, secret) => sum + secret.length, 0);
  if (length > MAX_TEXT) return () => false;
  const [names, hidden] = [namesIn([OF_OBJECTS.join(' '), ...texts]), namesIn(secrets)];
  return (name) => !hidden.has(name) && (PLACE.test(name) || names.has(name));
}

function maskedName(name: string, isPublic: IsPublic): string {
  return name === '' || isPublic(name) ? name : MASK;
}

/** A JSON pointer without the names that are not public; places in lists are. */
export function maskedPointer(pointer: string, isPublic: IsPublic): string {
  const steps = pointer.split('/').map((step) => {
    const name = maskedName(jsonPatch.unescapePathComponent(step), isPublic);
    return jsonPatch.escapePathComponent(name);
  });
  return steps.join('/');
}

/** The same of a field as API servers write it, e.g. `spec.containers[0].image` or `data[tls.crt]`. */
export function maskedField(field: string, isPublic: IsPublic): string {
  return field.replaceAll(/\[([^\]]*)\]|[^.[\]]+/g, (part, key: string | undefined) =>
    key === undefined ? maskedName(part, isPublic) : `[${maskedName(key, isPublic)}]`,
  );
}
