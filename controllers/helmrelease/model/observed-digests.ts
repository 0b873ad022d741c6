import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { isTrue } from '#lib/kube/conditions.js';
import { defined, isMap } from '#lib/plain.js';
import { sha256 } from './digest.js';
import type { Snapshot } from './snapshot.js';
import type { HelmReleaseSpec } from './types.js';

/**
 * A type of Flux's Go API, as far as its JSON goes: a string, a map of strings, a list, or a struct, whose fields come
 * in the order of the source. An empty field is left out unless it is `always` there.
 */
type Shape =
  | 'text'
  | 'map'
  | { readonly list: Shape }
  | { readonly fields: readonly (readonly [name: string, shape: Shape, always?: 'always'])[] };

/** Fields of strings that are left out when they are empty. */
function texts(...names: string[]): (readonly [string, Shape])[] {
  return names.map((name) => [name, 'text']);
}

const SELECTOR: Shape = {
  fields: texts('group', 'version', 'kind', 'namespace', 'name', 'annotationSelector', 'labelSelector'),
};
const PATCH: Shape = {
  fields: [
    ['patch', 'text', 'always'],
    ['target', SELECTOR],
  ],
};
const IMAGE: Shape = { fields: [['name', 'text', 'always'], ...texts('newName', 'newTag', 'digest')] };
const KUSTOMIZE: Shape = {
  fields: [
    ['patches', { list: PATCH }],
    ['images', { list: IMAGE }],
  ],
};
const POST_RENDERERS: Shape = { list: { fields: [['kustomize', KUSTOMIZE]] } };
const COMMON_METADATA: Shape = {
  fields: [
    ['annotations', 'map'],
    ['labels', 'map'],
  ],
};

/** Go writes JSON that may stand in HTML and in a script. */
function printText(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function printMap(map: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(map).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${keys.map((key) => `${printText(key)}:${print(map[key], 'text')}`).join(',')}}`;
}

function isEmpty(value: unknown, shape: Shape): boolean {
  if (value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return shape === 'map' && isMap(value) && Object.keys(value).length === 0;
}

function print(value: unknown, shape: Shape): string {
  if (shape === 'text') return printText(typeof value === 'string' ? value : '');
  const map = isMap(value) ? value : {};
  if (shape === 'map') return printMap(map);
  if ('list' in shape) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return `[${items.map((item) => print(item, shape.list)).join(',')}]`;
  }
  const fields = shape.fields.filter(([name, inner, always]) => always === 'always' || !isEmpty(map[name], inner));
  return `{${fields.map(([name, inner]) => `"${name}":${print(map[name], inner)}`).join(',')}}`;
}

/** Go's encoder ends each document with a newline. */
function digestOf(value: unknown, shape: Shape): string | undefined {
  return value === undefined ? undefined : sha256(`${print(value, shape)}\n`);
}

/** Digest of the post renderers as Flux has it in the status; undefined without any, but not for an empty list. */
export function postRenderersDigest({ postRenderers }: Pick<HelmReleaseSpec, 'postRenderers'>): string | undefined {
  return digestOf(postRenderers, POST_RENDERERS);
}

/** Digest of the common metadata as Flux has it in the status; undefined without any. */
export function commonMetadataDigest({ commonMetadata }: Pick<HelmReleaseSpec, 'commonMetadata'>): string | undefined {
  return digestOf(commonMetadata, COMMON_METADATA);
}

type Observed = Pick<HelmReleaseStatus, 'observedCommonMetadataDigest' | 'observedPostRenderersDigest'>;

/** The digest of nothing: a spec that has none does not match it either. */
const UNKNOWN = 'unknown';

function remembering(status: HelmReleaseStatus, observed: Observed): HelmReleaseStatus {
  return { ...omit(status, 'observedCommonMetadataDigest', 'observedPostRenderersDigest'), ...observed };
}

/** `status` with what it remembers of the spec that a revision was made from, beside chart and values. */
export function withObserved(status: HelmReleaseStatus, spec: HelmReleaseSpec): HelmReleaseStatus {
  const [metadata, renderers] = [commonMetadataDigest(spec), postRenderersDigest(spec)];
  return remembering(status, {
    ...defined({ observedCommonMetadataDigest: metadata, observedPostRenderersDigest: renderers }),
  });
}

/**
 * `status` as it must be before a rollback to `target`. A revision that was deployed and failed its tests is what the
 * status remembers, and not what will run: that is known only if the pass `began` with it.
 */
export function withObservedOf(
  status: HelmReleaseStatus,
  { target, began }: { readonly target: Snapshot; readonly began: HelmReleaseStatus | undefined },
): HelmReleaseStatus {
  // An attempt that failed itself is not remembered.
  if (!isTrue(status.conditions, 'Released')) return status;
  if (began?.history?.[0]?.version !== target.version) {
    return remembering(status, { observedCommonMetadataDigest: UNKNOWN, observedPostRenderersDigest: UNKNOWN });
  }
  return remembering(status, pick(began, 'observedCommonMetadataDigest', 'observedPostRenderersDigest'));
}
