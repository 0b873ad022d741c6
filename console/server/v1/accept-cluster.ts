import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { KubeObject } from '#api/meta.js';
import { ACCEPT_CLUSTER_UID_ANNOTATION, acceptedUid } from '#api/v1alpha1/labels.js';
import { type Described, readDescription } from '#controllers/cluster/existence.js';
import { apiStatusOf } from '#lib/errors.js';
import { isMap } from '#lib/plain.js';
import {
  type Acceptance,
  acceptedCluster,
  acceptedText,
  type ClusterObject,
  clusterObjectText,
} from '#queries/views/accept-cluster.js';
import type { AcceptedCluster } from '#queries/answers/application.js';
import { viewOf } from '#queries/views/application-view.js';
import { doneText } from '#queries/views/requests.js';
import { type Kube, retryConflicts } from '#runtime/client/kube.js';
import { actionQueryIn } from '../../shared/write-query.js';
import { Refusal } from '../../shared/refusal.js';
import { type ApplicationRoutes, WRITE } from '../applications.js';
import { freshSeen } from '../fresh.js';
import { queryOf } from '../schemas.js';
import { type Place, visible } from '../visible.js';
import { ACCEPT_CLUSTER_ROUTE } from './schemas.js';

const FIELDS = ['object', 'clusterUid'] as const;
/** The longest name of an object: kind, group, namespace and name. */
const MAX_LENGTH = 1_024;

/** Reads the body that accepts a cluster. Throws a Refusal (400) that names the field. */
export function acceptanceIn(body: unknown): Acceptance {
  if (!isMap(body)) throw new Refusal(400, 'the body is not an object');
  const odd = Object.keys(body).find((key) => !FIELDS.some((field) => field === key));
  if (odd !== undefined) {
    throw new Refusal(400, `${JSON.stringify(odd)} is no field of the body; choose from ${FIELDS.join(', ')}`);
  }
  const [object, clusterUid] = FIELDS.map((field) => {
    const value = body[field];
    if (typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH) return value;
    throw new Refusal(400, `${field}: it must be a text, as the destinations of the Application have it`);
  });
  return { object: object ?? '', clusterUid: clusterUid ?? '' };
}

/** Who may not read it is told the same whether it exists or not. */
async function describedAs(kube: Kube, cluster: ClusterObject): Promise<Described> {
  const { apiGroup = '', kind, namespace, name } = cluster;
  const text = clusterObjectText(cluster);
  try {
    const found = await readDescription(kube, { apiGroup, kind, namespace, name });
    if (found !== undefined) return found;
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code !== 403) throw error;
    throw new Refusal(404, `${text} not found, or you may not read it: who may get and patch it accepts the cluster`);
  }
  throw new Refusal(404, `${text} describes no cluster any more`);
}

interface Asked extends Acceptance {
  readonly place: Place;
  /** UID of the Application that was seen. */
  readonly uid: string | undefined;
  readonly dryRun: boolean;
}

/** Reads and writes as the user, and only if the object is still the one that was read. */
async function acceptOnce(
  kube: Kube,
  request: FastifyRequest,
  { place, uid, dryRun, ...said }: Asked,
): Promise<string> {
  // Its status is written by the controller: what tenants write on children names no object here.
  const { destinations } = viewOf(await freshSeen(kube, place, { uid }));
  const cluster = acceptedCluster(destinations, said);
  if ('problem' in cluster) throw new Refusal(409, `${place.name}: ${cluster.problem}`);
  request.annotated = said.object;
  const { type, object } = await describedAs(kube, cluster.object);
  const { name, namespace, resourceVersion, annotations = {} } = object.metadata;
  if (acceptedUid(annotations) === said.clusterUid) {
    throw new Refusal(409, `${said.object} accepts the cluster with the UID ${said.clusterUid} already`);
  }
  const metadata = { resourceVersion, annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: said.clusterUid } };
  await kube.patch<KubeObject>(type, { name, namespace }, { type: 'merge', body: { metadata } }, { ...WRITE, dryRun });
  return acceptedText(cluster);
}

/** Accepts the cluster that took the place of another one, on the object that describes it. */
export function addAcceptCluster(app: FastifyInstance, routes: ApplicationRoutes): void {
  const path = '/namespaces/:namespace/applications/:name/accept-cluster-uid';
  app.post(path, { schema: ACCEPT_CLUSTER_ROUTE }, async (request): Promise<AcceptedCluster> => {
    // The schema of the route has checked it.
    const place = request.params as Place;
    const query = actionQueryIn(queryOf(request));
    const said = acceptanceIn(request.body);
    await visible(routes, request.user, place);
    const kube = routes.kube.actingAs(request.user);
    const asked = { ...said, place, dryRun: query.dryRun, uid: query.uid };
    const done = await retryConflicts(() => acceptOnce(kube, request, asked));
    return { done: doneText(done, query.dryRun), ...said };
  });
}
