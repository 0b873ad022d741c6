import type { ApplicationDetail, ApplicationItem } from '#queries/answers/application.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { Application } from '#api/v1alpha1/application.js';
import { templatesInUse } from '#api/v1alpha1/template.js';
import { pendingViews } from '#queries/views/pending-view.js';
import { defined } from '#lib/plain.js';
import { cachedView } from './application-query.js';

export function itemOf(application: Application): ApplicationItem {
  const { uid = '', creationTimestamp: createdAt = '', labels = {} } = application.metadata;
  return { ...omit(cachedView(application), 'destinations'), uid, createdAt, labels };
}

export function detailOf(application: Application): ApplicationDetail {
  const { metadata, spec, status = {} } = application;
  const { pending, more: morePending } = pendingViews([application]);
  const view = cachedView(application);
  const removals =
    view.approval === '' ? undefined : pick(status.removals, ['held', 'heldSince', 'clusters', 'truncated']);
  const { resourceVersion = '', annotations = {} } = metadata;
  return {
    ...itemOf(application),
    ...{ resourceVersion, annotations, spec, pending, morePending },
    destinations: view.destinations,
    ...{ conditions: status.conditions ?? [], templates: templatesInUse(status) },
    ...defined({ history: status.history, removals, rollout: status.rollout }),
  };
}
