import type Type from 'typebox';
import { chartFields } from '../flux/chart-template.js';
import { Dependency, SecretKeyReference, Selector } from '../flux/common.js';
import { kustomizationFields } from '../flux/kustomization-fields.js';
import { helmReleaseFields, kustomizeRendererFields } from '../flux/helm-release-fields.js';
import {
  duration,
  flag,
  list,
  object,
  oneOf,
  openObject,
  optional,
  optionalNamespaceName,
  optionalObjectName,
  referredName,
  text,
} from '../schema.js';

const entryName = optionalNamespaceName(
  'Lasting name of the entry: it keeps its release when everything else changes.',
);

function templateName(description: string) {
  return optional(text(description, { maxLength: 320, pattern: '^(([^/@]+/)?[^/@]+(@[1-9][0-9]*)?)?$' }));
}

const Destination = object('Where to: a cluster and a namespace.', {
  kubeConfig: optional(
    object('Credentials of a member cluster; without them it is the host cluster.', {
      secretRef: SecretKeyReference,
    }),
  ),
  targetNamespace: optionalNamespaceName(
    "Namespace to install into; by default the Application's own, of a kustomization as in the files.",
  ),
});
type Destination = Type.Static<typeof Destination>;

/** Fields of ks-devops that HelmReleases no longer have: they are turned into `patches`. */
const olderPatches = {
  patchesStrategicMerge: optional(
    list('Deprecated: use patches. Strategic merge patches.', openObject('An object with what it changes.')),
  ),
  patchesJson6902: optional(
    list(
      'Deprecated: use patches. JSON 6902 patches.',
      object('A patch, and what it changes.', {
        patch: list('The operations, in order.', openObject('One operation: op, path, from, value.')),
        target: Selector,
      }),
    ),
  ),
};

const serviceAccountName = optionalObjectName('ServiceAccount in whose name everything is applied.');

const HelmDeploy = object('One destination, and how the chart is released there.', {
  name: entryName,
  destination: optional(Destination),
  interval: optional(duration('How often the release is checked; 10m by default.')),
  ...helmReleaseFields,
  releaseName: optionalObjectName('Name of the Helm release; that of the Application by default.', 53),
  storageNamespace: optionalNamespaceName(
    'Namespace in which Helm keeps the history of the release; the target namespace by default.',
  ),
  serviceAccountName,
  postRenderers: optional(
    list(
      'Changes of the rendered manifests, in order.',
      object('A change of the rendered manifests.', {
        kustomize: optional(object('Changes by kustomize.', { ...kustomizeRendererFields, ...olderPatches })),
      }),
    ),
  ),
});
type HelmDeploy = Type.Static<typeof HelmDeploy>;

export const HelmReleaseConfig = object(
  'A Helm chart, for one destination or many.',
  {
    chart: optional(
      object('Which chart of the source.', {
        ...chartFields,
        interval: optional(duration('How often the chart is checked; 10m by default.')),
      }),
    ),
    template: templateName('Name of a saved template to use instead of a chart of a source.'),
    deploy: list('The destinations.', HelmDeploy, { maxItems: 1_000 }),
  },
  {
    rules: [
      {
        rule: "has(self.chart) != (has(self.template) && self.template != '')",
        message: 'give exactly one of chart and template',
      },
    ],
  },
);
export type HelmReleaseConfig = Type.Static<typeof HelmReleaseConfig>;

const KustomizationDeploy = object('One destination, and how the files are applied there.', {
  name: entryName,
  destination: optional(Destination),
  template: templateName('Name of a saved template to use instead of a source.'),
  interval: optional(duration('How often the files are checked and applied; 10m by default.')),
  prune: optional(flag('True deletes objects that are no longer in the source.')),
  ...kustomizationFields,
  serviceAccountName,
});
type KustomizationDeploy = Type.Static<typeof KustomizationDeploy>;

export const SourceReference = object('The source, as an object of Flux.', {
  apiVersion: optional(text('API version of the source.', { maxLength: 253 })),
  kind: oneOf('Kind of the source.', ['HelmRepository', 'GitRepository', 'OCIRepository', 'Bucket']),
  name: referredName('Name of the source.'),
  namespace: optionalNamespaceName("Namespace of the source; the Application's own by default."),
});
export type SourceReference = Type.Static<typeof SourceReference>;

export const FluxApplicationSpec = object('What, where and how, for the Flux engine.', {
  interval: optional(duration('Default of all entries: how often a release is checked; 10m by default.')),
  source: optional(object('What: where the chart or the files come from.', { sourceRef: optional(SourceReference) })),
  destination: optional(Destination),
  config: object('How: a Helm chart or kustomizations, and defaults of all entries.', {
    suspend: optional(flag('Default of all entries: true stops reconciling; what runs stays.')),
    timeout: optional(duration('Default of all entries: limit of each action.')),
    dependsOn: optional(list('Default of all entries: what must be ready first.', Dependency, { maxItems: 256 })),
    serviceAccountName: optionalObjectName('Default of all entries: service account to act as.'),
    helmRelease: optional(HelmReleaseConfig),
    kustomization: optional(list('The destinations of a kustomization.', KustomizationDeploy, { maxItems: 1_000 })),
  }),
});
export type FluxApplicationSpec = Type.Static<typeof FluxApplicationSpec>;

export const ApplicationSpec = object(
  'What should run, where and how.',
  {
    kind: optional(
      oneOf('Engine: fluxcd or argocd; told from which of fluxApp and argoApp is given by default.', [
        'fluxcd',
        'argocd',
      ]),
    ),
    deletionPolicy: optional(
      oneOf('What a deletion does to the releases: Delete (default) uninstalls them, Orphan leaves them.', [
        'Delete',
        'Orphan',
      ]),
    ),
    argoApp: optional(openObject('The application for the Argo CD engine; every field is kept.')),
    fluxApp: optional(object('The application for the Flux engine.', { spec: FluxApplicationSpec })),
  },
  {
    rules: [
      {
        rule: '!has(oldSelf.kind) || (has(self.kind) && self.kind == oldSelf.kind)',
        message: 'kind cannot be changed: make another Application',
        fieldPath: '.kind',
      },
    ],
  },
);
export type ApplicationSpec = Type.Static<typeof ApplicationSpec>;
