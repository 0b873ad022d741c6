import { isMap } from '#controllers/runtime/pure/plain.js';

/** A reference to a source, with its namespace. */
export interface SourcePlace {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Identifies a source: in indexes, and in what is recorded of it. */
export function sourceText({ kind, namespace, name }: SourcePlace): string {
  return `${kind}/${namespace}/${name}`;
}

/** The source that a field refers to, by default in the namespace `own`; none in what is no reference. */
export function placesIn(reference: unknown, own = ''): SourcePlace[] {
  if (!isMap(reference)) return [];
  const { kind, name, namespace } = reference;
  if (typeof kind !== 'string' || typeof name !== 'string') return [];
  return [{ kind, name, namespace: typeof namespace === 'string' && namespace !== '' ? namespace : own }];
}
