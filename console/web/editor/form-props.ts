import type { PlainMap } from '#lib/plain.js';
import type { TemplateItem } from '#queries/answers/templates.js';
import type { Way } from './model/application-form.js';
import type { KnownClusters } from './model/cluster-choice.js';
import type { FieldProblem } from './model/refusal.js';
import type { SchemaTree } from '../model/schema-spot.js';
import type { Edit, Path } from '../model/yaml-edit.js';

/** Those that depend on more than one field are made of the text as it is then. */
export type Edits = readonly Edit[] | ((value: PlainMap, textAt: (path: Path) => string) => readonly Edit[]);

/** What each part of the form gets. */
export interface FormProps {
  readonly value: PlainMap;
  /** Of what is at a path of the YAML, with its comments. */
  readonly textAt: (path: Path) => string;
  /** Puts the cursor of the YAML there. */
  readonly goTo: (path: Path) => void;
  readonly edit: (edits: Edits) => void;
  /** Makes it of something else. */
  readonly choose: (way: Way) => void;
  readonly problems: readonly FieldProblem[];
  /** True: its name and namespace are given. */
  readonly exists: boolean;
  /** That the user knows of. */
  readonly namespaces: readonly string[];
  /** Those of the namespace of the Application that the user may read. */
  readonly clusters: KnownClusters;
  /** Those that the user may read. */
  readonly templates: readonly TemplateItem[];
  /** What an Application is read by, once it is known. */
  readonly tree: SchemaTree | undefined;
  /** What values are read by, if the template says it. */
  readonly valuesTree: SchemaTree | undefined;
}
