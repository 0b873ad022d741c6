import Type from 'typebox';
import { integer, list, object, openObject, optional, text, time, flag } from '#api/schema.js';
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
  ...item,
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

const Manifest = object('What was put at one destination, without what Secrets hold.', {
  ...Destination.properties,
  application: text('Namespace and name of the Application.'),
  helm: optional(
    object('Revision of Helm: the objects are as the chart was rendered. Without it, they are as they are now.', {
      version: integer('Number.'),
      status: text('State of the revision, e.g. deployed.'),
      chart: text('Name of the chart.'),
      chartVersion: text('Version of the chart.'),
    }),
  ),
  objects: list(
    'Objects, in the order of the release; hooks are the last.',
    object('An object.', {
      apiVersion: text('API version.'),
      kind: text('Kind.'),
      namespace: text('Namespace; empty for an object of the whole cluster.'),
      name: text('Name.'),
      hook: text('Events that a hook is run for, by commas; empty for other objects.'),
      yaml: text('The object as YAML; values of Secrets are *****.'),
      problem: text('Why there is no YAML.'),
    }),
  ),
  more: integer('Number of others that are left out because there is too much, at least.'),
  problem,
});

const Event = object('An event.', {
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
    querystring: Type.Object({
      cluster,
      release: optional(text('Only the release of this name.')),
      child: optional(text('Only this child, as the status names it.')),
    }),
    response: { 200: Manifest },
    summary: 'Show the objects that an Application put at one destination',
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
