import type { KubeObject } from '#api/meta.js';
import { describeObject } from '#lib/net/urls.js';
import type { FileObject } from './read-files.js';

/** Where an object goes, as with kubectl: a namespace of its own must be the one of the flag. */
export function placed({ file, object }: FileObject, wanted: string | undefined, fallback: string): KubeObject {
  const { metadata, kind } = object;
  if (wanted !== undefined && metadata.namespace !== undefined && metadata.namespace !== wanted) {
    throw new Error(
      `${file}: ${describeObject(kind, metadata)} is not in namespace ${wanted}: leave -n out, or correct it`,
    );
  }
  if (metadata.managedFields !== undefined) {
    throw new Error(`${file}: ${describeObject(kind, metadata)} has metadata.managedFields: remove them`);
  }
  return { ...object, metadata: { ...metadata, namespace: metadata.namespace ?? wanted ?? fallback } };
}
