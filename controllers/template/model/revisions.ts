import omit from 'lodash/omit.js';
import type { KubeObject } from '#api/meta.js';
import { REVISION_OF_LABEL } from '#api/v1alpha1/labels.js';
import { revisionSpecOf, type RevisionSpec, type Template, type TemplateRevision } from '#api/v1alpha1/template.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { newestFirst, nextNumber, superfluous } from '#lib/kube/revision-history.js';
import { hashedName } from '#lib/hash.js';
import { defined } from '#lib/plain.js';

/** Revisions that are kept, besides those that an Application uses. */
const MAX_REVISIONS = 10;
const MAX_NAME = 253;

/** What has to be done for the history of a template to be right. */
export interface RevisionPlan {
  /** Absent when the newest revision says what the template says. */
  readonly create?: TemplateRevision;
  readonly remove: readonly TemplateRevision[];
  /** Number of the newest revision afterwards. */
  readonly revision: number;
}

/** What of a template makes a revision. */
function contentOf({ spec }: Template): RevisionSpec {
  return omit(spec, 'sharedWith') as RevisionSpec;
}

function revisionOf(template: Template, revision: number): TemplateRevision {
  const { apiVersion, kind, metadata } = template;
  const spec = contentOf(template);
  const name = hashedName(metadata.name, canonicalJson([metadata.uid, revision, spec]), MAX_NAME);
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true };
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      ...defined({ namespace: metadata.namespace }),
      labels: { [REVISION_OF_LABEL]: kind },
      ownerReferences: [owner],
    },
    data: { spec },
    revision,
  };
}

/** True for a revision of this very template, not of one that had its name before. */
export function isRevisionOf({ metadata }: KubeObject, template: Template): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === template.metadata.uid);
}

/**
 * What is to be done when `kept` are the revisions of a template and `used` the numbers that Applications use. A number
 * is never given twice: going back to an older spec makes a new revision, for a pinned one must not move.
 */
export function planRevisions(
  template: Template,
  kept: readonly TemplateRevision[],
  used: ReadonlySet<number>,
): RevisionPlan {
  const [newest] = newestFirst(kept);
  if (newest !== undefined && canonicalJson(revisionSpecOf(newest) ?? null) === canonicalJson(contentOf(template))) {
    return { remove: superfluous(kept, MAX_REVISIONS, used), revision: newest.revision };
  }
  // A recreated template continues after the revisions that its users have: a pinned revision must not change.
  const revision = nextNumber(kept, template.status?.revision ?? 0, ...used);
  const create = revisionOf(template, revision);
  return { create, remove: superfluous([create, ...kept], MAX_REVISIONS, used), revision };
}
