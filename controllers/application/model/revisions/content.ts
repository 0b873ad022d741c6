import type { Application } from '#api/v1alpha1/application.js';
import type { RevisionContent } from '#api/v1alpha1/application-revision.js';
import { draftsOf } from '../entries.js';
import type { ClusterView } from '../clusters/types.js';
import { withFluxSpec } from '../flux-spec.js';
import type { Resolved } from '../template-use.js';
import { expanded, type Valid } from '../validate.js';
import type { Violation } from '../types.js';
import { isMap } from '#controllers/runtime/pure/plain.js';

/** What of an Application makes a revision: how many clusters there are, and what they are like, is no part of it. */
export function contentOf({ application, templateOf }: Resolved): RevisionContent | undefined {
  const { fluxApp } = application.spec;
  if (fluxApp === undefined) return undefined;
  const templates = draftsOf(application).flatMap(({ specPath }) => {
    const template = templateOf({ specPath })?.inUse;
    return template === undefined ? [] : [[specPath, template] as const];
  });
  return { spec: fluxApp.spec, templates: Object.fromEntries(templates) };
}

/** The content in a ControllerRevision; undefined for one that somebody else wrote. Never throws. */
export function readContent(data: unknown): RevisionContent | undefined {
  if (!isMap(data) || !isMap(data['spec']) || !isMap(data['spec']['config']) || !isMap(data['templates']))
    return undefined;
  // Only this controller writes it, from an Application that the API server admitted.
  return data as unknown as RevisionContent;
}

/** What an Application wants by an earlier revision, on the clusters that there are now. */
export function validAt(
  application: Application,
  { spec, templates }: RevisionContent,
  clusters: ClusterView,
): Valid | { readonly violation: Violation } {
  const resolved: Resolved = {
    application: withFluxSpec(application, spec),
    inUse: [],
    // It is merged already.
    templateOf: () => undefined,
    helm: undefined,
    violations: new Map(),
    warning: undefined,
    sources: [],
  };
  return expanded(resolved, clusters, ({ specPath }) => templates[specPath]);
}
