import type { RevisionContent } from '#api/v1alpha1/application.js';
import { pointerText } from '#lib/text/text.js';
import { fieldChanges, type Difference } from '#lib/json/field-changes.js';

/** Where in an Application the content of a revision is. */
const SPEC = '/spec/fluxApp/spec';
/** Fields of the Application, not of values that are called so. */
const VERSIONS: readonly string[] = ['/config/helmRelease/chart/version', '/source/inline/version'];

/**
 * What differs between two revisions, as JSON pointers into the Application with its templates merged; what lies below
 * `/templates` says which templates these are. Never throws.
 */
export function revisionDifferences(from: RevisionContent, to: RevisionContent): Difference[] {
  const under = (place: string, changes: Iterable<Difference>): Difference[] =>
    [...changes].map((change) => ({ ...change, path: place + change.path }));
  return [
    ...under(SPEC, fieldChanges(from.spec, to.spec)),
    ...under('/templates', fieldChanges(from.templates, to.templates)),
  ];
}

/** A pointer as a user writes the field: what is in the spec of an Application without the place that all of that has. */
export function fieldName(pointer: string): string {
  return pointerText(pointer.startsWith(SPEC) ? pointer.slice(SPEC.length) : pointer);
}

function textOf({ path, old, new: next }: Difference): string {
  if (!VERSIONS.includes(path.slice(SPEC.length))) return fieldName(path);
  const shown = (value: unknown): string => (typeof value === 'string' ? value : '*');
  return `chart version ${shown(old)} -> ${shown(next)}`;
}

/** What differs, in words: fields without their values, and versions of charts with them. Never throws. */
export function revisionChanges(from: RevisionContent, to: RevisionContent): string[] {
  const texts = [...new Set(revisionDifferences(from, to).map(textOf))];
  const isVersion = (text: string): boolean => text.startsWith('chart version ');
  return [...texts.filter(isVersion), ...texts.filter((text) => !isVersion(text))];
}
