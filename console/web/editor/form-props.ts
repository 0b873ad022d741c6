import type { PlainMap } from '#controllers/runtime/pure/plain.js';
import type { KnownCluster } from '../model/cluster-choice.js';
import type { FieldProblem } from '../model/refusal.js';
import type { SchemaTree } from '../model/schema-spot.js';
import type { Edit } from '../model/yaml-edit.js';

/** What each part of the form gets. */
export interface FormProps {
  readonly value: PlainMap;
  readonly text: string;
  readonly edit: (edits: readonly Edit[]) => void;
  readonly problems: readonly FieldProblem[];
  /** True: its name and namespace are given. */
  readonly exists: boolean;
  /** That the user knows of. */
  readonly namespaces: readonly string[];
  /** Those of the namespace of the Application that the user may read. */
  readonly clusters: readonly KnownCluster[];
  /** What values are read by, if the template says it. */
  readonly valuesTree: SchemaTree | undefined;
}
