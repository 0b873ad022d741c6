import { join } from 'node:path';
import { TerminalError } from '#lib/errors.js';
import type { ArtifactOwner } from './types.js';

/** Starts with a letter or digit, so neither `..` nor a hidden file can be meant, and holds no separator. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._+~=@-]{0,252}$/;
const SEGMENTS = 4;

/** True for what may be the name of an artifact's file. */
export function isSegment(name: string): boolean {
  return SEGMENT.test(name);
}

function assertSegment(segment: string): string {
  if (isSegment(segment)) return segment;
  throw new TerminalError('ArtifactPathInvalid', `${JSON.stringify(segment)} cannot be part of an artifact's path`);
}

/** `<kind>/<namespace>/<name>`. Throws TerminalError `ArtifactPathInvalid`. */
export function ownerPath({ kind, namespace, name }: ArtifactOwner): string {
  return [kind, namespace, name].map(assertSegment).join('/');
}

/** `<kind>/<namespace>/<name>/<file>`. Throws TerminalError `ArtifactPathInvalid`. */
export function artifactPath(owner: ArtifactOwner, fileName: string): string {
  return `${ownerPath(owner)}/${assertSegment(fileName)}`;
}

/** True for the path of an artifact that is of an owner in this namespace. */
export function isOfNamespace(path: string, namespace: string): boolean {
  return path.split('/')[1] === namespace;
}

/** Absolute path of an artifact; undefined when `path` is not one, so nothing outside of `root` can be named. */
export function resolveArtifact(root: string, path: string): string | undefined {
  const segments = path.split('/');
  const isPath = segments.length === SEGMENTS && segments.every(isSegment);
  return isPath ? join(root, ...segments) : undefined;
}
