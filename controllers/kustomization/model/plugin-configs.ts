import { isMap, type PlainMap } from '#lib/plain.js';
import { BuildViolation } from './tree.js';

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
export function generatorFields({ file, files, keyedFiles }: References): Fields {
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
