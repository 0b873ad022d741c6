import { canonicalJson } from '../json/lossless-json.js';
import { isMap } from '../plain.js';
import { isLabelKey, isLabelValue } from './label-selector.js';
import { cut } from '../text/text.js';

type Texts = Readonly<Record<string, string>>;

/** Labels and annotations that somebody wants on a namespace; nothing else of it is theirs. */
export interface NamespaceMetadata {
  readonly labels: Texts;
  readonly annotations: Texts;
}

export const NO_METADATA: NamespaceMetadata = { labels: {}, annotations: {} };

/** Bounds for labels and annotations together; a value of a label is limited by Kubernetes. */
const LIMITS = { keys: 64, bytes: 16 * 1024 };

const HALF = /\p{Surrogate}/u;
const SHOWN = 80;

/** Set by Kubernetes, kubectl, Flux or Helm to find objects again, or to tell whose they are. */
const OWNED_BY_OTHERS: readonly string[] = [
  'kubernetes.io/metadata.name',
  'kubectl.kubernetes.io/last-applied-configuration',
  'kustomize.toolkit.fluxcd.io/name',
  'kustomize.toolkit.fluxcd.io/namespace',
  'helm.toolkit.fluxcd.io/name',
  'helm.toolkit.fluxcd.io/namespace',
];
const PREFIXES_OF_OTHERS: readonly string[] = ['gitops.kubesphere.io', 'meta.helm.sh'];

const KINDS = ['labels', 'annotations'] as const;
type Kind = (typeof KINDS)[number];

function quoted(text: string): string {
  return JSON.stringify(cut(text, SHOWN));
}

/** Keys of annotations are those of labels, but for capital letters in the DNS name. */
function isKey(key: string, kind: Kind): boolean {
  const name = key.indexOf('/') + 1;
  return isLabelKey(kind === 'labels' ? key : key.slice(0, name).toLowerCase() + key.slice(name));
}

function keyProblem(key: string, kind: Kind): string | undefined {
  if (!isKey(key, kind)) {
    return `${quoted(key)} is not a valid key: use at most 63 letters, digits, "-", "_" and ".", optionally after a DNS name and "/"`;
  }
  const prefix = key.slice(0, Math.max(0, key.indexOf('/'))).toLowerCase();
  if (!OWNED_BY_OTHERS.includes(key) && !PREFIXES_OF_OTHERS.includes(prefix)) return undefined;
  return `${quoted(key)} is set by the system and cannot be chosen: remove it`;
}

function valueProblem(key: string, value: unknown, kind: Kind): string | undefined {
  if (typeof value !== 'string') return `${quoted(key)} has a value that is no text: put it in quotes`;
  if (value.includes('${{')) {
    return `${quoted(key)} has an expression, which only values can have: write the value, or one for each cluster in overrides`;
  }
  if (HALF.test(value)) return `${quoted(key)} has a value that is not valid Unicode`;
  if (kind === 'annotations' || isLabelValue(value)) return undefined;
  return `${quoted(key)} has the value ${quoted(value)}, which no label can have: use at most 63 letters, digits, "-", "_" and "."`;
}

/** Which of the two is wrong, and why. */
interface MetadataProblem {
  readonly kind: Kind;
  readonly problem: string;
}

function sizeProblem(metadata: Readonly<Record<Kind, object>>): string | undefined {
  const keys = KINDS.flatMap((kind) => Object.keys(metadata[kind])).length;
  if (keys > LIMITS.keys) return `${keys} labels and annotations are more than the ${LIMITS.keys} that are allowed`;
  const bytes = Buffer.byteLength(JSON.stringify(KINDS.map((kind) => metadata[kind])));
  if (bytes <= LIMITS.bytes) return undefined;
  return `labels and annotations have ${bytes} bytes, more than the ${LIMITS.bytes} that are allowed`;
}

/** Why labels and annotations cannot be set; undefined if they can. Their values may be anything. Never throws. */
export function metadataProblem(metadata: Readonly<Record<Kind, object>>): MetadataProblem | undefined {
  const size = sizeProblem(metadata);
  if (size !== undefined)
    return { kind: Object.keys(metadata.labels).length > 0 ? 'labels' : 'annotations', problem: size };
  for (const kind of KINDS) {
    for (const [key, value] of Object.entries(metadata[kind])) {
      const problem = keyProblem(key, kind) ?? valueProblem(key, value, kind);
      if (problem !== undefined) return { kind, problem };
    }
  }
  return undefined;
}

/** True if nothing is wanted. */
export function isEmptyMetadata({ labels, annotations }: NamespaceMetadata): boolean {
  return Object.keys(labels).length === 0 && Object.keys(annotations).length === 0;
}

/** The text of what is wanted; equal for equal wishes, `{}` for nothing. */
export function printMetadata(metadata: NamespaceMetadata): string {
  const stated = KINDS.filter((kind) => Object.keys(metadata[kind]).length > 0);
  return canonicalJson(Object.fromEntries(stated.map((kind) => [kind, metadata[kind]])));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a text of anybody's says, by the rules above. Never throws. */
export function parseMetadata(text: string): NamespaceMetadata | { readonly problem: string } {
  // An escape is longer than what it stands for.
  if (text.length > 6 * LIMITS.bytes) return { problem: `it has more than ${LIMITS.bytes} bytes` };
  const json = jsonOf(text);
  const { labels = {}, annotations = {}, ...others } = isMap(json) ? json : { labels: json };
  if (!isMap(json) || !isMap(labels) || !isMap(annotations) || Object.keys(others).length > 0) {
    return { problem: 'it is not a JSON object with labels and annotations' };
  }
  const wrong = metadataProblem({ labels, annotations });
  if (wrong !== undefined) return { problem: `${wrong.kind}: ${wrong.problem}` };
  return { labels: labels as Texts, annotations: annotations as Texts }; // checked just now
}
