import { isMap } from '#lib/plain.js';
import type { Failure } from '../../data/model/problem.js';

/** What the API server said of a field. */
export interface FieldProblem {
  /** As the API server writes it: `spec.list[0].name`. */
  readonly field: string;
  readonly message: string;
}

/** Why a change was not made. */
export interface Refused {
  readonly text: string;
  readonly fields: readonly FieldProblem[];
}

const MOST_FIELDS = 50;

function statusIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const status: unknown = JSON.parse(text);
    return isMap(status) ? status : {};
  } catch {
    return {};
  }
}

/** What the API server says of no field, such as that it went no further. */
const NO_FIELD: readonly unknown[] = ['', '<nil>'];

/** The field stands beside it: it need not be in the message, too. */
function fieldProblem(cause: unknown): FieldProblem[] {
  const { field, message } = isMap(cause) ? cause : {};
  const isKnown = typeof field === 'string' && typeof message === 'string' && !NO_FIELD.includes(field);
  return isKnown ? [{ field, message: message.replace(`${field} in body `, '') }] : [];
}

/** What a Status of Kubernetes says. Never throws. */
export function refusedBy({ text }: Failure): Refused {
  const { message, details } = statusIn(text);
  const causes: unknown = isMap(details) ? details['causes'] : undefined;
  return {
    text: typeof message === 'string' ? message : text,
    fields: Array.isArray(causes) ? causes.flatMap(fieldProblem).slice(0, MOST_FIELDS) : [],
  };
}

/** True of a field, and of what is in it. */
export function isOfField(field: string, key: string): boolean {
  return field === key || field.startsWith(`${key}.`) || field.startsWith(`${key}[`);
}

/** What was said of a field, or of what is in it; undefined if nothing was. */
export function problemAt(fields: readonly FieldProblem[], path: string): string | undefined {
  const own = fields.filter(({ field }) => isOfField(field, path));
  return own.length === 0 ? undefined : own.map(({ message }) => message).join('; ');
}
