import { isMap, type PlainMap } from '#lib/plain.js';
import { parseYamlDocuments, printYaml, readYaml } from '#lib/yaml/yaml.js';
import { BuildViolation, childPath, referenceTo, resolvePath, type Input, type Tree } from './tree.js';

/** The fields of a builtin, and how a reference in one of them is written; `undefined` holds none. */
type Rewrite = (value: unknown, field: string) => unknown;
type Fields = Readonly<Record<string, Rewrite | undefined>>;

/** How references are resolved: each returns its canonical form, or throws a BuildViolation. */
export interface References {
  readonly file: Rewrite;
  readonly files: Rewrite;
  /** `path`, or `key=path`. */
  readonly keyedFiles: Rewrite;
  readonly replacements: Rewrite;
}

const PLAIN_TRANSFORMERS: readonly string[] = [
  'AnnotationsTransformer',
  'HashTransformer',
  'ImageTagTransformer',
  'LabelTransformer',
  'NamespaceTransformer',
  'PrefixSuffixTransformer',
  'PrefixTransformer',
  'ReplicaCountTransformer',
  'SuffixTransformer',
];
const COMMON: Fields = { apiVersion: undefined, kind: undefined, metadata: undefined };

/** The fields of an entry of `configMapGenerator` or `secretGenerator`. */
function generatorFields({ file, files, keyedFiles }: References): Fields {
  return {
    name: undefined,
    namespace: undefined,
    behavior: undefined,
    literals: undefined,
    options: undefined,
    type: undefined,
    files: keyedFiles,
    envs: files,
    env: file,
  };
}

function builtins(references: References): Readonly<Record<string, Fields>> {
  const { file, replacements } = references;
  const generator = generatorFields(references);
  return {
    ConfigMapGenerator: generator,
    SecretGenerator: generator,
    PatchTransformer: { path: file, patch: undefined, target: undefined, options: undefined },
    PatchJson6902Transformer: { path: file, jsonOp: undefined, target: undefined },
    PatchStrategicMergeTransformer: { paths: references.files, patches: undefined },
    ReplacementTransformer: { replacements },
  };
}

/**
 * A map whose fields are known, each rewritten. Go takes fields in any case and spelling that folds to theirs, so what is
 * not known by its exact name is refused. Throws BuildViolation.
 */
export function rewritten(map: PlainMap, fields: Fields, field: string): PlainMap {
  const entries = Object.entries(map).map(([name, value]): [string, unknown] => {
    if (!Object.hasOwn(fields, name)) throw new BuildViolation(`${field}.${name} is not supported: remove it`);
    const rewrite = fields[name];
    return [name, rewrite === undefined ? value : rewrite(value, `${field}.${name}`)];
  });
  return Object.fromEntries(entries);
}

/**
 * One configuration of a generator or transformer with its references rewritten. Only those that are built in are run:
 * all others are programs, or read what cannot be told beforehand. Throws BuildViolation.
 */
export function pluginConfig(config: unknown, field: string, references: References): PlainMap {
  if (!isMap(config)) throw new BuildViolation(`${field} is not a map: correct it`);
  const { apiVersion, kind } = config;
  if (apiVersion === 'builtin' && typeof kind === 'string') {
    if (PLAIN_TRANSFORMERS.includes(kind)) return config;
    const fields = builtins(references);
    if (Object.hasOwn(fields, kind)) return rewritten(config, { ...COMMON, ...fields[kind] }, field);
  }
  const known = [...PLAIN_TRANSFORMERS, ...Object.keys(builtins(references))].sort().join(', ');
  const shown = JSON.stringify([apiVersion, kind].map((part) => (typeof part === 'string' ? part : '?')).join(' '));
  throw new BuildViolation(`${field} is ${shown}: only these builtins are run: ${known}`);
}

