import omit from 'lodash/omit.js';
import type Type from 'typebox';
import type { ImageOverride } from '#api/flux/common.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { printYaml, readYaml } from '#lib/yaml/yaml.js';
import {
  BuildViolation,
  kustomizationFilesIn,
  childPath,
  referenceTo,
  resolvePath,
  type Tree,
  type Input,
} from './tree.js';
import { CanonicalFile, textOf } from './canonical-file.js';

/** What the spec of a Kustomization adds to the kustomization file of its path. */
export type FileSpec = Pick<
  KustomizationSpec,
  | 'targetNamespace'
  | 'namePrefix'
  | 'nameSuffix'
  | 'patches'
  | 'images'
  | 'components'
  | 'ignoreMissingComponents'
  | 'buildMetadata'
>;
type Image = Type.Static<typeof ImageOverride>;

const TYPE = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };
const MANIFEST = /\.ya?ml$/;

function manifestsIn(tree: Tree, folder: string): string[] {
  return tree.names(folder).flatMap((name) => {
    const path = childPath(folder, name);
    if (!tree.isFolder(path)) return MANIFEST.test(name) ? [path] : [];
    // A folder with a kustomization file of its own is a base.
    return kustomizationFilesIn(tree, path).length > 0 ? [path] : manifestsIn(tree, path);
  });
}

/** The kustomization file of a folder that has none, as Flux makes it: all manifests below it. */
export function generatedFile(tree: Tree, folder: string): PlainMap {
  return { ...TYPE, resources: manifestsIn(tree, folder).map((path) => referenceTo(folder, path)) };
}

function listOf(file: PlainMap, field: string): unknown[] {
  const value = file[field] ?? [];
  if (Array.isArray(value)) return value;
  throw new BuildViolation(`${field} of the kustomization file is not a list: correct it`);
}

/** As Flux: the spec wins field by field; tag and digest are one. */
function mergedImage(known: PlainMap, { newName, newTag, digest }: Image): PlainMap {
  const renamed = newName === undefined ? {} : { newName };
  if (newTag === undefined && digest === undefined) return { ...known, ...renamed };
  const pinned = { ...(newTag === undefined ? {} : { newTag }), ...(digest === undefined ? {} : { digest }) };
  return { ...omit(known, 'newTag', 'digest'), ...renamed, ...pinned };
}

function withImages(file: PlainMap, images: readonly Image[]): PlainMap {
  if (images.length === 0) return {};
  const merged = listOf(file, 'images');
  for (const image of images) {
    const index = merged.findIndex((known) => isMap(known) && known['name'] === image.name);
    const known = merged[index];
    if (isMap(known)) merged[index] = mergedImage(known, image);
    else merged.push({ ...image });
  }
  return { images: merged };
}

function componentsOf(tree: Tree, folder: string, { components = [], ignoreMissingComponents }: FileSpec): string[] {
  if (ignoreMissingComponents !== true) return components;
  return components.filter((ref) => {
    const path = resolvePath(folder, ref);
    // One that leads out is no missing one.
    return path === undefined || tree.isFolder(path);
  });
}

/** The kustomization file with what the spec adds, as Flux merges it; neither is changed. Throws BuildViolation. */
export function withSpec(
  file: PlainMap,
  spec: FileSpec,
  at: { readonly tree: Tree; readonly folder: string },
): PlainMap {
  const { targetNamespace, namePrefix, nameSuffix, patches = [], buildMetadata = [] } = spec;
  const components = componentsOf(at.tree, at.folder, spec);
  const added = (field: string, values: readonly unknown[]): PlainMap =>
    values.length === 0 ? {} : { [field]: [...listOf(file, field), ...values] };
  const known = buildMetadata.length === 0 ? [] : listOf(file, 'buildMetadata');
  return {
    ...TYPE,
    ...file,
    ...(targetNamespace === undefined ? {} : { namespace: targetNamespace }),
    ...(namePrefix === undefined ? {} : { namePrefix }),
    ...(nameSuffix === undefined ? {} : { nameSuffix }),
    ...added('patches', patches),
    ...withImages(file, spec.images ?? []),
    ...added('components', components),
    ...added(
      'buildMetadata',
      buildMetadata.filter((each) => !known.includes(each)),
    ),
  };
}

/** The folder of a source that is built, and what the spec adds to it. */
export interface BuildSpec extends FileSpec {
  readonly path?: string | undefined;
  /** Leaves out the fields of the kustomization file that apply after the namespace is set: they may depend on it. */
  readonly untilNamespace?: boolean | undefined;
}

/** A source that kustomize may read: every reference in it was resolved, and lies within it. */
export interface Prepared {
  /** Path of the folder to build. */
  readonly folder: string;
  /** Files to write, by path: kustomization files as we read them, and configurations that they had inline. */
  readonly files: ReadonlyMap<string, string>;
  readonly inputs: readonly Input[];
  /** The kustomization file of the folder says in so many words that there is nothing: `resources: []`. */
  readonly saysEmpty: boolean;
}

/** Folders that one build may read, each time that one is referred to. */
const MAX_VISITS = 1_000;
const MAX_DEPTH = 64;
const AFTER_NAMESPACE = ['replacements', 'vars', 'transformers', 'validators'];
const GENERATED_NAME = 'kustomization.yaml';

