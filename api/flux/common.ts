import type Type from 'typebox';
import type { ResourceType } from '../meta.js';
import {
  duration,
  flag,
  integer,
  list,
  namespaceName,
  object,
  objectName,
  oneOf,
  optional,
  text,
  textMap,
  time,
} from '../schema.js';

export const HELM_GROUP = 'helm.toolkit.fluxcd.io';
export const KUSTOMIZE_GROUP = 'kustomize.toolkit.fluxcd.io';
const SOURCE_GROUP = 'source.toolkit.fluxcd.io';

/** A namespaced kind of source.toolkit.fluxcd.io/v1. */
export function sourceResource(kind: string, plural: string): ResourceType {
  return { group: SOURCE_GROUP, version: 'v1', kind, plural, namespaced: true, hasSpec: true };
}

/** What every source has: how often, how long, whether at all. */
export const sourceFields = {
  interval: duration('How often the source is checked, e.g. 10m.'),
  timeout: optional(duration('Limit of one fetch, at most 10m; 60s by default.', { default: '60s' })),
  suspend: optional(flag('True stops fetching; what was fetched stays available.')),
};

/** A Secret or the like in the same namespace. */
export function localReference(description: string) {
  return object(description, { name: objectName('Name of the object.') });
}

export const Condition = object('One aspect of the state.', {
  type: text('Name of the aspect.'),
  status: oneOf('Whether it holds.', ['True', 'False', 'Unknown']),
  reason: text('One word for the cause.'),
  message: text('The cause in a sentence.'),
  lastTransitionTime: time('When the status last changed.'),
  observedGeneration: optional(integer('Generation of the object that was judged.', { minimum: 0 })),
});

/** The status fields that every Flux kind shares. */
export const statusFields = {
  observedGeneration: optional(integer('Last generation that was reconciled; -1 before the first.')),
  conditions: optional(list('State of the object; Ready sums it up.', Condition)),
  lastHandledReconcileAt: optional(text('Last value of the annotation reconcile.fluxcd.io/requestedAt that was seen.')),
};

/** Until a controller has looked, tools must not take the object for ready. */
export const UNOBSERVED = { observedGeneration: -1 } as const;

export const Artifact = object('What was fetched, as an archive to download.', {
  path: text('Path of the archive in the store.'),
  url: text('Address of the archive.'),
  revision: text('What the archive was made of, e.g. main@sha1:1234.'),
  digest: text('Digest of the archive, e.g. sha256:1234.', {
    pattern: '^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$',
  }),
  lastUpdateTime: time('When the archive was made.'),
  size: optional(integer('Bytes of the archive.')),
  metadata: optional(textMap('What the upstream says of it, e.g. OCI annotations.')),
});
export type Artifact = Type.Static<typeof Artifact>;

export const Dependency = object('An object of the same kind that must be ready first.', {
  name: objectName('Name of the object.'),
  namespace: optional(namespaceName('Namespace of the object; the same by default.')),
  readyExpr: optional(
    text('CEL over `dep` and `self` that is true when the dependency is ready; replaces the usual check.', {
      maxLength: 10_240,
    }),
  ),
});
export type Dependency = Type.Static<typeof Dependency>;

export const SecretKeyReference = object('A Secret in the same namespace that holds a kubeconfig.', {
  name: objectName('Name of the Secret.'),
  key: optional(text('Key in the Secret; `value`, then `value.yaml` by default.', { maxLength: 253 })),
});

export const KubeConfig = object(
  'Credentials of the target cluster; without them it is the cluster of this object.',
  {
    secretRef: optional(SecretKeyReference),
    configMapRef: optional(localReference('A ConfigMap that says how to get a short-lived token of the cluster.')),
  },
  {
    rules: [
      {
        rule: 'has(self.secretRef) != has(self.configMapRef)',
        message: 'give exactly one of secretRef and configMapRef',
      },
    ],
  },
);
export type KubeConfig = Type.Static<typeof KubeConfig>;

export const CommonMetadata = object(
  'Labels and annotations put on every object; they win over those of the manifests.',
  {
    labels: optional(textMap('Labels.')),
    annotations: optional(textMap('Annotations.')),
  },
);
export type CommonMetadata = Type.Static<typeof CommonMetadata>;

export const Selector = object('Which objects are meant; empty fields match everything.', {
  group: optional(text('Regular expression of the API group.')),
  version: optional(text('Regular expression of the API version.')),
  kind: optional(text('Regular expression of the kind.')),
  name: optional(text('Regular expression of the name.')),
  namespace: optional(text('Regular expression of the namespace.')),
  labelSelector: optional(text('Label selector, e.g. app=web.')),
  annotationSelector: optional(text('Selector over annotations, in the form of a label selector.')),
});

export const IgnoreRule = object('Fields whose drift does not count.', {
  paths: list('JSON pointers of the fields, e.g. /spec/replicas.', text('JSON pointer.')),
  target: optional(Selector),
});

export const HealthCheckExpression = object(
  'How health is read off a kind that does not follow the usual conventions.',
  {
    apiVersion: text('API version of the kind; its group counts.', { minLength: 1 }),
    kind: text('The kind.', { minLength: 1 }),
    current: text('CEL that is true when the object is healthy.', { minLength: 1 }),
    inProgress: optional(text('CEL that is true while the object is getting there.')),
    failed: optional(text('CEL that is true when the object failed.')),
  },
);
export type HealthCheckExpression = Type.Static<typeof HealthCheckExpression>;

export const Patch = object('A change of the rendered manifests.', {
  patch: text('A strategic merge patch, or a JSON 6902 patch, as YAML.'),
  target: optional(Selector),
});

export const ImageOverride = object('Another name, tag or digest of a container image.', {
  name: text('Image to look for, without tag.'),
  newName: optional(text('Name to put in its place.')),
  newTag: optional(text('Tag to put in its place.')),
  digest: optional(text('Digest to put in place of the tag.')),
});

export const Inventory = object('The objects that were applied.', {
  entries: list(
    'One entry per object.',
    object('One object.', {
      id: text('<namespace>_<name>_<group>_<kind>.'),
      v: text('API version it was applied with.'),
    }),
  ),
});
export type Inventory = Type.Static<typeof Inventory>;

/** Which signatures an artifact of a Helm repository or registry must carry. */
export const SignatureCheck = object('Which signature is demanded; without one nothing is fetched.', {
  provider: optional(oneOf('Kind of signature: cosign (default) or notation.', ['cosign', 'notation'])),
  secretRef: optional(localReference('Secret with the trusted public keys; keyless by default.')),
  matchOIDCIdentity: optional(
    list(
      'Who may have signed, for keyless signatures; one match is enough.',
      object('One signer.', {
        issuer: text('Regular expression of the OIDC issuer.'),
        subject: text('Regular expression of the subject.'),
      }),
    ),
  ),
});
