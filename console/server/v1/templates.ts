import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Template } from '#api/v1alpha1/template.js';
import { templateRevisions } from '#queries/views/template-view.js';
import { applicationQueryOf, sortedBy } from '../../shared/application-query.js';
import { pageFrom } from '../../shared/page-query.js';
import {
  comparedWith,
  revisionAnswer,
  revisionNumber,
  templateAnswer,
  templateItem,
  templateQueryOf,
  templatesBy,
  templateUser,
} from '../../shared/template-item.js';
import type { ReadTemplate } from '#queries/answers/templates.js';
import { queryOf } from '../schemas.js';
import {
  templatesOf,
  visibleTemplate,
  visibleTemplates,
  visibleTemplatesIn,
  visibleUsers,
  type TemplatePlace,
  type TemplateRoutes,
  type Templates,
} from '../templates.js';
import type { ReadingAll } from '../visible.js';
import { addTemplateActions } from './template-actions.js';
import { mayOfTemplate } from './may.js';
import { TEMPLATE_ROUTES } from './template-schemas.js';
import { revisionReader } from './revision-reader.js';

const TEMPLATE = '/namespaces/:namespace/templates/:kind/:name';

/** The schema of each route has checked them; the number of a revision is there where the route has one. */
function templatePlaceOf(request: FastifyRequest): TemplatePlace & { readonly revision: string } {
  return request.params as TemplatePlace & { revision: string };
}

function addLists(app: FastifyInstance, templates: Templates): void {
  const page = async (request: FastifyRequest, read: () => Promise<Template[]>): Promise<object> => {
    const query = templateQueryOf(queryOf(request));
    return pageFrom(templatesBy(await read(), query.sort), query, templateItem);
  };
  app.get('/templates', { schema: TEMPLATE_ROUTES.everywhere }, (request) =>
    page(request, () => visibleTemplates(templates, request.user)),
  );
  app.get('/namespaces/:namespace/templates', { schema: TEMPLATE_ROUTES.inNamespace }, (request) =>
    page(request, () => visibleTemplatesIn(templates, request.user, templatePlaceOf(request).namespace)),
  );
}

/** Templates: lists, single ones, their revisions, their users, and what users do with them. */
export function addTemplates(app: FastifyInstance, routes: TemplateRoutes & ReadingAll): void {
  const templates = templatesOf(routes);
  addLists(app, templates);
  const asked = (request: FastifyRequest): Promise<Template> =>
    visibleTemplate(templates, request.user, templatePlaceOf(request));
  app.get(TEMPLATE, { schema: TEMPLATE_ROUTES.template }, async (request): Promise<ReadTemplate> => {
    const template = await asked(request);
    return {
      ...templateAnswer(template),
      may: await mayOfTemplate(routes.access, request.user, templatePlaceOf(request)),
    };
  });
  const read = revisionReader(app, routes);
  addTemplateActions(app, routes, { templates, read, path: TEMPLATE });
  app.get(`${TEMPLATE}/revisions`, { schema: TEMPLATE_ROUTES.revisions }, async (request, reply) => {
    const template = await asked(request);
    const revisions = await read(request, reply, template);
    const { applications } = await visibleUsers(routes, request.user, template);
    return { items: templateRevisions({ template, revisions, applications }) };
  });
  app.get(`${TEMPLATE}/revisions/:revision`, { schema: TEMPLATE_ROUTES.revision }, async (request, reply) => {
    const from = comparedWith(queryOf(request));
    const number = revisionNumber(templatePlaceOf(request).revision);
    return revisionAnswer(await read(request, reply, await asked(request)), number, from);
  });
  app.get(`${TEMPLATE}/users`, { schema: TEMPLATE_ROUTES.users }, async (request) => {
    const query = applicationQueryOf(queryOf(request));
    const template = await asked(request);
    const { applications, hidden } = await visibleUsers(routes, request.user, template);
    const page = pageFrom(sortedBy(applications, query.sort), query, (each) => templateUser(each, template));
    return { ...page, hidden };
  });
}
