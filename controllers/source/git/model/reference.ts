import { latestMatching, parseVersionRange } from '#lib/semver/version-range.js';
import type { GitRepository } from '../../model/source.js';

/**
 * What `spec.ref` asks for: commit, name, tag, semver, branch. Such is the precedence of Flux's controller; the
 * description of its API has tag after semver.
 */
export type GitTarget =
  | { readonly kind: 'commit'; readonly commit: string; readonly branch: string | undefined }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'semver'; readonly range: string }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'branch'; readonly branch: string };

/** A remote reference and the commit that it names. */
export interface ResolvedRef {
  readonly ref: string;
  readonly commit: string;
  /** What the reference itself names: the commit, or an annotated tag. */
  readonly object: string;
}

const DEFAULT_BRANCH = 'master';
const PEELED = '^{}';
const HEADS = 'refs/heads/';
const TAGS = 'refs/tags/';
/** Tags that differ in build metadata alone and are compared by time, those with the highest numbers first. */
const MAX_EQUALS = 32;
const byNumbers = new Intl.Collator('en', { numeric: true }).compare;
/** `git help check-ref-format`: what means something else in a pattern or a refspec. */
const NOT_A_NAME = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|(^|\/)\.|\.lock(\/|$)|^\/|[/.]$/u;
const FULL_COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The target of a repository; the default is branch `master`, as in Flux. Empty fields count as absent. */
export function gitTarget(ref: GitRepository['spec']['ref']): GitTarget {
  const given = new Map(Object.entries(ref ?? {}).filter(([, value]) => value !== ''));
  const [commit, name, range] = [given.get('commit'), given.get('name'), given.get('semver')];
  const [tag, branch] = [given.get('tag'), given.get('branch')];
  if (commit !== undefined) return { kind: 'commit', commit, branch };
  if (name !== undefined) return { kind: 'name', name };
  if (tag !== undefined) return { kind: 'tag', tag };
  return range === undefined ? { kind: 'branch', branch: branch ?? DEFAULT_BRANCH } : { kind: 'semver', range };
}

/** Why a target can never be found; undefined when it may. */
export function targetProblem(target: GitTarget): string | undefined {
  if (target.kind === 'commit' && !FULL_COMMIT.test(target.commit)) {
    return `spec.ref.commit ${JSON.stringify(target.commit)} is not a full commit id: write all 40 characters`;
  }
  if (target.kind === 'semver' && parseVersionRange(target.range) === undefined) {
    return `spec.ref.semver ${JSON.stringify(target.range)} is not a semver range: write e.g. ">=1.0.0 <2.0.0"`;
  }
  if (target.kind === 'name' && !target.name.startsWith('refs/')) {
    return `spec.ref.name ${JSON.stringify(target.name)} is not a full reference: write e.g. refs/heads/main`;
  }
  return nameProblem(target);
}

function nameProblem(target: GitTarget): string | undefined {
  const [field, name] = namePart(target) ?? [];
  if (field === undefined || name === undefined || !NOT_A_NAME.test(name)) return undefined;
  return `spec.ref.${field} ${JSON.stringify(name)} is not a name that a reference can have: see git help check-ref-format`;
}

/** The field of a target that git reads as a name. */
function namePart(target: GitTarget): readonly [field: string, name: string] | undefined {
  if (target.kind === 'branch') return ['branch', target.branch];
  if (target.kind === 'tag') return ['tag', target.tag];
  if (target.kind === 'name') return ['name', target.name];
  return target.kind === 'commit' && target.branch !== undefined ? ['branch', target.branch] : undefined;
}

/** The reference that a target names; undefined for a commit (none) and a range (to be chosen). */
function namedRef(target: GitTarget): string | undefined {
  if (target.kind === 'branch') return HEADS + target.branch;
  if (target.kind === 'tag') return TAGS + target.tag;
  return target.kind === 'name' ? target.name : undefined;
}

/** Patterns for `git ls-remote`; tags also by their peeled form, which names the commit. */
export function refPatterns(target: GitTarget): string[] {
  if (target.kind === 'commit') return ['HEAD'];
  const ref = namedRef(target);
  return ref === undefined ? [`${TAGS}*`] : [ref, ref + PEELED];
}

/** Output of `git ls-remote` as reference -> object id. */
export function parseRefs(output: string): ReadonlyMap<string, string> {
  const lines = output.split('\n').map((line) => line.split('\t'));
  return new Map(lines.flatMap(([id, ref]) => (id === undefined || ref === undefined ? [] : [[ref, id]])));
}

function newestTags(range: string, refs: ReadonlyMap<string, string>): string[] {
  const parsed = parseVersionRange(range);
  if (parsed === undefined) return [];
  const tags = [...refs.keys()].filter((ref) => ref.startsWith(TAGS) && !ref.endsWith(PEELED));
  const names = tags.map((ref) => ref.slice(TAGS.length));
  return latestMatching(names, parsed).sort(byNumbers).reverse().slice(0, MAX_EQUALS);
}

/**
 * The references of `refs` that a target may mean; none when it is not there, or when it is a commit. Several only for
 * a range whose newest tags differ in build metadata alone: the time of their commits decides.
 */
export function resolveTarget(target: GitTarget, refs: ReadonlyMap<string, string>): ResolvedRef[] {
  const named = namedRef(target);
  const wanted = target.kind === 'semver' ? newestTags(target.range, refs).map((tag) => TAGS + tag) : [named];
  return wanted.flatMap((ref) => {
    const object = ref === undefined ? undefined : refs.get(ref);
    return ref === undefined || object === undefined ? [] : [{ ref, object, commit: refs.get(ref + PEELED) ?? object }];
  });
}

/** The newest of `candidates` by `times`, lines of `<commit> <seconds>`; the first of several at the same time. */
export function newestCommit(candidates: readonly ResolvedRef[], times: string): ResolvedRef | undefined {
  const seconds = new Map(times.split('\n').map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
  const timeOf = ({ commit }: ResolvedRef): number => seconds.get(commit) ?? 0;
  return [...candidates].sort((a, b) => timeOf(b) - timeOf(a))[0];
}

/** What a target is called in messages. */
export function describeTarget(target: GitTarget): string {
  if (target.kind === 'commit') return `commit '${target.commit}'`;
  if (target.kind === 'semver') return `tag in the range '${target.range}'`;
  if (target.kind === 'name') return `reference '${target.name}'`;
  return target.kind === 'tag' ? `tag '${target.tag}'` : `branch '${target.branch}'`;
}

/** Flux's revision: `main@sha1:ID`, `v1.2.3@sha1:ID`, `refs/...@sha1:ID` for a name, `sha1:ID` for a bare commit. */
export function gitRevision(target: GitTarget, ref: string | undefined, commit: string): string {
  const id = `${commit.length === 64 ? 'sha256' : 'sha1'}:${commit}`;
  if (target.kind === 'commit') return target.branch === undefined ? id : `${target.branch}@${id}`;
  const short = target.kind === 'name' ? ref : ref?.replace(/^refs\/(heads|tags)\//, '');
  return short === undefined ? id : `${short}@${id}`;
}

/** The commit in a revision of gitRevision. */
export function commitOf(revision: string): string {
  return revision.slice(revision.lastIndexOf(':') + 1);
}
