import type { Condition, Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';

/** As in kstatus: the state that an object reports. */
export type HealthStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'NotFound' | 'Unknown';

export interface Health {
  readonly status: HealthStatus;
  /** One sentence, for people. */
  readonly message: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The parts of an object that the rules read; what is absent or of another type reads as empty. */
export interface View {
  readonly object: Unstructured;
  readonly spec: Fields;
  readonly status: Fields;
}

/** How the rules see an object; never throws. */
export function viewOf(object: Unstructured): View {
  const { spec, status } = object;
  return { object, spec: isMap(spec) ? spec : {}, status: isMap(status) ? status : {} };
}

/** A number field; `fallback` when it is absent. */
export function numberOf(fields: Fields, name: string, fallback = 0): number {
  const value = fields[name];
  return typeof value === 'number' ? value : fallback;
}

/** A string field, empty when it is absent. */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/** The objects of a list field, empty when it is absent. */
export function listOf(fields: Fields, name: string): Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isMap) : [];
}

/** An object field, empty when it is absent. */
export function fieldsOf(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isMap(value) ? value : {};
}

/** The observed generation, if it is not the latest one; undefined if the status has none. */
export function otherGeneration({ object, status }: View): number | undefined {
  const { generation } = object.metadata;
  const { observedGeneration } = status;
  if (generation === undefined || typeof observedGeneration !== 'number') return undefined;
  return observedGeneration === generation ? undefined : observedGeneration;
}

/** A condition of the status by type; fields that are absent are empty. */
export function conditionOf(view: View, type: string): Pick<Condition, 'reason' | 'message'> & { status: string } {
  const found = listOf(view.status, 'conditions').find((condition) => condition['type'] === type) ?? {};
  return { status: textOf(found, 'status'), reason: textOf(found, 'reason'), message: textOf(found, 'message') };
}

/** Readable shorthand for the rules. */
export function health(status: HealthStatus, message: string): Health {
  return { status, message };
}
