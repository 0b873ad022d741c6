import type { FastifyInstance } from 'fastify';
import { list, object, text } from '#api/schema.js';
import type { Kube } from '#runtime/client/kube.js';
import { LISTED_KINDS, Sources } from '../sources.js';
import type { Place } from '../visible.js';
import { answers, onNamespace } from './schemas.js';

const Source = object('One source.', {
  kind: text(`One of ${LISTED_KINDS.join(', ')}.`),
  namespace: text('Namespace.'),
  name: text('Name.'),
  state: text('State in one word.'),
  message: text('Message of the condition Ready.'),
  revision: text('Revision of the artifact; of a HelmChart, the version of its chart.'),
  url: text('URL, without credentials.'),
  chart: text('Chart of a HelmChart.'),
  source: text('KIND/NAME that a HelmChart is from.'),
});

const schema = {
  ...onNamespace,
  ...answers(
    object('Sources.', {
      items: list('By kind and name.', Source),
      unread: list('Kinds that the user may not list.', text('Kind.')),
      truncated: list('Kinds of which only the first 500 are there.', text('Kind.')),
    }),
  ),
  summary: 'List the sources of a namespace that the user may read',
};

/** The sources that an Application of a namespace can be made from. */
export function addSources(app: FastifyInstance, { kube }: { readonly kube: Kube }): void {
  const sources = new Sources(app, kube);
  app.get('/namespaces/:namespace/sources', { schema }, (request) => {
    // The schema of the route has checked it.
    const { namespace } = request.params as Place;
    return sources.of({ user: request.user, namespace });
  });
}
