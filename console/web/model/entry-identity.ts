import { canonicalJson } from '#lib/canonical-json.js';
import { isMap } from '#lib/plain.js';

/** What tells entries of a list apart: of destinations and stages, and of what Kubernetes lists by name. */
const IDENTIFYING = ['kind', 'namespace', 'name', 'destination', 'path', 'releaseName'];

/** Which one of a list it is, whatever else it says; undefined: nobody can tell. */
export function identityOf(entry: unknown): string | undefined {
  if (!isMap(entry)) return undefined;
  const said = Object.entries(entry).filter(
    ([key, value]) => IDENTIFYING.includes(key) && value !== undefined && value !== null,
  );
  return said.length === 0 ? undefined : canonicalJson(Object.fromEntries(said));
}
