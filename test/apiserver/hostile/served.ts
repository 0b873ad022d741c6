import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { billionLaughs } from '../../support/billion-laughs.js';

/** Packs a chart as the real helm does. */
function packedChart(name: string, files: Readonly<Record<string, Buffer | string>>): Buffer {
  const all = { 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`, ...files };
  const blocks = Object.entries(all).flatMap(([path, content]) => {
    const data = Buffer.from(content);
    const header = Buffer.alloc(512);
    new Header({ path: `${name}/${path}`, type: 'File', mode: 0o644, size: data.length }).encode(header);
    return [header, data, Buffer.alloc(-data.length & 511)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** A Deployment whose pod finds no node, so that its release waits until the timeout, or until it is scaled to 0. */
const NEVER_READY = JSON.stringify({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: '{{ .Release.Name }}' },
  spec: {
    selector: { matchLabels: { app: 'waits' } },
    template: {
      metadata: { labels: { app: 'waits' } },
      spec: { nodeSelector: { nowhere: 'true' }, containers: [{ name: 'waits', image: 'waits' }] },
    },
  },
});

/** The charts of the hostile repository. */
function charts(): Readonly<Record<string, Buffer>> {
  const inner = packedChart('inner', { 'big.txt': Buffer.alloc(16 * 1024 * 1024) });
  const packed = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`charts/c${index}.tgz`, inner]));
  const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {a: "1"}\n';
  return {
    quiet: packedChart('quiet', { 'templates/a.yaml': manifest }),
    hungry: packedChart('hungry', { 'templates/a.yaml': '{{ repeat 2000000000 "x" | len }}' }),
    wordy: packedChart('wordy', { 'templates/a.yaml': `${manifest}  b: {{ repeat 10000000 "x" }}` }),
    bomb: packedChart('bomb', packed),
    laughing: packedChart('laughing', { 'values.yaml': billionLaughs(7) }),
    windy: packedChart('windy', { 'Chart.yaml': `name: windy\nversion: 1.0.0\na:\n${'- {a: 1}\n'.repeat(1_500_000)}` }),
    waiting: packedChart('waiting', { 'templates/a.yaml': NEVER_READY }),
    valued: packedChart('valued', { 'more.yaml': '- {a: 1}\n'.repeat(1_500_000) }),
  };
}

function indexOf(names: readonly string[]): string {
  const entries = names.map((name) => `  ${name}:\n  - {name: ${name}, version: 1.0.0, urls: [${name}-1.0.0.tgz]}\n`);
  return `apiVersion: v1\nentries:\n${entries.join('')}`;
}

/** An index of many megabytes. */
function longIndex(megabytes: number): string {
  const version = (index: number): string =>
    `  - {name: x, version: 1.0.${index}, urls: [x.tgz], description: ${'d '.repeat(40)}}\n`;
  const count = Math.ceil((megabytes * 1024 * 1024) / version(10_000).length);
  return `${indexOf(['quiet'])}  x:\n${Array.from({ length: count }, (_, index) => version(index)).join('')}`;
}

/** The answers of the hostile server, by path. */
export function served(): Readonly<Record<string, Buffer | string>> {
  const all = charts();
  const archives = Object.entries(all).map(([name, data]) => [`/charts/${name}-1.0.0.tgz`, data] as const);
  return {
    '/charts/index.yaml': indexOf(Object.keys(all)),
    '/laughing/index.yaml': billionLaughs(8),
    '/long/index.yaml': longIndex(8),
    ...Object.fromEntries(archives),
  };
}
