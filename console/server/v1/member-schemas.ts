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
