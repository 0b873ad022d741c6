import type { Unstructured } from '#api/meta.js';
import { objectHealth } from '#engine/health/object-health.js';
import { parseYaml } from '#lib/yaml/yaml.js';

/** `Status: message` of an object made of its kind and the YAML of its other fields. */
export function healthOf(apiVersion: string, kind: string, fields: string): string {
  const rest = parseYaml(fields) as Record<string, unknown> | null;
  const object: Unstructured = {
    apiVersion,
    kind,
    ...rest,
    metadata: { name: 'x', ...(rest?.['metadata'] as object) },
  };
  const { status, message } = objectHealth(object);
  return `${status}: ${message}`;
}

/** Conditions as `Type=Status Reason: message`, in YAML. */
export function told(...conditions: readonly string[]): string {
  const all = conditions.map((text) => {
    const match = /^(\w+)=(\w+) ?(\w*)(?:: (.+))?$/.exec(text);
    if (match === null) throw new Error(`not a condition: ${text}`);
    const [, type, status, reason = '', message = ''] = match;
    return JSON.stringify({ type, status, ...(reason && { reason }), ...(message && { message }) });
  });
  return `conditions: [${all.join()}]`;
}

/** A status of these conditions alone. */
export function on(...conditions: readonly string[]): string {
  return `status: {${told(...conditions)}}`;
}
