import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import omit from 'lodash/omit.js';
import sortBy from 'lodash/sortBy.js';
import { Parser, type ReadEntry } from 'tar';
import type { Artifact } from '#api/flux/common.js';
import type { Condition, KubeObject } from '#api/meta.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { conditionOf } from '../../support/harness.js';

/** A source as Flux and we report it. */
export interface SourceView extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: Condition[];
    readonly artifact?: Artifact;
    readonly lastHandledReconcileAt?: string;
  };
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Merged values are the same values, not the same text. */
function digestOf(file: string, data: Buffer, isMerged: boolean): string {
  const isValues = isMerged && file.endsWith('/values.yaml');
  return sha256(isValues ? Buffer.from(canonicalJson(parseYaml(data.toString()))) : data);
}

/** Of each file its mode's x, and its content; of what is no file, its type. */
async function filesIn(archive: Buffer, isMerged: boolean): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const pending: Promise<void>[] = [];
  const parser = new Parser();
  parser.on('entry', (entry: ReadEntry) => {
    pending.push(
      entry.concat().then((data) => {
        const isProgram = ((entry.mode ?? 0) & 0o111) !== 0;
        // Flux packs the file .git of a submodule, which names a folder that is gone.
        const isLeftOut = entry.type === 'Directory' || entry.path.endsWith('/.git');
        if (!isLeftOut)
          files[entry.path] = `${entry.type} ${isProgram ? 'x' : '-'} ${digestOf(entry.path, data, isMerged)}`;
      }),
    );
  });
  parser.end(gunzipSync(archive));
  await Promise.all(pending);
  return files;
}

/** What is served as the artifact: files of an archive, else the bytes. */
async function contentOf({ spec }: SourceView, { url }: Artifact): Promise<unknown> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  const data = Buffer.from(await answer.arrayBuffer());
  const isCopy = (spec['layerSelector'] as { operation?: string } | undefined)?.operation === 'copy'; // of its schema
  return isCopy || !(data[0] === 0x1f && data[1] === 0x8b)
    ? sha256(data)
    : filesIn(data, spec['valuesFiles'] !== undefined);
}

/** Flux stores an index as it came; we keep what it says of charts, so that one that is only made again is not new. */
const OF_INDEX = ['revision'];

/** Where and when it was stored, and the digest of an archive, which holds the headers of tar. */
const OF_EACH = ['path', 'url', 'digest', 'lastUpdateTime', 'size'];

/** Fields that say the same in another way, and why; docs/sources.md tells users of them. */
function leftOut({ kind, spec, status }: SourceView): string[] {
  const isReady = conditionOf({ status: status ?? {} }, 'Ready')?.status === 'True';
  const source = (spec['sourceRef'] as { kind?: string } | undefined)?.kind; // of its schema
  return [
    'url',
    'lastHandledReconcileAt',
    // A revision of an index, the digest of a pushed chart; we set it when there is a chart.
    ...(kind === 'HelmChart' && (source === 'HelmRepository' || !isReady) ? ['observedSourceArtifactRevision'] : []),
    // We do not write to what is suspended.
    ...(spec['suspend'] === true ? ['observedGeneration'] : []),
  ];
}

function conditionsOf({ spec, status }: SourceView): object[] {
  const facts = (status?.conditions ?? []).map(({ type, status: value, reason, observedGeneration }) => ({
    ...{ type, status: value, reason },
    ...(spec['suspend'] === true ? {} : { observedGeneration }),
  }));
  return sortBy(facts, 'type');
}

/** All that a user sees of a source, but the words of messages. */
export async function seenOf(source: SourceView): Promise<object> {
  // Flux says nothing of a registry, we whether its charts can be pulled.
  if (source.kind === 'HelmRepository' && source.spec['type'] === 'oci') return {};
  const { artifact, ...status } = source.status ?? {};
  const isIndex = source.kind === 'HelmRepository';
  return {
    ...omit(status, leftOut(source)),
    conditions: conditionsOf(source),
    ...(artifact === undefined ? {} : { artifact: omit(artifact, OF_EACH, isIndex ? OF_INDEX : []) }),
    ...(artifact === undefined || isIndex ? {} : { content: await contentOf(source, artifact) }),
    // Of the artifacts of others.
    ...('includedArtifacts' in status
      ? { includedArtifacts: (status.includedArtifacts as Artifact[]).map((each) => omit(each, OF_EACH)) }
      : {}),
  };
}
