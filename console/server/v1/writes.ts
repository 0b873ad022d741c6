import type { FastifyInstance } from 'fastify';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { withoutManagedFields } from '#lib/kube/managed-fields.js';
import { WRITE, type ApplicationRoutes } from '../applications.js';
import { fresh } from '../fresh.js';
import { detailOf } from '../../shared/application-detail.js';
import type { ApplicationDetail } from '#queries/answers/application.js';
import { deletionIn, dryRunIn } from '../../shared/write-query.js';
import { Refusal } from '../../shared/refusal.js';
import { replacementOf } from '../../shared/replacement.js';
import { createdFrom, sentApplication } from '../../shared/sent-application.js';
import { queryOf } from '../schemas.js';
import { visible, type Place } from '../visible.js';
import { V1_ROUTES } from './schemas.js';

const APPLICATIONS = '/namespaces/:namespace/applications';

/** Creates, replaces and deletes, as the user; with `dryRun=All`, the API server only checks. */
export function addV1Writes(app: FastifyInstance, routes: ApplicationRoutes): void {
  const { kube, applications } = routes;
  const answer = (written: Application, dryRun: boolean): ApplicationDetail => {
    if (!dryRun) applications.recordWrite(written);
    return detailOf(withoutManagedFields(written));
  };
  app.post(APPLICATIONS, { schema: V1_ROUTES.create }, async (request, reply) => {
    const { namespace } = request.params as Place;
    const dryRun = dryRunIn(queryOf(request));
    const sent = sentApplication(request.body, { namespace });
    request.changed = { namespace, name: sent.metadata.name };
    const object = createdFrom(sent, namespace);
    reply.code(201);
    return answer(await kube.actingAs(request.user).create(applicationResource, object, { ...WRITE, dryRun }), dryRun);
  });
  app.put(`${APPLICATIONS}/:name`, { schema: V1_ROUTES.replace }, async (request) => {
    const place = request.params as Place;
    const dryRun = dryRunIn(queryOf(request));
    const sent = sentApplication(request.body, place);
    await visible(routes, request.user, place);
    if ((sent.metadata.resourceVersion ?? '') === '') {
      throw new Refusal(
        400,
        'metadata.resourceVersion is missing: send the one that you read, so that no change is lost',
      );
    }
    const own = kube.actingAs(request.user);
    const object = replacementOf(await fresh(own, place), sent);
    return answer(await own.update(applicationResource, object, { ...WRITE, dryRun }), dryRun);
  });
  app.delete(`${APPLICATIONS}/:name`, { schema: V1_ROUTES.remove }, async (request) => {
    const place = request.params as Place;
    const options = deletionIn(queryOf(request));
    const application = await visible(routes, request.user, place);
    // Another one of that name is not what was asked for.
    const { uid } = application.metadata;
    const existed = await kube.actingAs(request.user).delete(applicationResource, place, { ...options, uid });
    if (!existed) throw new Refusal(404, `applications "${place.name}" not found`);
    return detailOf(application);
  });
}
