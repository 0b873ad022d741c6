import { MIB, MOST_STORED_BYTES, SIZE_HELP } from '#queries/views/object-size.js';
import { printJson } from '#lib/lossless-json.js';
import type { PlainMap } from '#lib/plain.js';

/**
 * Why an object may not be stored although the API server accepts it: a dry run asks no etcd. Empty if it is short
 * enough.
 */
export function sizeWords(value: PlainMap): string {
  const bytes = new TextEncoder().encode(printJson(value)).length;
  if (bytes <= MOST_STORED_BYTES) return '';
  // Rounded up: it is never shown as what is allowed.
  return `It has ${Math.ceil((bytes * 100) / MIB) / 100} MiB, and ${SIZE_HELP}.`;
}