const MAX_FILE = 1024 * 1024;
const PLAIN: readonly string[] = [
  ...['apiVersion', 'kind', 'metadata', 'namePrefix', 'nameSuffix', 'namespace', 'commonLabels', 'labels'],
  ...['commonAnnotations', 'images', 'imageTags', 'replicas', 'vars', 'sortOptions', 'generatorOptions'],
  ...['buildMetadata'],
];
const REMOTE = /^[a-z][a-z0-9+.-]*:\/\/|^git@|^git::|^gh:|^[^/]*\.(?:com|org|io|dev|net)[/:]|\?ref=/i;
const HELM: readonly string[] = ['helmCharts', 'helmChartInflationGenerator', 'helmGlobals'];

type Kind = 'file' | 'folder' | 'either';

function itemsOf(value: unknown, field: string): unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new BuildViolation(`${field} is not a list: correct it`);
}

function isVoid(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** One kustomization file, its references resolved and written in their canonical form. */
export class CanonicalFile {
  readonly #tree: Tree;
  readonly #folder: string;
  /** Folders that this file builds on. */
  readonly bases: string[] = [];
  /** Files whose content becomes part of the manifests. */
  readonly inputs: Input[] = [];
  readonly files = new Map<string, string>();

  constructor(tree: Tree, folder: string) {
    this.#tree = tree;
    this.#folder = folder;
  }

  canonical(file: PlainMap): PlainMap {
    const fields = this.#fields();
    const meant = Object.entries(file).filter(([name, value]) => !HELM.includes(name) || !isVoid(value));
    const entries = meant.map(([name, value]): [string, unknown] => {
      if (HELM.includes(name)) {
        throw new BuildViolation(`${name} is not supported: create a HelmRelease for the chart`);
      }
      const rewrite = fields.get(name);
      if (rewrite === undefined && !PLAIN.includes(name)) {
        throw new BuildViolation(`${name} is not a field that is supported: remove it`);
      }
      return [name, rewrite === undefined ? value : rewrite(value, name)];
    });
    return this.#withPatchesMerged(Object.fromEntries(entries));
  }

  #resolve(ref: unknown, field: string, kind: Kind): string {
    if (typeof ref !== 'string' || ref === '') throw new BuildViolation(`${field} is not a path: correct it`);
    const shown = `${field} ${JSON.stringify(ref.slice(0, 300))}`;
    const path = resolvePath(this.#folder, ref);
    if (path === undefined) throw new BuildViolation(`${shown} leads out of the source: copy what it means into it`);
    const [isFile, isFolder] = [this.#tree.isFile(path), this.#tree.isFolder(path)];
    if ((kind !== 'folder' && isFile) || (kind !== 'file' && isFolder)) return path;
    if (REMOTE.test(ref)) {
      throw new BuildViolation(`${shown} is remote, which is not supported: copy what it means into the source`);
    }
    const what = kind === 'either' ? 'file or folder' : kind;
    throw new BuildViolation(`${shown} is no ${what} of the source: correct it, or add it`);
  }

  #canonicalRef(ref: unknown, field: string, kind: Kind, key?: string): string {
    const path = this.#resolve(ref, field, kind);
    if (kind !== 'file' && this.#tree.isFolder(path)) this.bases.push(path);
    else this.inputs.push({ path, field, name: key ?? path });
    return referenceTo(this.#folder, path);
  }

  #refs(kind: Kind): (value: unknown, field: string) => unknown {
    return (value, field) =>
      itemsOf(value, field).map((ref, index) => this.#canonicalRef(ref, `${field}[${index}]`, kind));
  }

  #maps(fields: Readonly<Record<string, ((value: unknown, field: string) => unknown) | undefined>>) {
    return (value: unknown, field: string): unknown =>
      itemsOf(value, field).map((item, index) => {
        if (!isMap(item)) throw new BuildViolation(`${field}[${index}] is not a map: correct it`);
        return rewritten(item, fields, `${field}[${index}]`);
      });
  }

  #references(): References {
    const file = (value: unknown, field: string): unknown => this.#canonicalRef(value, field, 'file');
    const replacements = this.#maps({ path: file, source: undefined, targets: undefined });
    const keyed = (value: unknown, field: string): unknown => {
      if (typeof value !== 'string') return file(value, field);
      const at = value.indexOf('=');
      const [name, path] =
        at < 0 ? [value.slice(value.lastIndexOf('/') + 1), value] : [value.slice(0, at), value.slice(at + 1)];
      return `${name}=${this.#canonicalRef(path, field, 'file', name)}`;
    };
    const keyedFiles = (value: unknown, field: string): unknown =>
      itemsOf(value, field).map((item, index) => keyed(item, `${field}[${index}]`));
    return { file, files: this.#refs('file'), keyedFiles, replacements };
  }

  #fields(): Map<string, (value: unknown, field: string) => unknown> {
    const references = this.#references();
    const { file, replacements } = references;
    const patches = this.#maps({ path: file, patch: undefined, target: undefined, options: undefined });
    const generators = this.#maps(generatorFields(references));
    const configs = (value: unknown, field: string): unknown =>
      itemsOf(value, field).map((item, index) => this.#config(item, `${field}[${index}]`, references));
    return new Map(
      Object.entries({
        resources: this.#refs('either'),
        bases: this.#refs('folder'),
        components: this.#refs('folder'),
        crds: this.#refs('file'),
        configurations: this.#refs('file'),
        openapi: (value: unknown, field: string) =>
          value === null ? null : rewritten(isMap(value) ? value : {}, { path: file, version: undefined }, field),
        ...{ patches, patchesJson6902: patches, replacements },
        patchesStrategicMerge: (value: unknown, field: string) =>
          itemsOf(value, field).map((item, index) => this.#strategicPatch(item, `${field}[${index}]`)),
        ...{ configMapGenerator: generators, secretGenerator: generators },
        ...{ generators: configs, transformers: configs, validators: configs },
      }),
    );
  }

  /** A file, or the patch itself: as an item of `patches` it can only be what it is here. */
  #strategicPatch(item: unknown, field: string): PlainMap {
    const path = typeof item === 'string' ? resolvePath(this.#folder, item) : undefined;
    if (path !== undefined && this.#tree.isFile(path)) return { path: this.#canonicalRef(item, field, 'file') };
    const read = typeof item === 'string' ? readYaml(item) : { problem: '' };
    if ('value' in read && isMap(read.value)) return { patch: item };
    return { path: this.#canonicalRef(item, field, 'file') };
  }

  /** kustomize applies these before the others. */
  #withPatchesMerged(file: PlainMap): PlainMap {
    const { patchesStrategicMerge, ...rest } = file;
    if (!Array.isArray(patchesStrategicMerge) || patchesStrategicMerge.length === 0) return rest;
    const patches: unknown[] = Array.isArray(rest['patches']) ? rest['patches'] : [];
    return { ...rest, patches: [...(patchesStrategicMerge as unknown[]), ...patches] };
  }

  /** A configuration, inline or in a file: written to a file of our own, as we read it. */
  #config(item: unknown, field: string, references: References): string {
    const path = typeof item === 'string' ? resolvePath(this.#folder, item) : undefined;
    const isFile = path !== undefined && this.#tree.isFile(path);
    const text = isFile ? textOf(this.#tree, path) : item;
    if (typeof text !== 'string') throw new BuildViolation(`${field} is not a text: correct it`);
    if (!isFile && !text.includes('\n') && !text.includes('{')) {
      this.#resolve(item, field, 'file');
    }
    const documents = documentsOf(text, field).filter((document) => document !== null);
    const configs = documents.map((config) => pluginConfig(config, field, references));
    const name = `.fairlead-${field.replace('[', '-').replace(']', '')}.yaml`;
    this.files.set(childPath(this.#folder, name), configs.map((config) => `---\n${printYaml(config)}`).join(''));
    return `./${name}`;
  }
}

function documentsOf(text: string, field: string): unknown[] {
  try {
    return parseYamlDocuments(text);
  } catch (error: unknown) {
    throw new BuildViolation(`${field} is not valid YAML: ${error instanceof Error ? error.message : ''}`);
  }
}

/** Throws BuildViolation for a file of more than 1 MiB. */
export function textOf(tree: Tree, path: string): string {
  const text = tree.text(path, MAX_FILE);
  if (text === undefined) throw new BuildViolation(`${path} has more than ${MAX_FILE} bytes: shorten it`);
  return text;
}
