import omit from 'lodash/omit.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { printYaml, readYaml } from '#lib/yaml/yaml.js';
import { generatedFile, withSpec, type FileSpec } from './kustomization-file.js';
import { CanonicalFile, textOf } from './canonical-file.js';
import { childPath, resolvePath } from './paths.js';
import { BuildViolation, kustomizationFilesIn, type Input, type Tree } from './tree.js';

/** What is built: a folder of a source, and what the spec adds to it. */
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
