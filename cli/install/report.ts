import type { Operation } from 'fast-json-patch';
import jsonPatch from 'fast-json-patch';
import { oneLine } from '#lib/one-line.js';
import { cut } from '#lib/cut.js';
import type { Applied, ApplyMode } from './apply.js';

/** Of one object; a changed CRD has thousands. */
const MOST_CHANGES = 8;
const MOST_CHARACTERS = 60;

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return cut(text, MOST_CHARACTERS, '...');
}

/** `/spec/template/0` as `spec.template[0]`. */
function fieldOf(pointer: string): string {
  const steps = pointer.split('/').slice(1).map(jsonPatch.unescapePathComponent);
  const text = steps.map((step) =>
    /^\d+$/.test(step) ? `[${step}]` : /^[\w-]+$/.test(step) ? `.${step}` : `['${step}']`,
  );
  return text.join('').replace(/^\./, '');
}

function changeLine(operation: Operation): string {
  const field = oneLine(fieldOf(operation.path));
  if (operation.op === 'remove') return `  ${field}: removed`;
  return `  ${field}: ${'value' in operation ? oneLine(short(operation.value)) : operation.op}`;
}

/** What became of an object, or would become: in a dry run with the fields that would change. Pure. */
export function appliedLines(name: string, { action, changes }: Applied, { dryRun }: ApplyMode): string[] {
  if (!dryRun) return [`${name} ${action}`];
  const left = changes.length - MOST_CHANGES;
  const more = left > 0 ? [`  and ${left} more`] : [];
  return [`${name} ${action} (dry run)`, ...changes.slice(0, MOST_CHANGES).map(changeLine), ...more];
}
