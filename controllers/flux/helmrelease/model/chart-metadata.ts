import { isMap } from '#controllers/runtime/pure/plain.js';

/** The only fields of Chart.yaml and Chart.lock that are no text. */
const BOOLEANS: ReadonlySet<string> = new Set(['deprecated', 'enabled']);
/** May hold any YAML. */
const FREE_FORM = 'import-values';

function textOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => textOf(item));
  if (isMap(value)) return chartTexts(value);
  return typeof value === 'string' ? value : String(value);
}

/**
 * A Chart.yaml or Chart.lock as Helm reads it: `appVersion: 1.2` is text there, and a release record with a number in
 * its place cannot be read by helm. Fields without a value are left out. Never throws.
 */
export function chartTexts(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const keep = key === FREE_FORM || (BOOLEANS.has(key) && typeof value === 'boolean');
      return [key, keep ? value : textOf(value)];
    }),
  );
}
