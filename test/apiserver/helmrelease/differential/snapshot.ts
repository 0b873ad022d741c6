import omit from 'lodash/omit.js';
import type { KubeObject, ResourceType, Unstructured } from '#api/meta.js';
import { objectsOf } from '#controllers/helmrelease/model/manifest.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { parseYaml } from '#lib/yaml/yaml.js';

/** `plural.group/version Kind`; group is empty for the core. */
function type(text: string, namespaced: boolean): ResourceType {
  const [, plural = '', group = '', version = '', kind = ''] = /^([^.]+)\.?([^/]*)\/(\S+)(?: (\w+))?$/.exec(text) ?? [];
  return { group, version, kind, plural, namespaced };
}

/** What most charts are made of; a case names what else its chart has. */
const ALWAYS = ['configmaps/v1', 'secrets/v1', 'pods/v1', 'jobs.batch/v1'].map((text) => type(text, true));
const CLUSTER_SCOPED = [
  ...['clusterroles.rbac.authorization.k8s.io/v1', 'clusterrolebindings.rbac.authorization.k8s.io/v1'],
  'priorityclasses.scheduling.k8s.io/v1',
];

const ORIGIN = 'helm.toolkit.fluxcd.io/';
/** What the server or a controller makes up anew for each object. */
const MADE_UP = [
  [/kube-api-access-\w{5}/g, 'kube-api-access'],
  [/"clusterIPs?":("[\d.]+"|\["[\d.]+"\])/g, '"clusterIP":"IP"'],
  [/"nodeName":"[^"]*"/g, '"nodeName":"node"'],
] as const;

/** A Job gets the labels of its pods only if it has none of its own: the origin labels are some. */
const BY_DEFAULT = /^(batch\.kubernetes\.io\/.*|controller-uid|job-name)$/;

function withoutOrigin(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !key.startsWith(ORIGIN) && !BY_DEFAULT.test(key)));
}

/** The object without what differs from one object of the same content to the next, and without origin labels. */
function comparable(object: Unstructured): unknown {
  const { uid = 'none', labels, annotations, name, namespace } = object.metadata;
  const text = JSON.stringify({
    ...omit(object, 'status', 'metadata'),
    metadata: { name, namespace, labels: withoutOrigin(labels), annotations: annotations ?? {} },
  }).replaceAll(uid, 'uid');
  return JSON.parse(MADE_UP.reduce((done, [made, fixed]) => done.replace(made, fixed), text));
}

function isOfCluster({ metadata, ...object }: Unstructured): boolean {
  return metadata.name === 'kube-root-ca.crt' || object['type'] === 'helm.sh/release.v1';
}

function order(objects: readonly KubeObject[]): string[] {
  return [...objects]
    .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map(({ metadata }) => metadata.name);
}

/** What is in the namespace, or named after it; `order` tells in which order ConfigMaps were written last. */
export async function liveObjects(
  kube: Kube,
  namespace: string,
  kinds: readonly string[],
): Promise<{ readonly objects: Record<string, unknown>; readonly order: string[] }> {
  const types = [...ALWAYS, ...kinds.map((text) => type(text, !CLUSTER_SCOPED.includes(text)))];
  const lists = await Promise.all(
    types.map((one) => listAll<Unstructured>(kube, one, one.namespaced ? { namespace } : {})),
  );
  const found = lists.flatMap(({ items }, index) =>
    items
      .filter((item) => types[index]?.namespaced === true || item.metadata.name.startsWith(namespace))
      .filter((item) => item.metadata['ownerReferences'] === undefined && !isOfCluster(item))
      .map((item) => [`${types[index]?.plural ?? ''} ${item.metadata.name}`, item] as const),
  );
  const hooks = found.flatMap(([, item]) => (item.metadata.annotations?.['helm.sh/hook'] === undefined ? [] : [item]));
  return { objects: Object.fromEntries(found.map(([key, item]) => [key, comparable(item)])), order: order(hooks) };
}

/** The documents of a stream, each under its source; documents of comments are nothing to Flux's post-renderer. */
function documents(text: string): unknown[] {
  return `\n${text}`.split(/\n---[ \t]*\n/).flatMap((document) => {
    const source = /^# Source: (.*)$/m.exec(document)?.[1];
    return objectsOf(document).map((object) => ({ source, object: withoutMarks(object) }));
  });
}

function withoutMarks(object: Unstructured): unknown {
  const { labels, annotations, ...metadata } = { ...object.metadata };
  return { ...object, metadata: { ...metadata, labels: withoutOrigin(labels), annotations: annotations ?? {} } };
}

const TIMES = /^(LAST DEPLOYED|Last Started|Last Completed):/;

/** `helm get all`, taken apart. */
export function readAll(text: string): Record<string, unknown> {
  const parts = text.split(/^(USER-SUPPLIED VALUES|COMPUTED VALUES|HOOKS|MANIFEST|NOTES):\n/m);
  const part = (title: string): string => parts[parts.indexOf(title) + 1] ?? '';
  const head = (parts[0] ?? '').split('\n').filter((line) => !TIMES.test(line));
  return {
    head: head.map(failureOnly),
    values: parseYaml(part('USER-SUPPLIED VALUES')),
    hooks: documents(part('HOOKS')),
    manifest: documents(part('MANIFEST')),
    notes: parts.includes('NOTES') ? part('NOTES') : '',
  };
}

/** Of a failure only that, and of what: the reasons are told in other words. */
function failureOnly(text: string): string {
  return text.replace(/( failed: (?:failed (?:pre|post)-install|(?:pre|post)-\w+ hooks failed)?).*/s, '$1');
}

interface Revision {
  readonly revision: number;
  readonly status: string;
  readonly description: string;
}

/** `helm history --output=json` without times; of a failure only that, and of what. */
export function readHistory(json: string): unknown[] {
  // Helm's own JSON output; its shape is part of its command line interface.
  const entries = JSON.parse(json) as (Revision & { updated?: string })[];
  return entries.map((entry) => ({
    ...omit(entry, 'updated'),
    description: failureOnly(entry.description),
  }));
}
