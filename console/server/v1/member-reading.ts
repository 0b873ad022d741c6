import type { FastifyRequest } from 'fastify';
import type { Application } from '#api/v1alpha1/application.js';
import type { DestinationView } from '#queries/answers/application.js';
import { selectDestinations } from '#queries/views/tree-view.js';
import type { Kube } from '#runtime/client/kube.js';
import type { ApplicationRoutes } from '../applications.js';
import type { MemberQuery } from '../../shared/member-query.js';
import { Refusal } from '../../shared/refusal.js';
import { visible, type Place } from '../visible.js';

/** What one request reads, and as whom. */
export interface MemberReading {
  /** The host cluster with the rights of the user: the kubeconfigs of clusters are read with it, or not at all. */
  readonly host: Kube;
  readonly application: Application;
  /** Those that the query selects. */
  readonly destinations: readonly DestinationView[];
  readonly offload: ApplicationRoutes['offload'];
  /** Ends with the request. */
  readonly signal: AbortSignal;
}

/**
 * A connection is closed when it is silent for 30 seconds: the answer has to come before, and who was asked in vain has
 * ten of them to hang up.
 */
export const LOOKUP_LIMITS = { atOnce: 6, eachMs: 5_000, allMs: 15_000 };

/** Throws a Refusal if the user may not read the Application, or if it has nothing on the cluster that he names. */
export async function memberReading(
  routes: ApplicationRoutes,
  request: FastifyRequest,
  { cluster }: MemberQuery,
  begin: () => AbortSignal,
): Promise<MemberReading> {
  // The schema of each route has checked them.
  const application = await visible(routes, request.user, request.params as Place);
  const selected = selectDestinations(application, cluster);
  if ('problem' in selected) throw new Refusal(400, `cluster ${JSON.stringify(cluster)}: ${selected.problem}`);
  const { destinations } = selected;
  return {
    host: routes.kube.actingAs(request.user),
    application,
    destinations,
    offload: routes.offload,
    signal: begin(),
  };
}
