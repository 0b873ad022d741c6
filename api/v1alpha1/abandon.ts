import type { KubeObject } from '../meta.js';
import { ABANDON_ANNOTATION } from './labels.js';

/** In the annotation: all clusters. */
export const EVERY_CLUSTER = 'true';

/** Names of clusters, as the status has them, that a user gave up; one of them may stand for all. */
export function abandonedNames({ metadata }: Pick<KubeObject, 'metadata'>): string[] {
  const text = metadata.annotations?.[ABANDON_ANNOTATION] ?? '';
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}
