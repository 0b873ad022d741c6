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
