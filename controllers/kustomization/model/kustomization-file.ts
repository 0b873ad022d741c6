import omit from 'lodash/omit.js';
import type Type from 'typebox';
import type { ImageOverride } from '#api/flux/common.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { BuildViolation, kustomizationFilesIn, type Tree } from './tree.js';
import { childPath, referenceTo, resolvePath } from './paths.js';

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
