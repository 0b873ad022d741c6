import { open, stat } from 'node:fs/promises';
import type { Cluster } from '#sandbox/world.js';

/** One mutating request, as the API server recorded it (audit.k8s.io/v1 Event, level Metadata). */
export interface AuditEntry {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  /** When it was answered. */
  readonly stageTimestamp: string;
}

/** A write by one field manager, as the server answered it. */
export interface Write {
  readonly by: string;
  readonly code: number;
  readonly atMs: number;
}

/** The write in a line of the log. */
export function writeOf(line: string): Write {
  // Each line is an Event, as the audit policy of the sandbox makes it.
  const { requestURI, responseStatus, requestReceivedTimestamp } = JSON.parse(line) as AuditEntry;
  const by = new URL(requestURI, 'https://server').searchParams.get('fieldManager') ?? '';
  return { by, code: responseStatus?.code ?? 0, atMs: Date.parse(requestReceivedTimestamp) };
}

/** A place in a cluster's audit log: all that was requested up to now lies before it. */
export async function auditPosition(cluster: Cluster): Promise<number> {
  return (await stat(cluster.auditLog)).size;
}

async function readFrom(file: string, start: number): Promise<string> {
  const log = await open(file);
  try {
    const chunks = await log.createReadStream({ start, autoClose: false }).toArray();
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    await log.close();
  }
}

/** The mutating requests after `since` (a position from auditPosition), oldest first. */
export async function auditEntries(cluster: Cluster, since = 0): Promise<AuditEntry[]> {
  const text = await readFrom(cluster.auditLog, Math.max(0, since - 1));
  // The position may lie within a line that was being written; its request came before.
  const start = since === 0 ? 0 : text.indexOf('\n') + 1;
  const lines = text.slice(start, text.lastIndexOf('\n') + 1).split('\n');
  // Each line is an Event, as the audit policy of the sandbox makes it.
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditEntry);
}
