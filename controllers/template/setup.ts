import { controllerRevisionResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { REVISION_OF_LABEL } from '#api/v1alpha1/labels.js';
import { TEMPLATE_RESOURCES, type Template, type TemplateRevision } from '#api/v1alpha1/template.js';
import type { Cache, Controller, Permission, SetupContext, Watch } from '#runtime/controller.js';
import { createSchemaCheck } from '#runtime/isolation/schema-check.js';
import type { Deps } from './deps.js';
import {
  applicationToKeys,
  BY_TEMPLATE,
  BY_TEMPLATE_IN_USE,
  revisionOwners,
  revisionToKeys,
  templatesToIndex,
  templateToKeys,
} from './mappings.js';
import type { Rules } from './model/validate.js';
import { reconcile } from './reconcile.js';

const CONCURRENCY = 2;

const PLURALS = TEMPLATE_RESOURCES.map(({ plural }) => plural);

/** What these controllers may do on the host cluster; they talk to no other. */
export const permissions: readonly Permission[] = [
  { group: applicationResource.group, resources: PLURALS, verbs: ['get', 'list', 'watch'] },
  {
    group: applicationResource.group,
    resources: PLURALS.map((plural) => `${plural}/status`),
    verbs: ['update'],
  },
  { group: applicationResource.group, resources: ['applications'], verbs: ['get', 'list', 'watch'] },
  {
    group: controllerRevisionResource.group,
    resources: [controllerRevisionResource.plural],
    verbs: ['get', 'list', 'watch', 'create', 'delete'],
  },
];

/** Erases the type of the objects: the runtime only passes them through. */
function watch<T extends KubeObject>(cache: Cache<T>, toKeys: Watch<T>['toKeys']): Watch {
  return { cache, toKeys };
}

function watchesOf({ templates, revisions, applications }: Deps): Watch[] {
  const { type } = templates;
  return [
    watch(templates, templateToKeys),
    watch(revisions, (change) => revisionToKeys(type, change)),
    watch(applications, (change) => applicationToKeys(type, change)),
  ];
}

/** Keep the history of templates, and report whether they can be used and how often they are used. */
export function templateControllers(context: SetupContext, rules: Rules): Controller[] {
  const { kube, events, now } = context;
  const checkSchema = createSchemaCheck(context.offload);
  const applications = context.cache<Application>(applicationResource, {
    indexes: { [BY_TEMPLATE_IN_USE]: templatesToIndex },
  });
  const revisions = context.cache<TemplateRevision>(controllerRevisionResource, {
    labelSelector: REVISION_OF_LABEL,
    indexes: { [BY_TEMPLATE]: revisionOwners },
  });
  return TEMPLATE_RESOURCES.map((resource) => {
    const templates = context.cache<Template>(resource);
    const deps: Deps = { kube, events, now, rules, checkSchema, templates, revisions, applications };
    return {
      name: resource.kind.toLowerCase(),
      concurrency: CONCURRENCY,
      watches: watchesOf(deps),
      reconcile: (key, pass) => reconcile(key, { ...deps, ...pass }),
    };
  });
}
