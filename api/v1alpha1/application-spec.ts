import omit from 'lodash/omit.js';
import type Type from 'typebox';
import { chartFields } from '../flux/chart-template.js';
import { Dependency, IgnoreRule, Selector } from '../flux/common.js';
import { helmReleaseFields, kustomizeRendererFields } from '../flux/helm-release-fields.js';
import { kustomizationFields } from '../flux/kustomization-fields.js';
import { kindsFor } from '../flux/source-kinds.js';
import {
  countOrPercentage,
  duration,
  flag,
  integer,
  list,
  mapOf,
  object,
  oneOf,
  openObject,
  optional,
  optionalNamespaceName,
  optionalObjectName,
  referredName,
  text,
} from '../schema.js';
import { Destination } from './destination.js';
import { InlineSource } from './inline-source.js';
import { IDENTITY_FIELDS, overridesOf, valuesTemplate } from './overrides.js';
import { Rollout } from './rollout.js';

/** Labels and annotations of the target namespace. The embedded engine sets them; Flux has no field for them. */
const namespaceFields = {
  namespaceLabels: optional(
    mapOf(
      'Labels for the target namespace; its other labels stay as they are. Only with the embedded engine.',
      text('Value of the label.', { maxLength: 63 }),
    ),
  ),
  namespaceAnnotations: optional(
    mapOf(
      'Annotations for the target namespace; its other annotations stay as they are. Only with the embedded engine.',
      text('Value of the annotation.', { maxLength: 16_384 }),
    ),
  ),
};

/** Names that Fleet has for fields of Flux. */
const pausedField = { paused: optional(flag('The same as suspend.')) };

const driftFields = {
  correctDrift: optional(
    object('The same as driftDetection.mode: enabled or disabled.', {
      enabled: flag('If true, changes of live objects are undone.'),
      force: optional(flag('Must be false: Flux corrects drift by server-side apply, and recreates nothing.')),
    }),
  ),
  ignore: optional(list('The same as driftDetection.ignore: differences to ignore.', IgnoreRule)),
};

const entryName = optionalNamespaceName('Stable name of the entry: it keeps its release when other fields change.');

function templateName(description: string) {
  return optional(text(description, { maxLength: 320, pattern: '^(([^/@]+/)?[^/@]+(@[1-9][0-9]*)?)?$' }));
}

/** Fields of ks-devops that HelmReleases no longer have: they are turned into `patches`. */
const olderPatches = {
  patchesStrategicMerge: optional(
    list(
      'Deprecated: use patches. Strategic merge patches.',
      openObject('Patch: an object with the fields to change.'),
    ),
  ),
  patchesJson6902: optional(
    list(
      'Deprecated: use patches. JSON 6902 patches.',
      object('Patch and its target.', {
        patch: list('Operations, in order.', openObject('One operation: op, path, from, value.')),
        target: Selector,
      }),
    ),
  ),
};

const serviceAccountName = optionalObjectName('ServiceAccount to impersonate.');

/** How long an entry is managed, and from when. */
const lifeFields = {
  mode: optional(
    oneOf('Once: installed once, then not updated, healed or uninstalled. Default: Continuous.', [
      'Once',
      'Continuous',
    ]),
  ),
  ready: optional(
    text(
      'CEL expression over cluster: nothing is installed there until it is true. It needs a cluster of the inventory.',
      {
        minLength: 1,
        maxLength: 4_096,
      },
    ),
  ),
};

type Shared = Omit<typeof helmReleaseFields, (typeof IDENTITY_FIELDS)[number]>;

/** What an override may change, too. */
const helmFields = {
  interval: optional(duration('Interval at which the release is reconciled. Default: 10m.')),
  ...(omit(helmReleaseFields, IDENTITY_FIELDS) as Shared), // lodash forgets which fields are optional
  ...lifeFields,
  ...pausedField,
  ...driftFields,
  ...namespaceFields,
  valuesTemplate,
  serviceAccountName,
  postRenderers: optional(
    list(
      'Modifications of the rendered manifests, in order.',
      object('Modifies the rendered manifests.', {
        kustomize: optional(object('Kustomize patches and images.', { ...kustomizeRendererFields, ...olderPatches })),
      }),
    ),
  ),
};

export const HelmDeploy = object('One destination, and how the chart is released to it.', {
  name: entryName,
  destination: optional(Destination),
  ...helmFields,
  releaseName: optionalObjectName('Name of the Helm release. Default: the name of the Application.', 53),
  storageNamespace: optionalNamespaceName(
    'Namespace in which Helm keeps the history of the release. Default: the target namespace.',
  ),
  overrides: overridesOf(helmFields),
});
type HelmDeploy = Type.Static<typeof HelmDeploy>;

