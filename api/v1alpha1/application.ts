import type Type from 'typebox';
import { Condition } from '../flux/common.js';
import type { KubeObject, ResourceType } from '../meta.js';
import { flag, integer, list, listByKey, object, oneOf, openObject, optional, text } from '../schema.js';
import { ApplicationSpec } from './application-spec.js';
import { DESTINATION_STATES } from './conditions.js';
import { GITOPS_GROUP } from './labels.js';

export const applicationResource: ResourceType = {
  group: GITOPS_GROUP,
  version: 'v1alpha1',
  kind: 'Application',
  plural: 'applications',
  namespaced: true,
  hasSpec: true,
};

const stateCounts = Object.fromEntries(
  DESTINATION_STATES.map((state) => [state.toLowerCase(), optional(integer(`Destinations that are ${state}.`))]),
) as Record<Lowercase<(typeof DESTINATION_STATES)[number]>, Type.TOptional<Type.TInteger>>;

const DestinationRow = object('One destination as it is.', {
  name: text('Name of the entry, or the key of its destination.'),
  cluster: optional(text('Secret of the cluster; host for the cluster of the Application.')),
  namespace: optional(text('Target namespace.')),
  release: optional(text('Name of the Helm release, if it is one.')),
  state: oneOf('State of the destination.', DESTINATION_STATES),
  revision: optional(text('Revision that runs there.')),
  message: optional(text('What there is to say of it.')),
});
type DestinationRow = Type.Static<typeof DestinationRow>;

export const ApplicationStatus = object('What runs, where and how well.', {
  observedGeneration: optional(integer('Last generation that was reconciled.')),
  conditions: optional(
    listByKey('State of the Application; Ready sums it up.', Condition, { key: 'type', maxItems: 16 }),
  ),
  lastHandledReconcileAt: optional(text('Last value of reconcile.fluxcd.io/requestedAt that was passed on.')),
  lastHandledForceAt: optional(text('Last value of reconcile.fluxcd.io/forceAt that was passed on.')),
  lastHandledResetAt: optional(text('Last value of reconcile.fluxcd.io/resetAt that was passed on.')),
  kind: optional(oneOf('Engine that the Application began with.', ['fluxcd', 'argocd'])),
  summary: optional(
    object('Destinations by state; the states add up to desired.', {
      desired: integer('Destinations that are wanted.'),
      ready: text('Ready destinations of those wanted, e.g. 2/3.'),
      states: optional(object('Destinations in each state.', stateCounts)),
    }),
  ),
  revision: optional(text('Revision that runs everywhere, or the lowest one and how many others there are.')),
  template: optional(text('Template in use, with its revision.')),
  destinations: optional(list('The destinations, worst first.', DestinationRow, { maxItems: 1_000 })),
  truncated: optional(flag('True when there are more destinations than are listed.')),
  fluxApp: optional(
    object('State of the children, for the console.', {
      helmReleaseStatus: optional(openObject('Status of each HelmRelease, by destination.')),
      kustomizationStatus: optional(openObject('Status of each Kustomization, by destination.')),
      omitted: optional(text('Why the two are left out, when they are.')),
    }),
  ),
  argoApp: optional(text('Status of the Argo CD application, as JSON.')),
});
export type ApplicationStatus = Type.Static<typeof ApplicationStatus>;

/** One application: what (source), where (destination) and how (config). */
export const Application = object('One application on many clusters, on each with values of its own.', {
  spec: ApplicationSpec,
  status: optional(ApplicationStatus),
});
export interface Application extends KubeObject {
  spec: ApplicationSpec;
  status?: ApplicationStatus;
}

export { ApplicationSpec, FluxApplicationSpec, HelmReleaseConfig } from './application-spec.js';
