import { createHash } from 'node:crypto';
import type { ObjectRef } from '#api/meta.js';

const PATH = /^\/hook\/[0-9a-f]{64}$/;

/** The path of a Receiver, by Flux's formula. Who knows it knows the token, or was told the path. */
export function webhookPath(token: Uint8Array, { name, namespace = '' }: ObjectRef): string {
  return `/hook/${createHash('sha256').update(token).update(`${name}${namespace}`).digest('hex')}`;
}

/** True for what may be the path of a Receiver. */
export function isWebhookPath(text: string): boolean {
  return PATH.test(text);
}
