import type { Application } from '#api/v1alpha1/application.js';
import type { ClusterReference } from '#api/v1alpha1/destination.js';
import { GITOPS_GROUP } from '#api/v1alpha1/labels.js';
import type { Template, TemplateKind } from '#api/v1alpha1/template.js';
import { defined } from '#lib/plain.js';

/** What a template is asked for, or why there is nothing to ask for. */
export type TemplateRequested = { readonly body: object; readonly done: string } | { readonly refused: string };

export interface ShareInput {
  readonly template: Template;
  /** Namespaces that may use it from now on. */
  readonly add: readonly string[];
  /** Those that may not any more. */
  readonly remove: readonly string[];
}

function contradiction({ template, add, remove }: ShareInput): string | undefined {
  const own = template.metadata.namespace ?? '';
  if ([...add, ...remove].includes(own)) return `${own} is its own namespace, which may always use it`;
  const both = add.find((name) => remove.includes(name));
  return both === undefined ? undefined : `${both} is to be added and removed: name it once`;
}

/**
 * The merge patch that shares a template with namespaces by name, of the template as it was read: if it changed since,
 * the server refuses. A selector stays as it is. Never throws.
 */
export function shareRequest(input: ShareInput): TemplateRequested {
  const { template, add, remove } = input;
  const refused = contradiction(input);
  if (refused !== undefined) return { refused };
  const { namespaces: before = [], selector } = template.spec.sharedWith ?? {};
  const namespaces = [...new Set([...before.filter((name) => !remove.includes(name)), ...add])];
  const isSame = namespaces.length === before.length && namespaces.every((name) => before.includes(name));
  const now = namespaces.length === 0 ? 'with no namespace by its name' : `with ${namespaces.join(', ')}`;
  if (isSame) return { refused: `nothing changes: it is shared ${now}` };
  const rest = selector === undefined ? '' : '; spec.sharedWith.selector stays, and may select more';
  const { resourceVersion } = template.metadata;
  return {
    body: { metadata: { resourceVersion }, spec: { sharedWith: { namespaces } } },
    done: `shared ${now}${rest}`,
  };
}

export interface UseInput {
  readonly name: string;
  readonly namespace: string;
  readonly kind: TemplateKind;
  /** As the field `template` says it. */
  readonly template: string;
  /** None: the host. */
  readonly clusters: readonly ClusterReference[];
  readonly targetNamespace: string | undefined;
  /** Of each release; undefined: those of the template. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/** The Application that uses a template, with one destination for each cluster. Never throws. */
export function applicationUsing(input: UseInput): Application {
  const { name, namespace, kind, template, clusters, targetNamespace, values } = input;
  const isHelm = kind === 'HelmTemplate';
  const target = defined({ targetNamespace: targetNamespace ?? (isHelm ? namespace : undefined) });
  const places = clusters.length === 0 ? [target] : clusters.map((clusterRef) => ({ clusterRef, ...target }));
  const entries = places.map((destination) => (Object.keys(destination).length === 0 ? {} : { destination }));
  const config = isHelm
    ? { helmRelease: { template, deploy: entries.map((entry) => ({ ...entry, ...defined({ values }) })) } }
    : { kustomization: entries.map((entry) => ({ template, ...entry })) };
  return {
    apiVersion: `${GITOPS_GROUP}/v1alpha1`,
    kind: 'Application',
    metadata: { name, namespace },
    spec: { kind: 'fluxcd', fluxApp: { spec: { config } } },
  };
}
