import Type from 'typebox';
import { optional, text } from '#api/schema.js';
import { SharedApplication } from '#queries/answers/application.js';
import { FoundEvents, LiveDiffView, ManifestView, TreeView } from '#queries/answers/members.js';
import { refTo } from '#queries/answers/parts.js';
import { DiffAnswer, ExplanationAnswer, PlanAnswer, PlannedApplication } from '#queries/answers/plans.js';
import type { Action } from '../../shared/action.js';
import { actionBody, answers, onApplication, onNamespace, seen } from './schemas.js';

/** The routes that read clusters, and those that say what the controllers would do. */

const cluster = optional(text('Only on this cluster, as the status names it. Default: on all.'));

const logs = Type.Object({
  cluster,
  pod: optional(text('Only this pod.')),
  container: optional(text('This container. Default: as with kubectl, one of the pod.')),
  follow: optional(text('true: go on, for ten minutes at most. Default: false.')),
  previous: optional(text('true: of the container before its last restart. Default: false.')),
  tailLines: optional(text('Only the last lines, up to 10000. Default: 1000.')),
});

const ofDestination = {
  cluster,
  release: optional(text('Only the release of this name.')),
  child: optional(text('Only this child, as the status names it.')),
};

const output = Type.String({ description: 'The output of one container.' });

const onCluster = Type.Object({ cluster });

export const MEMBER_ROUTES = {
  tree: {
    ...onApplication,
    querystring: onCluster,
    ...answers(TreeView),
    summary: 'Show what an Application deployed',
  },
  manifest: {
    ...onApplication,
    querystring: Type.Object(ofDestination),
    ...answers(ManifestView),
    summary: 'Show the objects that an Application put at one destination',
  },
  liveDiff: {
    ...onApplication,
    querystring: Type.Object(ofDestination),
    ...answers(LiveDiffView),
    summary: 'Show what differs between what is wanted at one destination and what is there',
  },
  events: {
    ...onApplication,
    querystring: onCluster,
    ...answers(FoundEvents),
    summary: 'List the events of an Application',
  },
  logs: {
    ...onApplication,
    querystring: logs,
    response: { 200: { content: { 'text/plain': { schema: output } } } },
    summary: 'Read what a container of an Application prints',
  },
};

export const PREVIEW_ROUTES = {
  values: {
    ...onApplication,
    querystring: onCluster,
    ...answers(ExplanationAnswer),
    summary: 'Show where the values of an Application are from',
  },
  diff: {
    ...onApplication,
    querystring: onCluster,
    ...answers(DiffAnswer),
    summary: 'Show what differs between an Application and what is there',
  },
  preview: {
    ...onNamespace,
    body: refTo(SharedApplication),
    ...answers(PlannedApplication),
    summary: 'Show what would be done if an Application were created or replaced',
  },
};

/** The description of the preview of an action. */
export function actionPreviewRoute(action: Action) {
  return {
    ...{ ...onApplication, querystring: Type.Object(seen), ...actionBody(action) },
    ...answers(PlanAnswer),
    summary: `Show what would be done: ${action.summary}`,
  };
}