/** Path of the kustomization file in a folder; undefined without one. */
function fileIn(tree: Tree, folder: string): string | undefined {
  const [name, other] = kustomizationFilesIn(tree, folder);
  if (other !== undefined) {
    throw new BuildViolation(`folder ${JSON.stringify(folder)} has ${name ?? ''} and ${other}: remove one of them`);
  }
  return name === undefined ? undefined : childPath(folder, name);
}

function readFile(tree: Tree, path: string): PlainMap {
  const read = readYaml(textOf(tree, path));
  if ('problem' in read) throw new BuildViolation(`${path} ${read.problem}`);
  if (read.value === null) return {};
  if (!isMap(read.value)) throw new BuildViolation(`${path} is not a map: correct it`);
  return read.value;
}

/** Says where what was wrong was found. */
function located<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error: unknown) {
    if (!(error instanceof BuildViolation) || error.message.startsWith(path)) throw error;
    throw new BuildViolation(`${path}: ${error.message}`, error.reason);
  }
}

function refuseLoop(folder: string, above: readonly string[]): void {
  if (above.length > MAX_DEPTH) throw new BuildViolation(`bases are nested more than ${MAX_DEPTH} deep: flatten them`);
  if (!above.includes(folder)) return;
  const loop = [...above.slice(above.indexOf(folder)), folder].map((each) => each || '.').join(' -> ');
  throw new BuildViolation(`bases form a loop: ${loop}: remove one of these references`);
}

/** Everything that a build refers to, from one folder down. */
class Walk {
  readonly #tree: Tree;
  readonly files = new Map<string, string>();
  readonly inputs: Input[] = [];
  /** Visits that a folder brings with it. */
  readonly #visits = new Map<string, number>();

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Returns how many folders kustomize will read for this one. */
  visit(folder: string, above: readonly string[], given?: { readonly path: string; readonly file: PlainMap }): number {
    refuseLoop(folder, above);
    const known = this.#visits.get(folder);
    if (known !== undefined) return known;
    const { path, file } = given ?? this.#read(folder);
    let visits = 1;
    for (const base of this.#write(folder, path, file)) {
      visits += this.visit(base, [...above, folder]);
      if (visits > MAX_VISITS) throw new BuildViolation(`a build may read ${MAX_VISITS} folders at most: split it`);
    }
    this.#visits.set(folder, visits);
    return visits;
  }

  #read(folder: string): { readonly path: string; readonly file: PlainMap } {
    const path = fileIn(this.#tree, folder);
    if (path !== undefined) return { path, file: readFile(this.#tree, path) };
    throw new BuildViolation(`folder ${JSON.stringify(folder)} has no kustomization file: add one`);
  }

  #write(folder: string, path: string, file: PlainMap): readonly string[] {
    return located(path, () => {
      const kustomization = new CanonicalFile(this.#tree, folder);
      const canonical = kustomization.canonical(file);
      this.files.set(path, printYaml(canonical));
      for (const [name, text] of kustomization.files) this.files.set(name, text);
      this.inputs.push(...kustomization.inputs);
      return kustomization.bases;
    });
  }
}

const MAKERS = ['bases', 'components', 'configMapGenerator', 'secretGenerator', 'generators'];

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function saysEmpty(file: PlainMap): boolean {
  return isEmptyList(file['resources']) && MAKERS.every((name) => file[name] === undefined || isEmptyList(file[name]));
}

/** Path of the folder that a spec names; a slash at its beginning means the root of the source, as in Flux. */
function folderOf(tree: Tree, path = ''): string {
  const folder = resolvePath('', path.replace(/^\/+/, ''));
  if (folder === undefined) {
    throw new BuildViolation(`spec.path ${JSON.stringify(path)} leads out of the source: correct it`, 'ArtifactFailed');
  }
  if (tree.isFolder(folder)) return folder;
  const message = `kustomization path not found: spec.path ${JSON.stringify(path)} is no folder of the source`;
  throw new BuildViolation(message, 'ArtifactFailed');
}

/** The file that is made for a folder without one. */
function generatedPath(tree: Tree, folder: string): string {
  const path = childPath(folder, GENERATED_NAME);
  if (tree.isFolder(path)) throw new BuildViolation(`${path} is a folder, and must be a file: rename it`);
  return path;
}

/** Reads what a build refers to, before kustomize does. Throws BuildViolation. */
export function prepare(tree: Tree, spec: BuildSpec): Prepared {
  const folder = folderOf(tree, spec.path);
  const existing = fileIn(tree, folder);
  const path = existing ?? generatedPath(tree, folder);
  const file = existing === undefined ? generatedFile(tree, folder) : readFile(tree, existing);
  const walk = new Walk(tree);
  const whole = located(path, () => withSpec(file, spec, { tree, folder }));
  const merged = spec.untilNamespace === true ? omit(whole, AFTER_NAMESPACE) : whole;
  walk.visit(folder, [], { path, file: merged });
  return { folder, files: walk.files, inputs: walk.inputs, saysEmpty: existing !== undefined && saysEmpty(merged) };
}
