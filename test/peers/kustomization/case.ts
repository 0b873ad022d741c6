import type { Kustomization } from '#api/flux/kustomization.js';

export type Files = Readonly<Record<string, string>>;
/** Undefined leaves a field out. */
export type Spec = { readonly [Field in keyof Kustomization['spec']]?: Kustomization['spec'][Field] | undefined };

/** What a user does with kubectl; `input` is its standard input, and `KUBECONFIG` the file of the cluster. */
export interface Command {
  readonly args: string;
  readonly input?: object;
}

/** What happens between two comparisons; the Kustomization is then asked to reconcile. */
export interface Step {
  readonly does: string;
  /** A new revision of the repository. */
  readonly files?: Files;
  /** From now on; fields of earlier steps stay. */
  readonly spec?: Spec;
  /** What users do before. */
  readonly users?: readonly Command[];
  /** The reason with which it is not Ready in the end; default: it is Ready. */
  readonly fails?: string;
  /** Where we fail and Flux does not: the reason. */
  readonly weFail?: string;
}

/** One repository, applied by Flux on one cluster and by us on the other, under the same names. */
export interface Case {
  /** The name of the Kustomization, its source and its namespace. */
  readonly name: string;
  readonly steps: readonly [Step, ...Step[]];
  /** Further Kustomizations of the same source. */
  readonly others?: Readonly<Record<string, Spec>>;
  /** Other namespaces to look at. */
  readonly namespaces?: readonly string[];
  /** What to look at besides the usual kinds: `plural.group/version`; a kind of the cluster without a namespace has a `!`. */
  readonly kinds?: readonly string[];
  /** False if the files of the first step cannot be applied any more. */
  readonly returns?: boolean;
  /** Why what is seen differs on purpose. It must differ, then, and there is nothing to hand over. */
  readonly differs?: string;
}

type Metadata = Readonly<Record<string, unknown>>;

/** Manifests are written as JSON, which is YAML. */
export function manifest(...objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

export function kustomizationFile(fields: object): string {
  return JSON.stringify({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', ...fields });
}

export function configMap(name: string, data: Files, metadata: Metadata = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** Of the id `apiVersion Kind`. */
export function object(id: string, name: string, fields: object = {}, metadata: Metadata = {}): object {
  const [apiVersion, kind] = id.split(' ');
  return { apiVersion, kind, metadata: { name, ...metadata }, ...fields };
}

/** Its pods are ready soon, unless `pod` says otherwise. */
export function deployment(name: string, replicas = 1, pod: object = {}): object {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'example.com/app:1', ports: [{ containerPort: 80 }] }];
  const template = { metadata: { labels }, spec: { containers, ...pod } };
  return object('apps/v1 Deployment', name, { spec: { replicas, selector: { matchLabels: labels }, template } });
}
