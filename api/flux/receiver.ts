import type Type from 'typebox';
import { resourceType, type KubeObject } from '../meta.js';
import {
  duration,
  flag,
  list,
  listByKey,
  namespaceName,
  object,
  objectName,
  oneOf,
  optional,
  text,
  textMap,
} from '../schema.js';
import { localReference, fluxStatus } from './common.js';
import { SOURCE_KIND_NAMES } from './source-kinds.js';

export const receiverResource = resourceType('notification.toolkit.fluxcd.io/v1', 'Receiver', 'receivers', {
  hasSpec: true,
});

const RECEIVER_TYPES = [
  ...(['generic', 'generic-hmac', 'generic-oidc', 'github', 'gitlab', 'bitbucket', 'harbor', 'dockerhub'] as const),
  ...(['quay', 'gcr', 'nexus', 'acr', 'cdevents'] as const),
];

const KINDS = [
  ...SOURCE_KIND_NAMES,
  ...(['Kustomization', 'HelmRelease', 'ImageRepository', 'ImagePolicy', 'ImageUpdateAutomation'] as const),
  'ArtifactGenerator' as const,
];

const ReceiverTarget = object('Objects to reconcile.', {
  apiVersion: optional(text('API version of the objects.')),
  kind: oneOf('Kind of the objects.', KINDS),
  name: objectName('Name of the object, or * for all with matchLabels.'),
  namespace: optional(namespaceName('Namespace of the objects. Default: the same namespace.')),
  matchLabels: optional(textMap('Labels of the objects; only with the name *.')),
  filter: optional(text('CEL expression like resourceFilter, for these objects only.')),
});
export type ReceiverTarget = Type.Static<typeof ReceiverTarget>;

const OidcProvider = object('An OIDC issuer.', {
  issuerURL: text('URL of the issuer.', { pattern: '^https?://' }),
  audience: optional(text('Audience that tokens must have. Default: notification-controller.')),
  variables: optional(
    list(
      'Named CEL expressions for the validations.',
      object('One variable.', { name: text('Name of the variable.'), expression: text('CEL expression.') }),
    ),
  ),
  validations: list(
    'CEL expressions over the claims; all must be true.',
    object('One validation.', {
      expression: text('CEL expression.'),
      message: text('Answer when the expression is false.'),
    }),
    { minItems: 1 },
  ),
});

export const ReceiverSpec = object('Which webhooks are accepted, and what they reconcile.', {
  type: oneOf('Sender of the webhooks, which determines how they are checked.', RECEIVER_TYPES),
  interval: optional(duration('Interval at which the Secret is read again. Default: 10m.', { default: '10m' })),
  events: optional(
    list('Events to accept, for types that name them. Default: all.', text('Event, e.g. push or Push Hook.')),
  ),
  resources: list('Objects to reconcile.', ReceiverTarget),
  resourceFilter: optional(
    text('CEL expression over `res`, the metadata of an object, and `req`, the body; false skips the object.'),
  ),
  secretRef: optional(localReference('Secret with the key token, which authenticates the sender.')),
  oidcProviders: optional(listByKey('Issuers of the tokens of type generic-oidc.', OidcProvider, { key: 'issuerURL' })),
  suspend: optional(flag('If true, webhooks are rejected.')),
});
export type ReceiverSpec = Type.Static<typeof ReceiverSpec>;
export type ReceiverType = ReceiverSpec['type'];

export const ReceiverStatus = fluxStatus('Observed state of the receiver.', {
  webhookPath: optional(text('Path of the webhooks, which nobody else should know.')),
});
export type ReceiverStatus = Type.Static<typeof ReceiverStatus>;

export const Receiver = object('Reconciles objects when a webhook is received.', {
  spec: ReceiverSpec,
  status: optional(ReceiverStatus),
});
export type Receiver = KubeObject & Type.Static<typeof Receiver>;