export const HelmReleaseConfig = object('A Helm chart for one or more destinations.', {
  chart: optional(
    object('Chart of the source.', {
      ...chartFields,
      interval: optional(duration('Interval at which the chart is checked. Default: 10m.')),
    }),
  ),
  template: templateName('Saved template to use instead of a source and a chart.'),
  deploy: list('Destinations.', HelmDeploy, { maxItems: 1_000 }),
});
export type HelmReleaseConfig = Type.Static<typeof HelmReleaseConfig>;

const filesFields = {
  interval: optional(duration('Interval at which the files are reconciled. Default: 10m.')),
  prune: optional(flag('If true, objects that are no longer in the source are deleted. Default: true.')),
  ...kustomizationFields,
  ...lifeFields,
  ...pausedField,
  serviceAccountName,
};

export const KustomizationDeploy = object('One destination, and how the files are applied to it.', {
  name: entryName,
  destination: optional(Destination),
  template: templateName('Saved template to use instead of a source.'),
  ...filesFields,
  overrides: overridesOf(filesFields),
});
type KustomizationDeploy = Type.Static<typeof KustomizationDeploy>;

export const SourceReference = object('Flux source.', {
  apiVersion: optional(text('API version of the source.', { maxLength: 253 })),
  kind: oneOf('Kind of the source.', kindsFor('applications')),
  name: referredName('Name of the source.'),
  namespace: optionalNamespaceName("Namespace of the source. Default: the Application's own."),
});
export type SourceReference = Type.Static<typeof SourceReference>;

const Source = object(
  'Source of the chart or files.',
  { sourceRef: optional(SourceReference), inline: optional(InlineSource) },
  {
    rules: [
      {
        rule: '!has(self.sourceRef) || !has(self.inline)',
        message: 'set only one of sourceRef and inline',
      },
    ],
  },
);

/** An inline source names its chart itself. */
const ONE_CHART =
  '!has(self.config.helmRelease) || [has(self.config.helmRelease.chart), ' +
  "has(self.config.helmRelease.template) && self.config.helmRelease.template != '', " +
  'has(self.source) && has(self.source.inline)].exists_one(isSet, isSet)';

export const FluxApplicationSpec = object(
  'Application for the Flux engine.',
  {
    interval: optional(duration('Interval of every entry that sets none, and of an inline source. Default: 10m.')),
    source: optional(Source),
    destination: optional(Destination),
    config: object('Helm chart or kustomizations, and defaults for all entries.', {
      suspend: optional(flag('Default for all entries: if true, nothing is reconciled; what runs stays.')),
      timeout: optional(duration('Default for all entries: timeout of each action.')),
      dependsOn: optional(
        list('Default for all entries: objects that must be ready first.', Dependency, { maxItems: 256 }),
      ),
      serviceAccountName: optionalObjectName('Default for all entries: ServiceAccount to impersonate.'),
      helmRelease: optional(HelmReleaseConfig),
      kustomization: optional(list('Destinations of a kustomization.', KustomizationDeploy, { maxItems: 1_000 })),
    }),
  },
  {
    rules: [
      {
        rule: ONE_CHART,
        message:
          'set exactly one of config.helmRelease.chart, config.helmRelease.template and source.inline (which names its chart)',
      },
    ],
  },
);
export type FluxApplicationSpec = Type.Static<typeof FluxApplicationSpec>;

const MaxRemovals = countOrPercentage(
  'Releases that clusters may lose in an hour as they no longer match: a number or percentage. Default: the larger of 10 and 20%.',
);

export const ApplicationSpec = object(
  'Desired state of the Application: what runs, where and how.',
  {
    kind: optional(
      oneOf('Engine: fluxcd or argocd. Default: inferred from whether fluxApp or argoApp is set.', [
        'fluxcd',
        'argocd',
      ]),
    ),
    deletionPolicy: optional(
      oneOf(
        'What deleting the Application does to its releases: Delete (default) uninstalls them, Orphan leaves them.',
        ['Delete', 'Orphan'],
      ),
    ),
    maxRemovals: optional(MaxRemovals),
    rollout: optional(Rollout),
    revisionHistoryLimit: optional(
      integer('Number of earlier revisions of the Application to keep. Default: 10 with rollout, else 0.', {
        minimum: 0,
        maximum: 100,
      }),
    ),
    argoApp: optional(openObject('Application for the Argo CD engine; all fields are preserved.')),
    fluxApp: optional(object('Application for the Flux engine.', { spec: FluxApplicationSpec })),
  },
  {
    rules: [
      {
        rule: '!has(oldSelf.kind) || (has(self.kind) && self.kind == oldSelf.kind)',
        message: 'kind cannot be changed: create another Application',
        fieldPath: '.kind',
      },
    ],
  },
);
export type ApplicationSpec = Type.Static<typeof ApplicationSpec>;
