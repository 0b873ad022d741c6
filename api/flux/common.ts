import type Type from 'typebox';
import { DryRun } from '../dry-run.js';
import {
  duration,
  flag,
  integer,
  list,
  listByKey,
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

/** The fields that all sources share. */
export const sourceFields = {
  interval: duration('Interval at which the source is checked, e.g. 10m.'),
  timeout: optional(duration('Timeout of a fetch, at most 10m. Default: 60s.', { default: '60s' })),
  suspend: optional(flag('If true, nothing is fetched; the last artifact stays available.')),
};

/** A Secret or the like in the same namespace. */
export function localReference(description: string) {
  return object(description, { name: objectName('Name of the object.') });
}

export const Condition = object('One condition of the object.', {
  type: text('Type of the condition.'),
  status: oneOf('Status of the condition.', ['True', 'False', 'Unknown']),
  reason: text('Machine-readable reason of the status, in CamelCase.'),
  message: text('Human-readable details.'),
  lastTransitionTime: time('Time at which the status last changed.'),
  observedGeneration: optional(integer('Generation of the object that the condition is based on.', { minimum: 0 })),
});

/** The conditions of one of our own kinds; `owner`: what has them. */
export function conditionsField(owner: string) {
  const description = `Conditions of the ${owner}; Ready summarizes them.`;
  return optional(listByKey(description, Condition, { key: 'type', maxItems: 16 }));
}

/** The status fields that every Flux kind shares. */
const statusFields = {
  observedGeneration: optional(integer('Last generation that was reconciled; -1 before the first reconciliation.')),
  conditions: optional(list('Conditions of the object; Ready summarizes them.', Condition)),
  lastHandledReconcileAt: optional(
    text('Last value of the annotation reconcile.fluxcd.io/requestedAt that was handled.'),
  ),
};

/** Only the embedded engine sets it; Flux's own CRDs do not have it. */
export const dryRunField = { dryRun: optional(DryRun) };

/** The status of one of Flux's kinds. Tools must not take an object for ready before a controller has observed it. */
export function fluxStatus<Fields extends Type.TProperties>(description: string, fields: Fields) {
  return object(description, { ...statusFields, ...fields }, { default: { observedGeneration: -1 } });
}

/** The fields that name an object of a kind. `what`: how its description calls it. */
export function referenceFields<Kind extends Type.TSchema>(what: string, kind: Kind) {
  return {
    apiVersion: optional(text(`API version of the ${what}.`)),
    kind,
    name: objectName(`Name of the ${what}.`),
    namespace: optional(namespaceName(`Namespace of the ${what}. Default: the same namespace.`)),
  };
}

export const Artifact = object('The fetched content, as a downloadable archive.', {
  path: text('Path of the archive in the artifact storage.'),
  url: text('URL of the archive.'),
  revision: text('Revision that the archive was built from, e.g. main@sha1:1234.'),
  digest: text('Digest of the archive, e.g. sha256:1234.', {
    pattern: '^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$',
  }),
  lastUpdateTime: time('Time at which the archive was last updated.'),
  size: optional(integer('Size of the archive in bytes.')),
  metadata: optional(textMap('Upstream metadata, e.g. OCI annotations.')),
});
export type Artifact = Type.Static<typeof Artifact>;

export const Dependency = object('An object of the same kind that must be ready first.', {
  name: objectName('Name of the object.'),
  namespace: optional(namespaceName('Namespace of the object. Default: the same namespace.')),
  readyExpr: optional(
    text(
      'CEL expression over `dep` and `self` that is true when the dependency is ready. It replaces the usual check.',
      {
        maxLength: 10_240,
      },
    ),
  ),
});
export type Dependency = Type.Static<typeof Dependency>;

export const SecretKeyReference = object('A Secret in the same namespace that holds a kubeconfig.', {
  name: objectName('Name of the Secret.'),
  key: optional(text('Key in the Secret. Default: `value`, then `value.yaml`.', { maxLength: 253 })),
});

export const KubeConfig = object(
  'Kubeconfig of the target cluster. Default: the cluster of this object.',
  {
    secretRef: optional(SecretKeyReference),
    configMapRef: optional(localReference('ConfigMap that describes how to get a short-lived token for the cluster.')),
  },
  {
    rules: [
      {
        rule: 'has(self.secretRef) != has(self.configMapRef)',
        message: 'set exactly one of secretRef and configMapRef',
      },
    ],
  },
);
export type KubeConfig = Type.Static<typeof KubeConfig>;

export const CommonMetadata = object('Labels and annotations for every object; they override those in the manifests.', {
  labels: optional(textMap('Labels.')),
  annotations: optional(textMap('Annotations.')),
});
export type CommonMetadata = Type.Static<typeof CommonMetadata>;

export const Selector = object('Objects to select; an empty field matches everything.', {
  group: optional(text('Regular expression for the API group.')),
  version: optional(text('Regular expression for the API version.')),
  kind: optional(text('Regular expression for the kind.')),
  name: optional(text('Regular expression for the name.')),
  namespace: optional(text('Regular expression for the namespace.')),
  labelSelector: optional(text('Label selector, e.g. app=web.')),
  annotationSelector: optional(text('Annotation selector, in label selector syntax.')),
});
export type Selector = Type.Static<typeof Selector>;

export const IgnoreRule = object('Fields to ignore in drift detection.', {
  paths: list('JSON pointers of the fields, e.g. /spec/replicas.', text('JSON pointer.')),
  target: optional(Selector),
});
export type IgnoreRule = Type.Static<typeof IgnoreRule>;

export const HealthCheckExpression = object('Health check for a kind that does not follow the usual conventions.', {
  apiVersion: text('API version of the kind; only its group is compared.', { minLength: 1 }),
  kind: text('Kind of the objects.', { minLength: 1 }),
  current: text('CEL expression that is true when the object is healthy.', { minLength: 1 }),
  inProgress: optional(text('CEL expression that is true while the object is progressing.')),
  failed: optional(text('CEL expression that is true when the object has failed.')),
});
export type HealthCheckExpression = Type.Static<typeof HealthCheckExpression>;

export const Patch = object('A patch for the rendered manifests.', {
  patch: text('Strategic merge patch or JSON 6902 patch, as YAML.'),
  target: optional(Selector),
});

export const ImageOverride = object('Replaces the name, tag or digest of a container image.', {
  name: text('Image to replace, without its tag.'),
  newName: optional(text('New name.')),
  newTag: optional(text('New tag.')),
  digest: optional(text('Digest that replaces the tag.')),
});

export const InventoryEntry = object('One object.', {
  id: text('<namespace>_<name>_<group>_<kind>.'),
  v: text('API version with which it was applied.'),
});
export type InventoryEntry = Type.Static<typeof InventoryEntry>;

export const Inventory = object('The objects that were applied.', {
  entries: list('One entry per object.', InventoryEntry),
});
export type Inventory = Type.Static<typeof Inventory>;

const signatureFields = {
  provider: optional(oneOf('Kind of signature: cosign (default) or notation.', ['cosign', 'notation'])),
  secretRef: optional(localReference('Secret with the trusted public keys. Default: keyless verification.')),
  matchOIDCIdentity: optional(
    list(
      'Accepted signers of keyless signatures; one must match.',
      object('One signer.', {
        issuer: text('Regular expression for the OIDC issuer.'),
        subject: text('Regular expression for the subject.'),
      }),
    ),
  ),
};
const SIGNATURE_CHECK = 'Required signature; without it nothing is fetched.';

/** The signature that a chart of a registry must have. */
export const SignatureCheck = object(SIGNATURE_CHECK, signatureFields);

/** The signature that an artifact of a registry must have. */
export const ArtifactSignatureCheck = object(SIGNATURE_CHECK, {
  ...signatureFields,
  trustedRootSecretRef: optional(
    localReference("Secret with trusted_root.json, for keyless verification. Default: the controller's."),
  ),
});
