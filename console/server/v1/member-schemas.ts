import omit from 'lodash/omit.js';
import Type from 'typebox';
import { flag, integer, list, object, oneOf, openObject, optional, text, time } from '#api/schema.js';
import { COMPARED_STATES } from '#queries/views/live-diff-view.js';
import { Destination, item, onApplication } from './schemas.js';

/** The schemas of the routes that read clusters. */

const cluster = optional(text('Only on this cluster, as the status names it. Default: on all.'));

const logs = Type.Object({
  cluster,
  pod: optional(text('Only this pod.')),
  container: optional(text('This container. Default: as with kubectl, one of the pod.')),
  follow: optional(text('true: go on, for ten minutes at most. Default: false.')),
  previous: optional(text('true: of the container before its last restart. Default: false.')),
  tailLines: optional(text('Only the last lines, up to 10000. Default: 1000.')),
});

const problem = text('What could not be read, and why; empty if all was read.');

const Tree = object('An Application, its releases, their objects and their pods.', {
  ...omit(item, 'uid', 'createdAt', 'labels'),
  destinations: list(
    'Destinations, worst state first.',
    object('One destination and what runs there.', {
      ...Destination.properties,
      objects: list('Objects of the release, each with those that it owns.', openObject('Object.')),
      problem,
      more: integer('Number of objects that were not read because there are too many.'),
    }),
  ),
  truncated: flag('True if the status lists only the worst destinations.'),
});

const helm = object('Revision of Helm.', {
  version: integer('Number.'),
  status: text('State of the revision, e.g. deployed.'),
  chart: text('Name of the chart.'),
  chartVersion: text('Version of the chart.'),
});

const named = {
  apiVersion: text('API version.'),
  kind: text('Kind.'),
  namespace: text('Namespace; empty for an object of the whole cluster.'),
  name: text('Name.'),
};

const Manifest = object('What was put at one destination, without what Secrets hold.', {
  ...Destination.properties,
  application: text('Namespace and name of the Application.'),
  helm: optional({
    ...helm,
    description: 'Revision of Helm: the objects are as the chart was rendered. Without it, they are as they are now.',
  }),
  objects: list(
    'Objects, in the order of the release; hooks are the last.',
    object('An object.', {
      ...named,
      hook: text('Events that a hook is run for, by commas; empty for other objects.'),
      yaml: text('The object as YAML; values of Secrets are *****.'),
      problem: text('Why there is no YAML.'),
    }),
  ),
  more: integer('Number of others that are left out because there is too much, at least.'),
  problem,
});

const LiveDiff = object('What is wanted at one destination, and what is there, without what Secrets hold.', {
  ...Destination.properties,
  application: text('Namespace and name of the Application.'),
  helm: optional({ ...helm, description: 'Revision of Helm: what it rendered is what is wanted.' }),
  objects: list(
    'Objects, the worst first.',
    object('An object.', {
      ...named,
      state: oneOf('What was found. unknown: it is there, but what is wanted of it is not known.', COMPARED_STATES),
      message: text('Why it could not be compared, or what should be known of it.'),
      fields: list(
        'Fields that differ.',
        object('A field. Without both values, they are not shown.', {
          path: text('JSON pointer into the object.'),
          wanted: optional(text('What is wanted, as JSON, shortened; absent for a field that would be removed.')),
          live: optional(text('What is there, as JSON, shortened; absent for a field that is not there.')),
        }),
      ),
      moreFields: integer('Number of other fields that differ; 1000 means 1000 or more.'),
    }),
  ),
  more: integer('Number of others that are not compared because there are too many, at least.'),
  note: text('What is known of what is wanted, where that is not all.'),
  problem,
});

const ofDestination = {
  cluster,
  release: optional(text('Only the release of this name.')),
  child: optional(text('Only this child, as the status names it.')),
};

const Event = object('An event.', {
  uid: text('UID of the Event.'),
  cluster: text('Cluster; empty for events of the Application and of what belongs to it on the host.'),
  namespace: text('Namespace of the object.'),
  object: text('Kind/name.'),
  type: text('Type.'),
  reason: text('Reason.'),
  message: text('Message.'),
  count: integer('How often it was seen.'),
  lastSeen: time('When it was seen last.'),
});

const Events = object('Events of an Application and of what it deployed.', {
  events: list('Events, the newest last.', Event),
  more: integer('Number of older ones that are left out.'),
  moreOnHost: integer('Number of those that are of the Application and of what belongs to it on the host.'),
  problems: list('What could not be read, and why.', text('Problem.')),
});

const output = Type.String({ description: 'The output of one container.' });

export const MEMBER_ROUTES = {
  tree: {
    ...onApplication,
    querystring: Type.Object({ cluster }),
    response: { 200: Tree },
    summary: 'Show what an Application deployed',
  },
  manifest: {
    ...onApplication,
    querystring: Type.Object(ofDestination),
    response: { 200: Manifest },
    summary: 'Show the objects that an Application put at one destination',
  },
  liveDiff: {
    ...onApplication,
    querystring: Type.Object(ofDestination),
    response: { 200: LiveDiff },
    summary: 'Show what differs between what is wanted at one destination and what is there',
  },
  events: {
    ...onApplication,
    querystring: Type.Object({ cluster }),
    response: { 200: Events },
    summary: 'List the events of an Application',
  },
  logs: {
    ...onApplication,
    querystring: logs,
    response: { 200: { content: { 'text/plain': { schema: output } } } },
    summary: 'Read what a container of an Application prints',
  },
};
